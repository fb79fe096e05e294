"""The Search view: type, see ranks, see why; browse; scope; the cursor; back."""

from __future__ import annotations

from pathlib import Path

import pytest
from textual import events

from memhtml_core.rank.request import FacetFilter, Scope
from memhtml_tui.panes.browsing import BrowseTable
from memhtml_tui.panes.query import QueryInput
from memhtml_tui.panes.ranks import RankTable
from memhtml_tui.panes.scope import Chip
from memhtml_tui.panes.textview import TextView
from memhtml_tui.settings import Options
from tests.counts import long
from tests.ui.conftest import MakeApp
from tests.ui.driving import AppPilot, app_of, drive, screen_text, settled, typed, until
from tests.ui.fakes import NOW, FakeStore, card


def test_typing_shows_ranks_and_their_reasons(store: FakeStore, make_app: MakeApp) -> None:
    async def steps(pilot: AppPilot) -> None:
        app = app_of(pilot)
        await typed(pilot, "one writer")
        ranks = app.screen.query_one(RankTable)
        assert ranks.display
        assert ranks.row_count == 10
        first = ranks.get_row_at(0)
        assert first[1].plain.startswith("WAL admits one writer and many")
        assert [cell.plain for cell in (first[0], *first[2:7])] == ["1", "1", "2", "10", "1", "0.0462"]
        assert "-" in [cell.plain for cell in ranks.get_row_at(1)]
        why = app.screen.query_one("#why", TextView).plain
        assert "1.00/(60+1)  = 0.0164" in why
        assert "chosen 1" in why
        assert "«writer»" in why

    drive(make_app(store), steps)
    assert store.searches[-1][0].query == "one writer"


def test_keys_typed_in_a_row_make_one_search(store: FakeStore, make_app: MakeApp) -> None:
    async def steps(pilot: AppPilot) -> None:
        field = app_of(pilot).screen.query_one(QueryInput)
        for end in range(1, 8):
            field.value = "readers"[:end]
        await settled(pilot)

    drive(make_app(store), steps)
    assert [request.query for request, _ in store.searches] == ["readers"]


def test_an_older_answer_never_replaces_a_newer_one(store: FakeStore, make_app: MakeApp) -> None:
    store.slow = {"three": 30.0}

    async def steps(pilot: AppPilot) -> None:
        app = app_of(pilot)
        for key in "three":
            await pilot.press(key)
        await until(pilot, lambda: len(store.searches) == 1)
        await until(pilot, lambda: "searching" in screen_text(app))
        for key in "five":
            await pilot.press(key)
        await settled(pilot)
        assert app.state.answer is not None
        assert app.state.answer.request.query == "threefive"
        assert app.screen.query_one(RankTable).row_count == 10

    drive(make_app(store), steps)


def test_ctrl_c_stops_a_running_search_and_else_says_how_to_quit(store: FakeStore, make_app: MakeApp) -> None:
    store.slow = {"three": 30.0}

    async def steps(pilot: AppPilot) -> None:
        app = app_of(pilot)
        await typed(pilot, "readers")
        await pilot.press("down", "ctrl+c")
        await until(pilot, lambda: "ctrl+q quits" in screen_text(app))
        await pilot.press("slash", "ctrl+u")
        for key in "three":
            await pilot.press(key)
        await until(pilot, lambda: store.searches[-1][0].query == "three")
        await pilot.press("down", "ctrl+c")
        await until(pilot, lambda: not app.session.busy)
        assert app.state.answer is not None
        assert app.state.answer.request.query == "readers"

    drive(make_app(store), steps)


def test_the_cursor_stays_on_its_memory_and_exists_after_every_refresh(
    store: FakeStore, make_app: MakeApp
) -> None:
    async def steps(pilot: AppPilot) -> None:
        app = app_of(pilot)
        await typed(pilot, "any")
        await pilot.press("down", "j", "j")
        ranks = app.screen.query_one(RankTable)
        kept = ranks.pointed
        assert kept == store.cards[2].path
        await pilot.press("slash", "ctrl+u")
        await typed(pilot, "reversed")
        assert ranks.pointed == kept
        assert ranks.cursor_row == 7
        await pilot.press("ctrl+u")
        await typed(pilot, "nothing")
        assert "No match" in screen_text(app)
        await pilot.press("ctrl+u")
        await typed(pilot, "three")
        assert ranks.pointed in [each.path for each in store.cards[:3]]

    drive(make_app(store), steps)


def test_an_empty_query_is_browse_and_sorts(store: FakeStore, make_app: MakeApp) -> None:
    async def steps(pilot: AppPilot) -> None:
        app = app_of(pilot)
        browse = app.screen.query_one(BrowseTable)
        assert browse.display
        assert browse.row_count == 10
        await pilot.press("down", "s")
        await settled(pilot)
        assert app.state.page is not None
        assert app.state.page.sort == "title"
        assert browse.paths[0] == sorted(store.cards, key=lambda c: c.title)[0].path
        await pilot.press("slash")
        await typed(pilot, "any")
        assert not browse.display
        await pilot.press("ctrl+u")
        await settled(pilot)
        assert browse.display

    drive(make_app(store), steps)
    assert all(request.query for request, _ in store.searches)


