"""The command line in odd surroundings: no home, no git, closed streams, a lost folder, a full disk.

Each ends with an exit status and words, never a traceback, and the store is as before (DESIGN 4 and 10).
"""

from __future__ import annotations

import os
import pwd
import random
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.counts import count
from tests.e2e.conftest import COMMAND, Run
from tests.fingerprint import changed, fingerprint
from tests.shared import shared

OFF = ("--embedder", "off")


@pytest.fixture(autouse=True)
def untouched(store: Path) -> Iterator[None]:
    """Nothing in this file opens a memory, so the store has to be as it was."""
    before = fingerprint(store)
    yield
    assert changed(before, fingerprint(store)) == []


def sh(
    environment: dict[str, str], line: str, *words: object, cwd: Path | None = None
) -> tuple[int, str, str]:
    """Run a shell line in which "$@" is the installed command with `words`."""
    done = subprocess.run(
        ["/bin/sh", "-c", line, "sh", COMMAND, *map(str, words)],
        capture_output=True,
        env=environment,
        cwd=cwd,
        timeout=60,
        check=False,
    )
    return done.returncode, done.stdout.decode("utf-8", "replace"), done.stderr.decode("utf-8", "replace")


@pytest.mark.parametrize(
    ("line", "status", "words"),
    [
        ('"$@" >&-', 2, "standard output is closed"),
        ('"$@" 2>&-', 0, ""),
        ('"$@" >&- 2>&-', 2, ""),
        ('"$@" <&-', 0, ""),
        ('"$@" >/dev/full', 1, "No space left on device"),
        ('TERM=dumb "$@"', 0, ""),
        ('LANG=C LC_ALL=C PYTHONIOENCODING=ascii "$@"', 0, ""),
        ('PATH=/nonexistent "$@"', 0, ""),
        ('MEMHTML_TUI_CACHE=/dev/null "$@"', 1, "cache folder cannot be made"),
        ('MEMHTML_TUI_CACHE=~nobody-of-this-name "$@"', 0, ""),
        ('MEMHTML_TUI_NONSENSE=1 "$@"', 2, "MEMHTML_TUI_NONSENSE"),
        ('mkdir gone && cd gone && rmdir ../gone && "$@"', 0, ""),
    ],
)
def test_odd_surroundings(
    environment: dict[str, str], store: Path, tmp_path: Path, line: str, status: int, words: str
) -> None:
    ended, out, err = sh(environment, line, "list", "--store", store, cwd=tmp_path)
    assert ended == status, err
    assert words in err
    assert "Traceback" not in err
    assert ("areas/ferry.html" in out) == (status == 0)


def test_the_cache_may_not_lie_in_the_store(run: Run, store: Path) -> None:
    for place in (store, store / "areas", store / "new"):
        done = run("list", "--store", store, extra={"MEMHTML_TUI_CACHE": str(place)})
        assert done.returncode == 2
        assert "must not lie inside the store" in done.stderr


@pytest.mark.parametrize(
    ("words", "status"),
    [
        (["~nobody-of-this-name"], 2),
        (["list", "--store", "~nobody-of-this-name/x"], 3),
        (["list", "--store", os.fsdecode(b"caf\xe9")], 3),
        (["list", "--tag", os.fsdecode(b"caf\xe9")], 0),
        (["search", "--entity", "person:\udcff", "--workspace", "\udcff", "x"], 0),
        (["search", "--as-of", "\udcff", "x"], 2),
        (["search", "--facet", "\udcff=\udcff", os.fsdecode(b"caf\xe9 \xff")], 0),
        (["read", os.fsdecode(b"areas/\xff.html")], 1),
        (["read", "--peek", os.fsdecode(b"areas/\xff.html")], 1),
        (["list", "--limit", "99999999999999999999"], 2),
        (["list", "--offset", "99999999999999999999"], 2),
    ],
)
def test_arguments_that_are_no_text_or_no_number(
    run: Run, store: Path, words: list[str], status: int
) -> None:
    done = run(*words, extra={"MEMHTML_ROOT": str(store)} if "--store" not in words else {})
    assert done.returncode == status, done.stderr
    assert status == 0 or done.stderr.startswith("memhtml-tui: ")


