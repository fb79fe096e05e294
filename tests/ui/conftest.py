"""A screen without the machine: no colour variables, no blinking cursor, a fixed clock, a fixed theme."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from textual.widgets import Input

from memhtml_tui.app import MemhtmlApp
from memhtml_tui.settings import Options
from tests.ui.fakes import NOW, FakeStore


@pytest.fixture(autouse=True)
def _no_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in list(os.environ):
        steers = name in ("NO_COLOR", "FORCE_COLOR", "COLORTERM") or name.startswith(("TEXTUAL", "MEMHTML"))
        if steers and name != "MEMHTML_TUI_REQUIRE_SHARED":
            monkeypatch.delenv(name)
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.setenv("COLORTERM", "truecolor")
    assert hasattr(Input, "_toggle_cursor"), "the blink of a cursor has moved: still it another way"
    monkeypatch.setattr(Input, "_toggle_cursor", lambda self: None)


MakeApp = Callable[..., MemhtmlApp]


@pytest.fixture
def store(tmp_path: Path) -> FakeStore:
    return FakeStore(tmp_path)


@pytest.fixture
def make_app() -> MakeApp:
    def make(store: FakeStore, options: Options | None = None) -> MemhtmlApp:
        given = options or Options(now=NOW)
        return MemhtmlApp(lambda progress, cancel: store, given)

    return make