def test_browse_turns_pages_at_its_edges(tmp_path: Path, make_app: MakeApp) -> None:
    store = FakeStore(tmp_path, cards=[card(number, f"memory number {number}") for number in range(1, 251)])

    async def steps(pilot: AppPilot) -> None:
        app = app_of(pilot)
        browse = app.screen.query_one(BrowseTable)
        assert browse.row_count == 100
        await pilot.press("down", "G", "j")
        await settled(pilot)
        assert "101-200 of 250" in screen_text(app)
        assert browse.pointed == store.cards[100].path
        await pilot.press("k")
        await settled(pilot)
        assert "1-100 of 250" in screen_text(app)
        assert browse.pointed == store.cards[99].path

    drive(make_app(store), steps)


def test_scope_words_in_the_query_become_chips_and_go_again(store: FakeStore, make_app: MakeApp) -> None:
    async def steps(pilot: AppPilot) -> None:
        app = app_of(pilot)
        await typed(pilot, "type:semantic facet:tier=1 many readers")
        assert app.session.request.query == "many readers"
        assert app.session.request.scope == Scope(("semantic",), facets=(FacetFilter("tier", "1"),))
        assert len(app.screen.query(Chip)) == 2
        assert app.screen.query_one(QueryInput).value == "many readers"
        await pilot.press("down", "x")
        await settled(pilot)
        assert app.session.request.scope == Scope(("semantic",))
        await pilot.press("X")
        await settled(pilot)
        assert app.session.request.scope == Scope()
        assert not app.screen.query(Chip)

    drive(make_app(store), steps)


def test_a_half_written_scope_word_is_neither_scope_nor_query(store: FakeStore, make_app: MakeApp) -> None:
    async def steps(pilot: AppPilot) -> None:
        app = app_of(pilot)
        await typed(pilot, "readers ws:pay")
        assert app.session.request.query == "readers"
        assert app.session.request.scope == Scope()
        await pilot.press("enter")
        await settled(pilot)
        assert app.session.request.scope.workspace == "pay"

    drive(make_app(store), steps)


def test_an_empty_list_says_why(store: FakeStore, make_app: MakeApp) -> None:
    async def steps(pilot: AppPilot) -> None:
        app = app_of(pilot)
        await typed(pilot, "ws:elsewhere nothing")
        assert "No match in this scope." in screen_text(app)
        await pilot.press("ctrl+u")
        await settled(pilot)
        assert "No memory in this scope." in screen_text(app)

    drive(make_app(store), steps)


def test_a_pasted_block_is_joined_by_spaces_and_cleaned(store: FakeStore, make_app: MakeApp) -> None:
    async def steps(pilot: AppPilot) -> None:
        app = app_of(pilot)
        field = app.screen.query_one(QueryInput)
        field.post_message(events.Paste("first line\nsecond\tline\r\n\x1b]0;PWNED\x07third\n"))
        await until(pilot, lambda: bool(field.value))
        await settled(pilot)
        assert field.value == "first line second line third"
        assert app.session.request.query == "first line second line third"

    drive(make_app(store), steps)


@pytest.mark.parametrize("text", ["[@click=app.bell]", *long("[/", "[/b] [", "\\[", "[red]", "]")])
def test_brackets_typed_key_by_key_are_only_there(store: FakeStore, make_app: MakeApp, text: str) -> None:
    async def steps(pilot: AppPilot) -> None:
        app = app_of(pilot)
        for character in text:
            await typed(pilot, character)
        assert app.screen.query_one(QueryInput).value == text
        assert text in screen_text(app)

    drive(make_app(store), steps)


def test_escape_goes_back_step_by_step_and_never_quits(store: FakeStore, make_app: MakeApp) -> None:
    async def steps(pilot: AppPilot) -> None:
        app = app_of(pilot)
        await typed(pilot, "readers")
        await pilot.press("escape")
        assert isinstance(app.focused, RankTable)
        await pilot.press("2")
        await settled(pilot)
        await pilot.press("space")
        await until(pilot, lambda: app.current_mode == "memory")
        await pilot.press("escape")
        await pilot.pause()
        assert app.current_mode == "pack"
        await pilot.press("escape")
        await pilot.pause()
        assert app.current_mode == "search"
        for _ in range(4):
            await pilot.press("escape")
            await pilot.pause()
        assert app.is_running
        assert app.screen.query_one(QueryInput).value == "readers"

    drive(make_app(store), steps)


def test_a_query_given_at_the_start_is_run(store: FakeStore, make_app: MakeApp) -> None:
    async def steps(pilot: AppPilot) -> None:
        assert app_of(pilot).screen.query_one(RankTable).row_count == 10

    drive(make_app(store, Options(now=NOW, query="readers")), steps)
