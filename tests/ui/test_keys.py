"""Every action has an id, a help line and a palette entry; no key means two things in one place."""

from __future__ import annotations

from collections import Counter

import pytest

from memhtml_tui.keys import ACTS, acts, key_text
from memhtml_tui.panes.textview import TextView
from memhtml_tui.screens.dialogs import HelpDialog
from tests.ui.conftest import MakeApp
from tests.ui.driving import AppPilot, app_of, drive, screen_text, settled, typed, until
from tests.ui.fakes import FakeStore


def test_ids_are_unique_and_every_action_is_described() -> None:
    assert [each for each, count in Counter(act.id for act in ACTS).items() if count > 1] == []
    assert all(act.help and act.label and act.where for act in ACTS)


@pytest.mark.parametrize(
    ("focus", "view"),
    [
        ("rows", "search"),
        ("text", "search"),
        ("rows", "pack"),
        ("text", "pack"),
        ("text", "memory"),
        ("around", "memory"),
    ],
)
def test_no_key_is_bound_twice_in_one_place(focus: str, view: str) -> None:
    keys = Counter(key for act in acts(focus, view, "app") for key in act.keys.split(","))
    assert [key for key, count in keys.items() if count > 1] == []


def test_help_lists_the_keys_of_the_view_and_of_the_pane(store: FakeStore, make_app: MakeApp) -> None:
    async def steps(pilot: AppPilot) -> None:
        app = app_of(pilot)
        await typed(pilot, "readers")
        await pilot.press("down", "f1")
        await until(pilot, lambda: isinstance(app.screen, HelpDialog))
        await pilot.pause()
        text = " ".join(app.screen.query_one(TextView).plain.split())
        for act in acts("rows", "search", "app"):
            assert f"{key_text(act)} {act.help}" in text
        await pilot.press("escape")
        await pilot.pause()
        assert not isinstance(app.screen, HelpDialog)
        assert app.focused is app.screen.query_one("#ranks")

    drive(make_app(store), steps)


def test_the_palette_knows_every_action_of_the_view_and_runs_it(store: FakeStore, make_app: MakeApp) -> None:
    async def steps(pilot: AppPilot) -> None:
        app = app_of(pilot)
        await typed(pilot, "readers")
        commands = {each.title: each for each in app.get_system_commands(app.screen)}
        for act in acts("rows", "search", "app"):
            assert f"{act.label}: {act.help}" in commands
        peek = next(each for title, each in commands.items() if title.startswith("peek:"))
        peek.callback()
        await until(pilot, lambda: app.current_mode == "memory")
        assert app.session.writes == 0
        budget = [each.title for each in app.get_system_commands(app.screen) if "budget" in each.title]
        assert budget == []

    drive(make_app(store), steps)


def test_the_footer_shows_whole_keys_and_always_help(store: FakeStore, make_app: MakeApp) -> None:
    async def steps(pilot: AppPilot) -> None:
        app = app_of(pilot)
        await typed(pilot, "readers")
        await pilot.press("down")
        await settled(pilot)
        for width in (120, 80, 60, 40):
            await pilot.resize_terminal(width, 24)
            await pilot.pause(0.05)
            line = screen_text(app).split("\n")[-1]
            assert "Enter open" in line, line
            assert "F1 help" in line, line
        await pilot.click("#keys", offset=(2, 0))
        await until(pilot, lambda: app.session.writes == 1)

    drive(make_app(store), steps)
