"""Pictures of every view on the demo store, at the three sizes; made anew by `make snapshots`."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from importlib.metadata import version
from pathlib import Path

import pytest

from memhtml_tui.app import MemhtmlApp
from memhtml_tui.settings import Options
from tests.ui.conftest import DemoStore
from tests.ui.driving import AppPilot, app_of, drive, screen_text, typed, until
from tests.ui.fakes import FakeStore

NOW = 1_796_000_000.0
QUESTION = "the bank rejects a file"
LOCKED = {"textual": "8.2.8", "rich": "15.0.0"}

Picture = Callable[[AppPilot, str], Awaitable[None]]

pytestmark = [
    pytest.mark.snapshot,
    pytest.mark.skipif(
        any(version(name) != wanted for name, wanted in LOCKED.items()),
        reason=f"the pictures were made with {LOCKED}",
    ),
]


def app_on(demo: DemoStore, **options: object) -> MemhtmlApp:
    given = Options(now=NOW, embed=False, demo=demo.root, **options)  # type: ignore[arg-type]
    return MemhtmlApp(demo.open, given)


@pytest.mark.parametrize("size", [(120, 40), (80, 24), (40, 12)], ids=["120x40", "80x24", "40x12"])
def test_every_view(demo: DemoStore, picture: Picture, size: tuple[int, int]) -> None:
    async def steps(pilot: AppPilot) -> None:
        app = app_of(pilot)
        await picture(pilot, "browse")
        await typed(pilot, QUESTION)
        await pilot.press("down", "j")
        await picture(pilot, "search")
        await pilot.press("2")
        await picture(pilot, "pack")
        await pilot.press("t")
        await picture(pilot, "pack-text")
        await pilot.press("escape", "1", "space")
        await until(pilot, lambda: app.current_mode == "memory")
        await picture(pilot, "memory-peek")
        await pilot.press("plus")
        await until(pilot, lambda: app.session.writes == 1)
        await picture(pilot, "memory-opened")
        await pilot.press("f1")
        await picture(pilot, "help")

    drive(app_on(demo), steps, size)


def test_scope_chips_and_an_empty_answer(demo: DemoStore, picture: Picture) -> None:
    async def steps(pilot: AppPilot) -> None:
        await typed(pilot, "ws:night-tram tag:settlement retry")
        await picture(pilot, "chips")
        await pilot.press("ctrl+u")
        await typed(pilot, "tag:nowhere where does the key hang")
        await picture(pilot, "empty")

    drive(app_on(demo), steps)


def test_missing_arms_are_named(tmp_path: Path, picture: Picture) -> None:
    async def steps(pilot: AppPilot) -> None:
        await typed(pilot, "readers")
        assert "degraded" in screen_text(app_of(pilot))
        await picture(pilot, "degraded")

    drive(MemhtmlApp(lambda progress, cancel: FakeStore(tmp_path, embedder=None), Options(now=NOW)), steps)


def test_no_colour_ascii_and_light(
    demo: DemoStore, picture: Picture, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def light(pilot: AppPilot) -> None:
        await typed(pilot, QUESTION)
        await picture(pilot, "light-ascii")

    drive(app_on(demo, theme="memhtml-light", glyphs="ascii"), light)
    monkeypatch.setenv("NO_COLOR", "1")

    async def grey(pilot: AppPilot) -> None:
        assert pilot.app.theme == "memhtml-dark"
        await typed(pilot, QUESTION)
        await picture(pilot, "no-colour")

    drive(app_on(demo, theme="textual-ansi"), grey, (80, 24))
