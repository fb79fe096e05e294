"""The Pack view: tiers with reasons, budgets by keys and by number, the exact text."""

from __future__ import annotations

import pytest

from memhtml_core.pack.render import render
from memhtml_tui.panes.packing import PackTable
from memhtml_tui.panes.textview import TextView
from memhtml_tui.screens.dialogs import NumberDialog
from tests.ui.conftest import MakeApp
from tests.ui.driving import AppPilot, app_of, drive, screen_text, settled, typed, until
from tests.ui.fakes import FakeStore


def test_the_pack_shows_tiers_reasons_and_the_exact_text(store: FakeStore, make_app: MakeApp) -> None:
    async def steps(pilot: AppPilot) -> None:
        app = app_of(pilot)
        await typed(pilot, "readers")
        await pilot.press("down", "2")
        await settled(pilot)
        entries = app.screen.query_one(PackTable)
        assert [cell.plain for cell in entries.get_row_at(0)][:2] == ["a1", "● F"]
        assert [cell.plain for cell in entries.get_row_at(3)][:2] == ["3", "◐ D"]
        await pilot.press("j", "j", "j")
        await pilot.pause()
        reason = app.screen.query_one("#reason", TextView).plain
        assert "capped by entity sqlite" in reason.replace("\n", " ")
        answer = app.state.recall
        assert answer is not None
        assert answer.pack is not None
        assert answer.rendered == render("readers", answer.pack)
        shown = app.screen.query_one("#exact", TextView).plain
        assert shown.startswith("# Recall: readers")
        assert "".join(shown.split()) == "".join(answer.rendered.text.split())

    drive(make_app(store), steps)


def test_budget_keys_change_the_envelope_under_the_cursor(store: FakeStore, make_app: MakeApp) -> None:
    async def steps(pilot: AppPilot) -> None:
        app = app_of(pilot)
        await typed(pilot, "readers")
        await pilot.press("down", "2")
        await settled(pilot)
        await pilot.press("left_square_bracket")
        await settled(pilot)
        ranking = app.session.request.ranking
        assert (ranking.arcs_budget, ranking.memories_budget) == (8_000, 16_000)
        await pilot.press("j", "right_square_bracket", "right_square_bracket")
        await settled(pilot)
        ranking = app.session.request.ranking
        assert (ranking.arcs_budget, ranking.memories_budget) == (8_000, 18_000)
        assert "of 18,000" in screen_text(app)
        await pilot.press("b")
        await until(pilot, lambda: isinstance(app.screen, NumberDialog))
        await pilot.press("ctrl+u", "x", "enter")
        await pilot.pause()
        assert "a whole number" in screen_text(app)
        await pilot.press("ctrl+u", "3", "0", "0", "enter")
        await settled(pilot)
        assert app.session.request.ranking.memories_budget == 300
        assert app.state.recall is not None
        assert app.state.recall.pack is not None
        assert app.state.recall.pack.memories.spent <= 300
        for _ in range(3):
            await pilot.press("left_square_bracket")
        await settled(pilot)
        assert app.session.request.ranking.memories_budget == 0

    drive(make_app(store), steps)


@pytest.mark.parametrize("size", [(80, 24), (40, 12)])
def test_on_small_screens_t_swaps_list_and_text(
    store: FakeStore, make_app: MakeApp, size: tuple[int, int]
) -> None:
    async def steps(pilot: AppPilot) -> None:
        app = app_of(pilot)
        await typed(pilot, "readers")
        await pilot.press("down", "2")
        await settled(pilot)
        assert "# Recall" not in screen_text(app)
        await pilot.press("t")
        await pilot.pause()
        assert "# Recall: readers" in screen_text(app)
        assert app.focused is app.screen.query_one("#exact")
        await pilot.press("escape")
        await pilot.pause()
        assert "# Recall" not in screen_text(app)
        assert app.current_mode == "pack"

    drive(make_app(store), steps, size)


def test_a_query_written_in_the_pack_view_is_the_one_of_the_search_view(
    store: FakeStore, make_app: MakeApp
) -> None:
    async def steps(pilot: AppPilot) -> None:
        app = app_of(pilot)
        await pilot.press("down", "2")
        await settled(pilot)
        await pilot.press("slash")
        await typed(pilot, "three")
        assert app.screen.query_one(PackTable).row_count == 3
        await pilot.press("down", "1")
        await settled(pilot)
        assert app.state.answer is not None
        assert app.state.answer.request.query == "three"
        assert app.state.page is None

    drive(make_app(store), steps)
