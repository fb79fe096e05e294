"""Pictures of the scope builder, go to, chips and an explained empty list, at the three sizes."""

from __future__ import annotations

import pytest

from tests.ui.conftest import DemoStore
from tests.ui.driving import AppPilot, app_of, drive, screen_text, settled, typed, until
from tests.ui.test_pictures import Picture, app_on, pytestmark

__all__ = ["pytestmark"]

SIZES = [(120, 40), (80, 24), (40, 12)]
NAMES = ["120x40", "80x24", "40x12"]


@pytest.mark.parametrize("size", SIZES, ids=NAMES)
def test_scope_and_go_to(demo: DemoStore, picture: Picture, size: tuple[int, int]) -> None:
    async def steps(pilot: AppPilot) -> None:
        await pilot.press("down", "f")
        await settled(pilot)
        await pilot.press("right", "space", "right", "space", "j", "space")
        await picture(pilot, "builder")
        await pilot.press("slash")
        await typed(pilot, "al")
        await picture(pilot, "narrowed")
        await pilot.press("escape", "escape", "colon")
        await typed(pilot, "frost")
        await until(pilot, lambda: "found" in screen_text(app_of(pilot)))
        await picture(pilot, "goto")
        await pilot.press("escape", "X", "slash")
        await typed(pilot, "tag:nowhere ")
        await until(pilot, lambda: "The scope is empty" in screen_text(app_of(pilot)))
        await picture(pilot, "empty")
        await pilot.press("escape", "X", "slash")
        await typed(pilot, "type:task ")
        await pilot.press("down", *"ssss")
        await picture(pilot, "tasks")

    drive(app_on(demo), steps, size)


def test_no_colour_and_a_light_theme(
    demo: DemoStore, picture: Picture, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def steps(pilot: AppPilot) -> None:
        await pilot.press("down", "f")
        await settled(pilot)
        await pilot.press("space")
        await picture(pilot, app_of(pilot).options.glyphs)

    drive(app_on(demo, theme="memhtml-light", glyphs="ascii"), steps)
    monkeypatch.setenv("NO_COLOR", "1")
    drive(app_on(demo), steps, (80, 24))
