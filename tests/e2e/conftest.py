"""A small store of our own making and the installed command, run as people run it."""

from __future__ import annotations

import io
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest

from memhtml_tui.cli import main

COMMAND = Path(sys.executable).with_name("memhtml-tui")


class Done(NamedTuple):
    """How a run ended."""

    returncode: int
    stdout: str
    stderr: str


Run = Callable[..., Done]


def memory(claim: str, *, title: str = "", kind: str = "semantic", head: str = "", body: str = "") -> str:
    status = '<meta name="memhtml-task-status" content="todo">' if kind == "task" else ""
    return (
        f'<!doctype html><html lang="en"><head><meta charset="utf-8"><title>{title or claim}</title>'
        f'<meta name="memhtml-type" content="{kind}"><meta name="memhtml-status" content="active">'
        '<meta name="memhtml-created" content="2024-03-01T08:00:00Z">'
        f'<meta name="memhtml-updated" content="2024-03-01T08:00:00Z">{status}{head}</head>'
        f"<body><article><p><mark>{claim}</mark></p>{body}</article></body></html>\n"
    )


def tag(name: str) -> str:
    return f'<meta name="memhtml-tag" content="{name}">'


FILES = {
    "areas/boiler.html": memory("Drain the boiler before the first frost.", head=tag("boiler")),
    "areas/boiler-not.html": memory("Do not drain the boiler before the first frost."),
    "areas/ferry.html": memory(
        "The ferry leaves at six.",
        head=tag("ferry"),
        body="<dl><dt>tier</dt><dd>1</dd></dl><p>Every day.</p>",
    ),
    "areas/arcs/winter.html": memory("Each winter we drain a little earlier.", kind="arc"),
    "areas/nasty.html": memory(
        "A claim with \x1b[31mcolour\x1b[0m and \x9b5mmore.",
        title="Nasty \x1b]0;PWNED\x07\u202etitle [b]bold[/b]",
    ),
    "archive/2024/areas/old.html": memory("The lighthouse was painted white.", head=tag("lighthouse")),
    "projects/quay/tasks/paint.html": memory("Paint the bollards.", kind="task"),
    "areas/broken.html": "<title>Broken</title><article><p>no mark</p></article>",
}


@pytest.fixture
def store(tmp_path: Path) -> Path:
    """A store without git: eight files, one of them refused."""
    root = tmp_path / "store"
    (root / ".memhtml").mkdir(parents=True)
    for name, text in FILES.items():
        file = root / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
    return root


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    """An environment without any setting, with a home of its own."""
    kept = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(("MEMHTML", "XDG_", "NO_COLOR", "FORCE_COLOR")) and name != "PYTHONHASHSEED"
    }
    home = tmp_path / "home"
    home.mkdir(exist_ok=True)
    return kept | {"HOME": str(home), "MEMHTML_TUI_CACHE": str(tmp_path / "cache")}


@pytest.fixture
def process(environment: dict[str, str], tmp_path: Path) -> Run:
    """Run the installed command as a process of its own, without a terminal."""

    def run_it(*words: str | Path, extra: dict[str, str] | None = None) -> Done:
        done = subprocess.run(
            [COMMAND, *map(str, words)],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            env=environment | (extra or {}),
            cwd=tmp_path,
            timeout=120,
            check=False,
        )
        return Done(done.returncode, done.stdout.decode("utf-8"), done.stderr.decode("utf-8"))

    return run_it


@pytest.fixture
def run(environment: dict[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    """Run the command's entry point in this process: the same but for the start of an interpreter."""

    def run_it(
        *words: str | Path,
        feed: bytes = b"",
        extra: dict[str, str] | None = None,
        cwd: Path | None = None,
    ) -> Done:
        out, err = (io.TextIOWrapper(io.BytesIO(), encoding="utf-8") for _ in range(2))
        with monkeypatch.context() as patch:
            for name in [*os.environ]:
                patch.delenv(name)
            for name, value in (environment | (extra or {})).items():
                patch.setenv(name, value)
            patch.chdir(cwd or tmp_path)
            patch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(feed), encoding="utf-8"))
            patch.setattr(sys, "stdout", out)
            patch.setattr(sys, "stderr", err)
            try:
                status = main([str(word) for word in words])
            except SystemExit as end:  # argparse ends so after --help and --version
                status = int(end.code or 0)
        texts = []
        for stream in (out, err):
            stream.flush()
            texts.append(stream.buffer.getvalue().decode("utf-8"))  # type: ignore[attr-defined]
        return Done(status, *texts)

    return run_it
