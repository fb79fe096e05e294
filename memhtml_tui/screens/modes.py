"""The views by name, each loaded when it is first shown: only Search stands before the first frame."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from textual.screen import Screen

from memhtml_tui.screens.search import SearchView


def _pack() -> Screen[None]:
    from memhtml_tui.screens.pack import PackView

    return PackView()


def _memory() -> Screen[None]:
    from memhtml_tui.screens.memory import ReadingView

    return ReadingView()


def _health() -> Screen[None]:
    from memhtml_tui.screens.health import HealthView

    return HealthView()


MODES: dict[str, str | Callable[[], Screen[Any]]] = {
    "search": SearchView,
    "pack": _pack,
    "memory": _memory,
    "health": _health,
}
"""As the app's `MODES`."""
