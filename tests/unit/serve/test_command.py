"""What `serve` refuses before it listens, and how the app behind it is started."""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from memhtml_core.errors import MemhtmlError, UsageError
from memhtml_tui.cli import parse
from memhtml_tui.commands import app, serve
from memhtml_tui.commands.output import Output
from memhtml_tui.settings import Options, from_environment


def given(*words: str) -> argparse.Namespace:
    return parse(["serve", *words])


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--demo", "somewhere"), "the demo is a store of its own"),
        (("--store", "a", "b"), "two stores were named: b"),
        (("--port", "65536", "--demo"), "no port: 65536"),
        (("--port", "-1", "--demo"), "no port: -1"),
        (("--sessions", "0", "--demo"), "no number of sessions: 0"),
        (("--sessions", "65", "--demo"), "no number of sessions: 65"),
        (("--idle", "-1", "--demo"), "no idle time: -1.0"),
        (("--idle", "nan", "--demo"), "no idle time: nan"),
        (("--demo", "--host", "0.0.0.0"), "--public-url"),
        (("--demo", "--host", "::"), "--public-url"),
        (("--demo", "--public-url", "memory.example"), "not a web address"),
    ],
)
def test_what_cannot_be_meant_is_refused_with_a_way_out(words: tuple[str, ...], said: str) -> None:
    with pytest.raises(UsageError, match=re.escape(said)) as caught:
        serve.run(given(*words), Output())
    assert caught.value.remedy


def test_a_store_that_is_not_there_is_named_before_anything_listens(tmp_path: Path) -> None:
    with pytest.raises(MemhtmlError, match="nowhere") as caught:
        serve.run(given(str(tmp_path / "nowhere")), Output())
    assert caught.value.exit_code == 3


def test_the_flags_of_the_store_reach_the_app(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MEMHTML_TUI_CACHE", str(tmp_path / "cache"))
    root = tmp_path / "-store; rm -rf $HOME"
    (root / ".memhtml").mkdir(parents=True)
    args = given(
        str(root), "--embedder", "off", "--index", "tree", "--state", "none", "--read-only", "--no-embed"
    )
    words, title, crashes = serve._served(args)
    meant = parse(words)
    assert meant.command is None
    assert Path(meant.store) == root.resolve()
    assert (meant.embedder, meant.index, meant.state) == ("off", "tree", "none")
    assert (meant.read_only, meant.no_embed) == (True, True)
    assert title == f"memhtml-tui {root.name}"
    assert crashes == tmp_path / "cache" / "crashes"
    demo = parse(serve._served(given("--demo", "--embedder", "off"))[0])
    assert (demo.command, demo.embedder) == ("demo", "off")


def test_a_cache_inside_the_store_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / ".memhtml").mkdir()
    monkeypatch.setenv("MEMHTML_TUI_CACHE", str(tmp_path / "cache"))
    with pytest.raises(UsageError, match="must not lie inside the store"):
        serve.run(given(str(tmp_path)), Output())
    assert not (tmp_path / "cache").exists()


def test_without_the_extra_the_command_says_what_to_install() -> None:
    probe = (
        "import sys; sys.modules['textual_serve'] = sys.modules['aiohttp'] = None\n"
        "from memhtml_tui.cli import main; sys.exit(main(['serve', '--demo', '--port', '0']))"
    )
    done = subprocess.run([sys.executable, "-c", probe], capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert "pip install 'memhtml-tui[serve]'" in done.stderr
    assert "Traceback" not in done.stderr


def test_no_other_command_loads_a_web_library() -> None:
    probe = "import sys; from memhtml_tui.cli import parse; parse(['serve', '--demo']); print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", probe], capture_output=True, text=True, check=True)
    assert {"aiohttp", "textual_serve", "textual", "ssl"}.isdisjoint(done.stdout.split())


def test_the_app_knows_that_it_is_served() -> None:
    assert not Options().served
    assert from_environment({"MEMHTML_TUI_SERVED": "1"}).served
    assert not from_environment({"MEMHTML_TUI_SERVED": "0"}).served
    with pytest.raises(UsageError, match="MEMHTML_TUI_SERVED=yes"):
        from_environment({"MEMHTML_TUI_SERVED": "yes"})


def test_pipes_are_a_screen_for_a_served_app_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in os.environ if name.startswith(("TEXTUAL", "MEMHTML_TUI_SERVED"))]:
        monkeypatch.delenv(name)
    assert not app.has_screen()
    monkeypatch.setenv("MEMHTML_TUI_SERVED", "1")
    assert not app.has_screen()
    monkeypatch.setenv("TEXTUAL_DRIVER", "memhtml_tui.serve.driver:ServedDriver")
    assert app.has_screen()
