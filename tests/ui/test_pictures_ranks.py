"""Pictures of the rank table with the rest of its pool, and of the dialogs that lead elsewhere."""

from __future__ import annotations

import pytest

from tests.ui.conftest import DemoStore
from tests.ui.driving import AppPilot, app_of, drive, typed, until
from tests.ui.test_pictures import QUESTION, Picture, app_on, pytestmark

__all__ = ["pytestmark"]


@pytest.mark.parametrize("size", [(120, 40), (80, 24), (40, 12)], ids=["120x40", "80x24", "40x12"])
def test_the_pool_and_the_dialogs(demo: DemoStore, picture: Picture, size: tuple[int, int]) -> None:
    async def steps(pilot: AppPilot) -> None:
        app = app_of(pilot)
        await typed(pilot, QUESTION)
        await pilot.press("down", "j")
        app.view.list_pane().action_scroll_top()  # type: ignore[union-attr]
        await pilot.press("p")
        app.clear_notifications()
        await picture(pilot, "pool")
        for key, name in (("h", "hop"), ("s", "sort"), ("c", "columns"), ("H", "queries")):
            await pilot.press(key)
            await until(pilot, lambda: app.screen is not app.view)
            await picture(pilot, name)
            await pilot.press("escape")

    drive(app_on(demo), steps, size)
