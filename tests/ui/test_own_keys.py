"""A person's own keys act, and the old ones do not; help shows them."""

from __future__ import annotations

from memhtml_tui.panes.textview import TextView
from memhtml_tui.screens.dialogs import HelpDialog
from memhtml_tui.settings import Options
from tests.ui.conftest import MakeApp
from tests.ui.driving import AppPilot, app_of, drive, typed, until
from tests.ui.fakes import NOW, FakeStore


def test_a_key_of_the_file_acts_and_is_shown(store: FakeStore, make_app: MakeApp) -> None:
    async def steps(pilot: AppPilot) -> None:
        app = app_of(pilot)
        await typed(pilot, "readers")
        await pilot.press("down", "f1")
        await until(pilot, lambda: isinstance(app.screen, HelpDialog))
        await pilot.pause()
        assert "f6 Look at the memory" in " ".join(app.screen.query_one(TextView).plain.split())
        await pilot.press("escape")
        await pilot.pause()
        await pilot.press("space")
        await pilot.pause()
        assert app.current_mode == "search"
        await pilot.press("f6")
        await until(pilot, lambda: app.current_mode == "memory")

    drive(make_app(store, Options(now=NOW, keymap={"memory.peek": "f6"})), steps)
