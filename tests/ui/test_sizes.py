"""From 120x40 down to 20x6 and back, in every view and during a search: usable, then small, never a crash."""

from __future__ import annotations

import pytest

from memhtml_tui.panes.ranks import RankTable
from tests.counts import long
from tests.ui.conftest import MakeApp
from tests.ui.driving import AppPilot, app_of, drive, screen_text, settled, typed, until
from tests.ui.fakes import FakeStore

SIZES = [(200, 60), (100, 18), (99, 24), (59, 30), (40, 12), (30, 8), (29, 8), (20, 6), (120, 40)]


@pytest.mark.parametrize("view", ["1", *long("2", "3")])
def test_every_size_and_back(store: FakeStore, make_app: MakeApp, view: str) -> None:
    async def steps(pilot: AppPilot) -> None:
        app = app_of(pilot)
        await typed(pilot, "readers")
        await pilot.press("down", "j", "space")
        await settled(pilot)
        await pilot.press(view)
        await settled(pilot)
        for width, height in SIZES:
            await pilot.resize_terminal(width, height)
            await pilot.pause(0.05)
            text = screen_text(app)
            small = width < 30 or height < 8
            assert ("too small" in text) == small, text
            assert len(text.split("\n")) == height
            if not small:
                assert "writes: 0" in text, text

    drive(make_app(store), steps)


def test_resizing_during_a_search(store: FakeStore, make_app: MakeApp) -> None:
    store.slow = {"three": 0.5}

    async def steps(pilot: AppPilot) -> None:
        app = app_of(pilot)
        for key in "three":
            await pilot.press(key)
        for width, height in SIZES[::2]:
            await pilot.resize_terminal(width, height)
            await pilot.pause(0.05)
        await pilot.resize_terminal(80, 24)
        await settled(pilot)
        assert app.screen.query_one(RankTable).row_count == 3
        assert "WAL admits one writer" in screen_text(app)

    drive(make_app(store), steps)


@pytest.mark.parametrize("size", [(40, 12), (80, 24)])
def test_small_screens_say_what_an_open_does(
    store: FakeStore, make_app: MakeApp, size: tuple[int, int]
) -> None:
    async def steps(pilot: AppPilot) -> None:
        await typed(pilot, "readers")
        await until(pilot, lambda: "WAL admits" in screen_text(app_of(pilot)))
        text = screen_text(app_of(pilot))
        assert "open counts: 0 to 1" in text

    drive(make_app(store), steps, size)
