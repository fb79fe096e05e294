"""What a newcomer tripped over: words that promise too much, lines that cover others, counts that stay."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from types import SimpleNamespace
from typing import Any, cast

import pytest

from memhtml_core.access.rows import AccessRow
from memhtml_core.rank.request import Ranking, Request
from memhtml_tui.jobs import Job
from memhtml_tui.look import Look
from memhtml_tui.messages import StoreProgress
from memhtml_tui.panes.draw import query_words
from memhtml_tui.panes.query import run_fits
from memhtml_tui.panes.ranks import RankTable
from memhtml_tui.panes.status import head_text, nothing_text
from memhtml_tui.panes.usage import before_text, instant_of
from memhtml_tui.screens.dialogs import NumberDialog
from memhtml_tui.screens.search import SearchView
from memhtml_tui.settings import Options
from memhtml_tui.upkeep import Upkeep
from tests.ui.conftest import MakeApp
from tests.ui.driving import AppPilot, app_of, drive, screen_text, settled, typed, until
from tests.ui.fakes import NOW, FakeStore, default_cards, outcome_of

LOOK = Look("unicode")


def used(seconds_ago: int) -> AccessRow:
    at = instant_of(NOW - seconds_ago)
    return AccessRow("areas/a.html", 3, 0, 0.0, at, None, at)


def test_while_cooling_down_nothing_is_said_to_count() -> None:
    cooling = before_text(used(60), NOW, read_only=False).plain
    assert "nothing counts" in cooling
    assert "judge" not in cooling
    counting = before_text(used(3600), NOW, read_only=False).plain
    assert "counts: 3 to 4" in counting
    assert "at once" not in counting


def test_a_one_letter_word_is_not_marked() -> None:
    assert query_words('"a" AND "kettle" OR "c日"') == {"kettle", "c日"}
    assert query_words('"日"') == {"日"}


@pytest.mark.parametrize(("mmr", "words"), [(True, "in MMR order"), (False, "in fused order")])
def test_the_list_says_its_order(mmr: bool, words: str) -> None:
    request = Request("readers", NOW, limit=4, ranking=Ranking(mmr=mmr))
    table = RankTable(LOOK)
    table._outcome = outcome_of(default_cards(), request, b"\0" * 16)
    assert words in table.heading()


def test_problems_in_the_header_say_where_they_are_listed(store: FakeStore) -> None:
    facts = replace(store.facts(), problems=3)
    head = head_text(facts, LOOK, 200, "search", writes=0, read_only=False, demo=True)
    assert "3 problems (5)" in head.plain
    one = head_text(replace(facts, problems=1), LOOK, 200, "search", writes=0, read_only=False, demo=True)
    assert "1 problem (5)" in one.plain


def test_an_empty_list_says_that_its_keys_act_outside_the_query(store: FakeStore) -> None:
    outcome = replace(outcome_of([], Request("x", NOW), b"\0" * 16), scope_empty=True)
    answer = cast("Any", SimpleNamespace(outcome=outcome))
    assert "esc leaves the query; then x" in nothing_text(answer, None, LOOK).plain
    assert "esc leaves the query; then x" in nothing_text(None, cast("Any", object()), LOOK).plain


@pytest.mark.parametrize(
    ("query", "run", "width", "fits"),
    [(10, 20, 40, True), (16, 20, 40, True), (17, 20, 40, False), (0, 38, 40, False), (70, 0, 40, True)],
)
def test_how_the_run_went_gives_way_to_the_query(query: int, run: int, width: int, fits: bool) -> None:
    assert run_fits(query, run, width) is fits


def test_progress_ends_also_where_no_vector_came() -> None:
    told: list[Any] = []
    jobs: list[Job[Any]] = []
    upkeep = Upkeep(Options(follow=False), told.append, jobs.append, lambda store: None)
    upkeep._embed(cast("Any", SimpleNamespace(embed=lambda progress, stopped: False)))
    assert [message.progress for message in told if isinstance(message, StoreProgress)] == [None]
    assert jobs == []


def test_a_typed_budget_takes_the_place_of_the_old_one_however_fast(
    store: FakeStore, make_app: MakeApp
) -> None:
    async def steps(pilot: AppPilot) -> None:
        app = app_of(pilot)
        await typed(pilot, "readers")
        await pilot.press("down", "2")
        await settled(pilot)
        await pilot.press("b")
        await until(pilot, lambda: isinstance(app.screen, NumberDialog))
        await pilot.press("5", "0", "0", "enter")
        await settled(pilot)
        assert app.session.request.ranking.arcs_budget == 500
        app.simulate_key("b")
        while not isinstance(app.screen, NumberDialog):
            await asyncio.sleep(0)
        for key in ("ctrl+u", "6", "5", "0", "enter"):
            app.simulate_key(key)
        await asyncio.sleep(0.3)
        await settled(pilot)
        assert app.current_mode == "pack"
        assert app.session.request.ranking.arcs_budget == 650

    drive(make_app(store), steps)


def test_the_footer_offers_what_acts_and_keeps_the_help(store: FakeStore, make_app: MakeApp) -> None:
    async def steps(pilot: AppPilot) -> None:
        app = app_of(pilot)
        await typed(pilot, "readers")
        await pilot.press("down")
        await settled(pilot)
        keys = screen_text(app).split("\n")[-1]
        assert "helpful" in keys
        await pilot.press("enter")
        await settled(pilot)
        assert "helpful" not in screen_text(app).split("\n")[-1]
        await pilot.press("escape")
        await settled(pilot)
        assert isinstance(app.screen, SearchView)
        assert "helpful" not in screen_text(app).split("\n")[-1]
        await pilot.press("down")
        await settled(pilot)
        assert "helpful" in screen_text(app).split("\n")[-1]
        await pilot.resize_terminal(40, 12)
        await pilot.pause(0.1)
        keys = screen_text(app).split("\n")[-1]
        assert "F1 help" in keys
        assert "…" in keys

    drive(make_app(store), steps, (200, 40))
