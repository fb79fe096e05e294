"""Random keys without an open: the store stays as it was to the byte, nothing is counted, nothing breaks."""

from __future__ import annotations

import random
import time
from dataclasses import dataclass, field

import pytest
from textual.command import CommandPalette
from textual.widgets import Input

from memhtml_tui.app import MemhtmlApp
from memhtml_tui.settings import Options
from tests.counts import count
from tests.fingerprint import changed, fingerprint
from tests.ui.conftest import DemoStore
from tests.ui.driving import AppPilot, app_of, drive, screen_text

NOW = 1_796_000_000.0
KEYS_A_WALK = count(6, 12)
WALKS_AN_APP = 50
SIZES = [(120, 40), (80, 24), (40, 12), (20, 6)]

LETTERS = "abcdefghijklmnopqrstuvwxyzBDEFGHJKLMNOPSTVX0123456789"
NAMED = (
    *("down", "up", "left", "right", "home", "end", "pageup", "pagedown", "tab", "shift+tab", "escape"),
    *("space", "backspace", "delete", "enter", "slash", "colon", "comma", "full_stop", "question_mark"),
    *("less_than_sign", "greater_than_sign", "left_square_bracket", "right_square_bracket"),
    *("left_curly_bracket", "right_curly_bracket", "left_parenthesis", "right_parenthesis"),
    *("f1", "f2", "f3", "f4", "ctrl+r", "ctrl+p", "ctrl+o", "ctrl+u", "ctrl+c", "quotation_mark"),
)
OFTEN = (
    "down",
    "space",
    "escape",
    "p",
    "h",
    "slash",
    "less_than_sign",
    "greater_than_sign",
    "1",
    "2",
    "3",
    "5",
)
WORDS = ("settlement", "bank", "retry", "not", "type:arc", "tag:fuel", "[/b]", "facet:severity=sev1", "zzyzx")


RISKY = ("enter", "o", "plus", "minus")


def opens(app: MemhtmlApp, key: str) -> bool:
    """Whether a key may be an open: Enter, o, + and - wherever no text is written, and Enter in the palette.

    Enter in a dialog is none: only views and lists open.
    """
    if isinstance(app.screen, CommandPalette):
        return key == "enter"
    if isinstance(app.focused, Input):
        return False
    return key != "enter" or app.screen is app.view


@dataclass
class Walk:
    """The keys of one walk, drawn from its seed as it goes; `pressed` tells them afterwards."""

    seed: int
    pressed: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._dice = random.Random(self.seed)

    def step(self) -> list[str]:
        """One key, often a letter; now and then a word, so that queries come about."""
        chance = self._dice.random()
        if chance < 0.1:
            return [
                {" ": "space", ":": "colon", "=": "equals_sign"}.get(c, c) for c in self._dice.choice(WORDS)
            ]
        if chance < 0.4:
            return [self._dice.choice(OFTEN)]
        return [self._dice.choice(NAMED if chance < 0.6 else LETTERS)]


async def rested(pilot: AppPilot) -> None:
    """Until nothing is typed, asked or read any more; a search that was stopped has no answer to wait for."""
    app = app_of(pilot)
    end = time.monotonic() + 30
    quiet = 0
    while quiet < 2:
        assert time.monotonic() < end, "the app never rests:\n" + screen_text(app)
        await pilot.pause(0.01)
        waiting = any(worker.is_running for worker in app.workers if worker.group == "query")
        quiet = 0 if waiting or app.session.busy else quiet + 1


async def walked(pilot: AppPilot, walk: Walk) -> None:
    app = app_of(pilot)
    for _ in range(KEYS_A_WALK):
        for key in walk.step():
            if key in RISKY:
                # Where it lands must be known; other keys come as fast as the app takes them.
                await rested(pilot)
                if opens(app, key):
                    continue
            walk.pressed.append(key)
            app.simulate_key(key)
    await rested(pilot)


async def home(pilot: AppPilot) -> None:
    """Close what is open and go to the Search view."""
    app = app_of(pilot)
    for _ in range(12):
        if app.screen is app.view and app.current_mode == "search":
            return
        await pilot.press("escape")
    assert app.screen is app.view, screen_text(app)


@pytest.mark.parametrize("part", range(count(1, 20)))
def test_walks_leave_no_trace(demo: DemoStore, part: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("EDITOR", "true")
    before = fingerprint(demo.root)
    walks = [Walk(part * 1_000 + number) for number in range(count(20, WALKS_AN_APP))]
    size = SIZES[part % len(SIZES)]

    async def steps(pilot: AppPilot) -> None:
        app = app_of(pilot)
        for walk in walks:
            try:
                await walked(pilot, walk)
                await home(pilot)
            except Exception as error:
                raise AssertionError(f"seed {walk.seed}, keys {walk.pressed}") from error
            assert app.session.writes == 0, walk.pressed
        await pilot.resize_terminal(120, 40)
        await pilot.press("1")
        await rested(pilot)
        assert "writes: 0" in screen_text(app)

    drive(MemhtmlApp(demo.open, Options(now=NOW, embed=False, demo=demo.root)), steps, size)
    assert changed(before, fingerprint(demo.root)) == []


def test_a_walk_can_tell_an_open(demo: DemoStore) -> None:
    """The proof above can fail: one open changes the store and the header."""
    before = fingerprint(demo.root)

    async def steps(pilot: AppPilot) -> None:
        app = app_of(pilot)
        await pilot.press("down")
        assert opens(app, "enter")
        await pilot.press("enter")
        await rested(pilot)
        assert "writes: 1" in screen_text(app)

    drive(MemhtmlApp(demo.open, Options(now=NOW, embed=False, demo=demo.root)), steps)
    assert changed(before, fingerprint(demo.root)) != []
