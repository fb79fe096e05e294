"""The Pack view's own acts: threshold, cap, order, kept pack, copy, export; nothing of it searches but the
order."""

from __future__ import annotations

from pathlib import Path

import pytest

from memhtml_core.pack.render import render
from memhtml_tui.panes.textview import TextView
from memhtml_tui.screens.questions import PathDialog
from tests.ui.conftest import MakeApp
from tests.ui.driving import AppPilot, app_of, drive, screen_text, settled, typed, until
from tests.ui.fakes import FakeStore


def test_numbers_fold_again_and_the_order_asks(store: FakeStore, make_app: MakeApp) -> None:
    async def steps(pilot: AppPilot) -> None:
        app = app_of(pilot)
        await typed(pilot, "readers")
        await pilot.press("down", "2")
        await settled(pilot)
        await pilot.press("j", "B")
        searches = len(store.searches)
        recall = app.state.recall
        assert recall is not None
        assert recall.steps is not None
        step = recall.steps.memories.down
        assert step is not None
        assert "fewer characters turn" in " ".join(app.screen.query_one("#budget", TextView).plain.split())
        assert app.screen.query_one("#changes").display
        await pilot.press("left_curly_bracket")
        await until(pilot, lambda: app.session.request.ranking.memories_budget == step.budget)
        assert f"of {step.budget:,}" in screen_text(app)
        changes = app.screen.query_one("#changes", TextView).plain
        for change in step.diff.changes:
            assert change.title[:20] in changes
        await pilot.press("right_parenthesis", "right_parenthesis", "left_parenthesis")
        await settled(pilot)
        assert app.session.request.ranking.per_entity == 3
        assert "cap 2 to 3" in " ".join(app.screen.query_one("#changes", TextView).plain.split())
        folded = app.state.recall
        assert folded is not None
        assert folded.pack is not None
        assert folded.rendered == render("readers", folded.pack)
        assert len(store.searches) == searches
        await pilot.press("O")
        await settled(pilot)
        assert len(store.searches) > searches
        assert store.searches[-1][0].ranking.pack_order == "diversified"
        assert "order diversified" in screen_text(app)
        await pilot.press("B")
        assert not app.screen.query_one("#changes").display

    drive(make_app(store), steps)


def test_copy_and_export_say_where_the_text_went(
    tmp_path: Path, make_app: MakeApp, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "store").mkdir()
    store = FakeStore(tmp_path / "store")
    home = tmp_path / "home"
    home.mkdir()
    monkeypatch.chdir(home)

    async def steps(pilot: AppPilot) -> None:
        app = app_of(pilot)
        await typed(pilot, "readers")
        await pilot.press("down", "2")
        await settled(pilot)
        await pilot.press("y")
        sent = "sent to the terminal's clipboard"
        await until(pilot, lambda: any(sent in each.message for each in app._notifications))
        assert app.state.recall is not None
        assert app.state.recall.rendered is not None
        assert app.clipboard == app.state.recall.rendered.text
        await pilot.press("E")
        await until(pilot, lambda: isinstance(app.screen, PathDialog))
        await pilot.press("ctrl+u")
        await typed(pilot, "../store/x")
        await pilot.press("enter")
        await until(pilot, lambda: "nothing is written into a store" in screen_text(app))
        await pilot.press("ctrl+u")
        await typed(pilot, "pack.md")
        await pilot.press("enter")
        await until(pilot, lambda: (home / "pack.md").exists())
        await until(pilot, lambda: "wrote " in screen_text(app))
        assert (home / "pack.md").read_text("utf-8") == app.state.recall.rendered.text

    drive(make_app(store), steps)
    assert list((tmp_path / "store").iterdir()) == []
    assert [path.name for path in home.iterdir()] == ["pack.md"]
