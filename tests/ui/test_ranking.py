"""The rank table: the rest of the pool, orders, columns, marks; and the keys that lead elsewhere."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from textual import events
from textual.widgets import OptionList

from memhtml_core.rank.arms import ARMS
from memhtml_core.rank.outcome import Outcome
from memhtml_core.rank.request import Request, Scope
from memhtml_tui.answers import Answer
from memhtml_tui.look import DARK, Look
from memhtml_tui.panes.ranking import END, orders, passed_over, ranked
from memhtml_tui.panes.ranks import EXTRA, RankTable
from memhtml_tui.panes.status import unseen_text
from memhtml_tui.requesttext import parse_request
from memhtml_tui.screens.choices import ChoiceDialog, FindDialog, SomeDialog
from memhtml_tui.settings import Options
from tests.ui.conftest import MakeApp
from tests.ui.driving import AppPilot, app_of, drive, screen_text, settled, typed, until
from tests.ui.fakes import NOW, FakeStore, card, default_cards, outcome_of

REGISTRY = tuple((arm.name, arm.letter, arm.label) for arm in ARMS)
LOOK = Look("unicode", dict(DARK.variables))


def made(limit: int = 4, **more: object) -> Outcome:
    outcome = outcome_of(default_cards(), Request("readers", NOW, limit=limit), b"\0" * 16)
    return replace(outcome, **more)  # type: ignore[arg-type]


def table(outcome: Outcome, **state: object) -> RankTable:
    """A table that has its rows without a screen."""
    made_table = RankTable(LOOK)
    for name, value in state.items():
        setattr(made_table, name, value)
    made_table._outcome, made_table._registry = outcome, REGISTRY
    made_table._arms = LOOK.arms(outcome, REGISTRY)
    made_table._rows = {row.path: row for row in ranked(outcome, rest=made_table.rest)}
    return made_table


def test_hits_first_then_the_rest_of_the_pool_in_fused_order() -> None:
    outcome = made()
    turned = replace(outcome, pool=outcome.pool[::-1])
    hits = [hit.path for hit in outcome.hits]
    rows = ranked(turned, rest=True)
    assert [row.path for row in ranked(turned, rest=False)] == hits
    assert [row.path for row in rows[:4]] == hits
    assert [row.place for row in rows] == [1, 2, 3, 4, *[None] * 6]
    fused = [row.candidate.position for row in rows[4:] if row.candidate]
    assert fused == sorted(fused)
    assert passed_over(turned) == 6
    assert [row.path for row in ranked(turned, rest=True, sort="polarity")] == [p for p, _ in turned.pool]


@pytest.mark.parametrize("arm", [arm.name for arm in ARMS])
def test_by_an_arm_what_it_did_not_see_stands_last(arm: str) -> None:
    rows = ranked(made(), rest=True, sort=arm)
    ranks = [row.candidate.ranks.get(arm) if row.candidate else None for row in rows]
    seen = [rank for rank in ranks if rank is not None]
    assert seen == sorted(seen)
    assert ranks == [*seen, *[None] * (len(ranks) - len(seen))]
    assert len({row.path for row in rows}) == 10


def test_an_order_by_an_arm_that_did_not_run_is_the_answers_own() -> None:
    outcome = made(arms=())
    assert "vector" not in dict(orders(outcome, REGISTRY))
    assert table(outcome, sort_by="vector").order_key == END
    assert table(made(), sort_by="vector").order_key == "vector"
    assert table(made(), sort_by="vector").heading().endswith("sorted: V vector")
    assert "6 passed over (p)" in table(made()).heading()


def test_rows_say_in_words_what_a_reader_must_not_overlook() -> None:
    cards = [
        replace(card(1, "old"), archived=True, superseded_by="areas/new.html"),
        card(2, "to do", memory_type="task"),
        card(3, "someone", memory_type="person"),
        card(4, "story", memory_type="arc"),
    ]
    outcome = outcome_of(cards, Request("readers", NOW, limit=3), b"\0" * 16)
    lines = [replace(c, ranks={"recency": c.position}) for c in outcome.candidates]
    shown = table(replace(outcome, candidates=tuple(lines)), rest=True)
    columns = shown.columns_for(100)
    wide = [replace(c, width=60) if c.grows else c for c in columns]
    titles = [shown.cells(each.path, wide)[1].plain for each in cards]
    assert titles[0].startswith("(habit) (archived) (superseded) old")
    assert titles[1].startswith("(habit) (task) to do")
    assert titles[2].startswith("(habit) (person) someone")
    assert titles[3].startswith("(passed over) (habit) (arc) story")
    assert "habit" not in table(outcome).cells(cards[0].path, wide)[1].plain


def test_chosen_columns_stand_in_their_order_as_far_as_they_fit() -> None:
    shown = table(made(), chosen_columns=("workspace", "vector", "updated"))
    assert [column.key for column in shown.columns_for(100)] == [
        "place",
        "title",
        "vector",
        "workspace",
        "updated",
    ]
    assert [column.key for column in shown.columns_for(30)] == ["place", "title", "vector"]
    every = table(made(), chosen_columns=(*(arm.name for arm in ARMS), *(key for key, _ in EXTRA)))
    for width in (20, 40, 80, 120, 200):
        columns = every.columns_for(width)
        taken = sum(c.width + 2 for c in columns if not c.grows) + 2 + every.MIN_GROW
        assert taken <= max(width, 15)


def test_snippets_come_on_wide_screens_with_the_match_in_sight() -> None:
    outcome = made(limit=10)
    far = replace(outcome.hits[0], snippet="plain words " * 30 + "then readers come")
    shown = table(replace(outcome, hits=(far, *outcome.hits[1:])))
    shown._words = frozenset({"readers"})
    assert "snippet" not in [column.key for column in shown.columns_for(100)]
    columns = shown.columns_for(140)
    place = [column.key for column in columns].index("snippet")
    wide = [replace(c, width=30) if c.grows else c for c in columns]
    cell = shown.cells(far.path, wide)[place]
    assert "«readers»" in cell.plain
    assert cell.cell_len <= columns[place].width


def test_nothing_seen_by_the_arms_that_read_is_said_loudly() -> None:
    outcome = made()
    habit = [replace(run, entries=()) if run.name in ("fts", "vector") else run for run in outcome.arms]
    blind = replace(outcome, arms=tuple(habit))
    answer = Answer(1, blind.request, blind, None, None, False)
    said = unseen_text(answer, LOOK)
    assert said is not None
    assert "neither lexical nor vector arm saw anything" in said.plain
    assert unseen_text(replace(answer, waiting=True), LOOK) is None
    assert unseen_text(replace(answer, outcome=outcome), LOOK) is None
    assert unseen_text(None, LOOK) is None


def test_pool_more_sort_and_columns_keep_the_cursor(store: FakeStore, make_app: MakeApp) -> None:
    async def steps(pilot: AppPilot) -> None:
        app = app_of(pilot)
        await typed(pilot, "readers")
        await pilot.press("down", "j", "j")
        ranks = app.screen.query_one(RankTable)
        kept = ranks.pointed
        assert kept is not None
        await pilot.press("p")
        await pilot.pause()
        assert len(ranks.paths) == 10
        assert ranks.pointed == kept
        assert "(passed over)" in screen_text(app)
        await pilot.press("s")
        await until(pilot, lambda: isinstance(app.screen, ChoiceDialog))
        await pilot.press("G", "enter")
        await until(pilot, lambda: ranks.sort_by == ARMS[-1].name)
        assert ranks.pointed == kept
        await pilot.press("c")
        await until(pilot, lambda: isinstance(app.screen, SomeDialog))
        await pilot.press("space", "enter")
        await until(pilot, lambda: ranks.chosen_columns is not None)
        assert ranks.chosen_columns is not None
        assert ARMS[0].name not in ranks.chosen_columns
        assert ranks.pointed == kept
        await pilot.press("m")
        await settled(pilot)
        assert app.session.request.limit == 14
        assert "new request" in screen_text(app)
        assert ranks.pointed == kept
        assert app.session.writes == 0

    drive(make_app(store, Options(now=NOW, limit=4)), steps)


def test_hops_back_forward_and_queries(store: FakeStore, make_app: MakeApp) -> None:
    async def steps(pilot: AppPilot) -> None:
        app = app_of(pilot)
        await typed(pilot, "readers")
        await pilot.press("down", "j", "j")
        kept = app.view.list_pane()
        assert kept is not None
        pointed = kept.pointed
        await pilot.press("h")
        await until(pilot, lambda: isinstance(app.screen, ChoiceDialog))
        await pilot.press("j", "enter")
        await until(pilot, lambda: app.session.request.scope == Scope(workspace="payments"))
        await settled(pilot)
        assert app.session.request.query == "readers"
        await pilot.press("space")
        await until(pilot, lambda: app.current_mode == "memory")
        await pilot.press("h")
        await until(pilot, lambda: isinstance(app.screen, ChoiceDialog))
        await pilot.press("G", "r")
        await until(pilot, lambda: app.current_mode == "search" and app.session.browsing)
        assert app.session.request.scope == Scope(entity="person:Robin Hale")
        await settled(pilot)
        await pilot.press("less_than_sign", "less_than_sign")
        await settled(pilot)
        assert app.session.request.query == "readers"
        assert app.session.request.scope == Scope()
        assert app.view.list_pane() is not None
        assert app.view.list_pane().pointed == pointed  # type: ignore[union-attr]
        assert "readers" in screen_text(app).split("\n")[2]
        await pilot.press("greater_than_sign")
        await settled(pilot)
        assert app.session.request.scope == Scope(workspace="payments")
        await pilot.press("less_than_sign", "less_than_sign", "less_than_sign")
        await settled(pilot)
        assert app.session.browsing
        await pilot.press("slash")
        await typed(pilot, "fog horn")
        await pilot.press("up")
        await settled(pilot)
        assert app.session.request.query == "readers"
        await pilot.press("down")
        await settled(pilot)
        assert app.session.request.query == "fog horn"
        await pilot.press("down", "H")
        await until(pilot, lambda: isinstance(app.screen, FindDialog))
        await pilot.press(*"ead")
        await until(pilot, lambda: app.screen.query_one(OptionList).option_count == 1)
        await pilot.press("enter")
        await until(pilot, lambda: app.session.request.query == "readers")
        await settled(pilot)
        assert app.session.writes == 0

    drive(make_app(store), steps)


def test_a_request_is_copied_and_pasted_as_a_line(store: FakeStore, make_app: MakeApp) -> None:
    async def steps(pilot: AppPilot) -> None:
        app = app_of(pilot)
        await typed(pilot, "readers")
        await pilot.press("down", "y")
        await pilot.pause()
        copied = app.clipboard
        assert copied.startswith(f"memhtml-tui search --store {store.root} --now ")
        assert parse_request(copied) == app.session.request
        assert "OSC 52" in screen_text(app)
        field = app.screen.query_one("#query")
        field.focus()
        field.post_message(events.Paste("memhtml-tui search --tag 'a b' --limit 3 'two \x1b]0;x\x07words'\n"))
        await until(pilot, lambda: app.session.request.limit == 3)
        await settled(pilot)
        assert app.session.request.scope.tags == ("a b",)
        assert app.session.request.query == "two words"
        field.post_message(events.Paste("memhtml-tui search --limit many x"))
        await until(pilot, lambda: "--limit many" in app.session.request.query)
        await settled(pilot)

    drive(make_app(store), steps)


def test_queries_of_earlier_sessions(store: FakeStore, make_app: MakeApp, tmp_path: Path) -> None:
    file = tmp_path / "state" / "queries.jsonl"

    async def first(pilot: AppPilot) -> None:
        await typed(pilot, "readers")
        await pilot.press("enter")
        await until(pilot, file.is_file)

    async def second(pilot: AppPilot) -> None:
        app = app_of(pilot)
        await until(pilot, lambda: app.travels.queries.entries == ("readers",))
        await pilot.press("up")
        await settled(pilot)
        assert app.session.request.query == "readers"

    drive(make_app(store, Options(now=NOW, history=file)), first)
    drive(make_app(FakeStore(tmp_path), Options(now=NOW, history=file)), second)
