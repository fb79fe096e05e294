"""The main job in a real terminal: search, see ranks, see the pack, open one, see the row move, quit."""

from __future__ import annotations

import re
import sqlite3
import sys
from pathlib import Path

import pytest

from memhtml_tui.demo_store import copy_demo
from tests.e2e.terminal import Terminal

COMMAND = Path(sys.executable).with_name("memhtml-tui")
QUESTION = "do validators keep offline taps across a power cut"
SIZES = [(120, 40), (80, 24), (40, 12)]


@pytest.fixture
def store(tmp_path: Path) -> Path:
    return copy_demo(tmp_path / "demo")


def started(store: Path, tmp_path: Path, width: int, height: int) -> Terminal:
    """The explorer on a copy of the demo store, with a home of its own."""
    environ = {"HOME": str(tmp_path), "MEMHTML_TUI_CACHE": str(tmp_path / "cache"), "TERM": "xterm-256color"}
    return Terminal(f"{COMMAND} --embedder static --store {store}", width, height, tmp_path, environ)


def opens(store: Path) -> dict[str, int]:
    """Access counts by path; empty while there is no state.db."""
    file = store / ".memhtml" / "state.db"
    if not file.exists():
        return {}
    connection = sqlite3.connect(f"file:{file}?mode=ro", uri=True)
    try:
        return dict(connection.execute("SELECT path, access_count FROM access"))
    finally:
        connection.close()


def first_hit(seen: str) -> bool:
    """Whether a rank table with a first line is on the screen."""
    return bool(re.search(r"[│┃ ]\s+1  \S.*0\.0\d", seen))


@pytest.mark.tmux
@pytest.mark.parametrize(("width", "height"), SIZES)
def test_search_pack_open_and_quit(store: Path, tmp_path: Path, width: int, height: int) -> None:
    with started(store, tmp_path, width, height) as terminal:
        terminal.wait(lambda seen: "234" in seen and "Opening" not in seen)
        terminal.type(QUESTION)
        ranked = terminal.wait(first_hit)
        assert "F" in ranked
        assert "V" in ranked
        terminal.keys("Escape")
        terminal.wait("Enter open")
        terminal.keys("2")
        terminal.wait("● F")
        terminal.keys("1")
        terminal.wait(first_hit)
        before = opens(store)
        terminal.keys("Enter")
        terminal.wait("writes: 1")
        after = opens(store)
        terminal.keys("C-q")
        left = terminal.wait("left with")
    assert before == {}
    assert sum(after.values()) > 0
    assert "left with 0" in left
    assert " echo " in left.replace("\n", " ")
    assert "-echo " not in left


@pytest.mark.tmux
def test_a_resize_while_searching_harms_nothing(store: Path, tmp_path: Path) -> None:
    with started(store, tmp_path, 120, 40) as terminal:
        terminal.wait(lambda seen: "234" in seen and "Opening" not in seen)
        terminal.type(QUESTION)
        for width, height in [(80, 24), (40, 12), (20, 6), (120, 40)]:
            terminal.resize(width, height)
        terminal.wait(lambda seen: QUESTION in seen and "fused" in seen)
        terminal.keys("C-q")
        terminal.wait("left with 0")
