"""Pictures of what the Pack and the Memory view do beyond showing, at the three sizes."""

from __future__ import annotations

from pathlib import Path

import pytest

from memhtml_tui.panes.choices import Choices, Goal
from memhtml_tui.screens.memory import ReadingView
from memhtml_tui.settings import Options
from tests.ui import test_pictures
from tests.ui.conftest import MakeApp
from tests.ui.driving import AppPilot, app_of, drive, typed, until
from tests.ui.fakes import NOW, FakeStore
from tests.ui.test_pictures import Picture

pytestmark = test_pictures.pytestmark


@pytest.mark.parametrize("size", [(120, 40), (80, 24), (40, 12)], ids=["120x40", "80x24", "40x12"])
def test_pack_and_memory_at_work(
    store: FakeStore,
    make_app: MakeApp,
    picture: Picture,
    monkeypatch: pytest.MonkeyPatch,
    size: tuple[int, int],
) -> None:
    async def steps(pilot: AppPilot) -> None:
        app = app_of(pilot)
        monkeypatch.setattr(app, "notify", lambda *args, **kwargs: None)
        await typed(pilot, "readers")
        await pilot.press("down", "2")
        await until(pilot, lambda: app.state.recall is not None)
        await pilot.press("j", "B", "left_curly_bracket", "right_parenthesis")
        if size[0] < 100:
            await pilot.press("t")
        await picture(pilot, "kept")
        monkeypatch.setattr(Path, "cwd", lambda: Path("/home/robin"))
        await pilot.press("E")
        await picture(pilot, "export")
        await pilot.press("escape", "1", "space")
        await until(pilot, lambda: app.current_mode == "memory")
        view = app.view
        assert isinstance(view, ReadingView)
        await until(pilot, lambda: view.known.past is not None and view.known.around is not None)
        await pilot.press("l", "j")
        await picture(pilot, "around")
        await pilot.press("G", "k", "space")
        await until(pilot, lambda: app.screen is not view)
        await picture(pilot, "versions")
        await pilot.press("escape")
        with monkeypatch.context() as there:
            there.setattr(Choices, "goal", Goal("link", "https://example.org/reader"))
            await pilot.press("space")
        await until(pilot, lambda: app.screen is not view)
        await picture(pilot, "link")
        await pilot.press("escape", "slash")
        await typed(pilot, "writer")
        await picture(pilot, "find")
        await pilot.press("escape", "v")
        await until(pilot, lambda: view.known.source is not None)
        await picture(pilot, "source")

    drive(make_app(store, Options(now=NOW)), steps, size)