def test_without_any_home_the_way_out_is_named(
    run: Run, store: Path, environment: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A user id of a container: no HOME and no line in the table of users."""
    monkeypatch.setattr(pwd, "getpwuid", {}.__getitem__)
    del environment["HOME"]
    assert "no store was named" in run("list").stderr
    assert run("list", "--store", store).returncode == 0
    del environment["MEMHTML_TUI_CACHE"]
    done = run("list", "--store", store)
    assert done.returncode == 1
    assert "no home folder" in done.stderr
    assert "MEMHTML_TUI_CACHE" in done.stderr


ODD = [
    *(
        "",
        " ",
        "x",
        "the ferry",
        "\udcff",
        "\x1b[31m",
        "*",
        "NEAR(",
        "AND",
        '"',
        '"x',
        '"a b" c',
        "'",
        "--",
        "-",
    ),
    *(
        "~x",
        "[/b]",
        "\\[",
        "日本",
        "🚋",
        "👨‍👩‍👧",
        "a" * 3000,
        "'; DROP TABLE files;--",
        "..",
        "../../etc/passwd",
    ),
    *(
        "1e999",
        "nan",
        "inf",
        "-1",
        "0",
        "1",
        "1_000",
        "٣",
        "0x10",
        "99999999999999999999",
        "2026-01-01",
        "9e15",
    ),
    *(
        "9999-12-31T23:59:59Z",
        "0001-01-01",
        "=",
        "x=",
        "=y",
        "x=y",
        "fts=0",
        "fts=nan",
        "vector=3",
        "zz=1",
        "fts",
    ),
    *(
        "recency",
        "salience",
        "person:x",
        ":",
        "type:arc",
        "tag:",
        "as-of:x",
        "archived:yes",
        "facet:a=b",
        "arc",
    ),
]
VALUED = [
    *(
        "scope",
        "type",
        "workspace",
        "tag",
        "entity",
        "facet",
        "as-of",
        "limit",
        "weight",
        "without",
        "k",
        "lambda",
    ),
    *("floor", "now", "budget", "arcs-budget", "per-entity", "pack-order", "index", "state", "why", "sort"),
    *("offset", "signal", "embedder"),
]
SWITCHES = [
    *(
        "archived",
        "json",
        "plain",
        "exit-code",
        "no-embed",
        "read-only",
        "full",
        "dump-rows",
        "counts",
        "all",
    ),
]
COMMANDS = ("list", "search", "recall", "read", "index", "status", "batch")


def test_no_command_line_raises(run: Run, store: Path) -> None:
    """Random command lines: an exit status of the closed list, words where it is not 0, no control byte."""
    dice = random.Random(20261201)
    for _ in range(count(60, 5_000)):
        command = dice.choice(COMMANDS)
        words = [command, "--store", str(store), *OFF]
        for _ in range(dice.randrange(4)):
            if dice.random() < 0.3:
                words.append("--" + dice.choice(SWITCHES))
            else:
                words.append(f"--{dice.choice(VALUED)}={dice.choice(ODD)}")
        if command == "read":
            words += ["--peek", dice.choice(["areas/ferry.html", "areas/broken.html", *ODD])]
        elif command in ("search", "recall"):
            words += [dice.choice(ODD) for _ in range(dice.randrange(3))]
        done = run(*words, feed=b'{"query": "ferry"}\n')
        assert done.returncode in (0, 1, 2, 3, 4), words
        assert done.returncode in (0, 4) or done.stderr.startswith("memhtml-tui: "), words
        for text in (done.stdout, done.stderr):
            assert not any(ord(each) < 32 and each not in "\n\t" for each in text), words


KINDS = {
    "unborn": (0, "git: no commit yet on main"),
    "detached": (0, "git: detached at "),
    "worktree": (0, "git: on side, linked worktree"),
    "submodule": (0, "submodule"),
    "merge": (0, "merge in progress"),
    "dirty": (0, "6 memories not committed"),
    "index-junk": (0, "source: tree (the store's own index cannot be used: it is damaged"),
    "index-peer": (0, "source: tree (the store's own index cannot be used: it has no table"),
    "readonly": (0, "memories: 5"),
    "bare": (3, "this is a bare repository"),
}


@pytest.mark.shared
@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_of_store_opens_or_says_why_not(run: Run, tmp_path: Path, kind: str) -> None:
    """cases/bug-reports 34, 35, 44, 45: recognised, searched, and left as it was, repository and all."""
    root = tmp_path / "kinds" / "memory"
    root.parent.mkdir()
    maker = shared("cases/inputs/make_hostile_store.py")
    subprocess.run([sys.executable, str(maker), str(root), "--kind", kind], check=True, capture_output=True)
    before = fingerprint(root.parent)
    status, words = KINDS[kind]
    done = run("status", "--store", root, *OFF)
    assert done.returncode == status
    assert words in done.stdout + done.stderr
    found = run("search", "--store", root, *OFF, "keys hang hook")
    assert found.returncode == status
    assert status or "note-2.html" in found.stdout or kind == "merge"
    assert changed(before, fingerprint(root.parent)) == []
