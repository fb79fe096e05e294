"""The scope builder, chips, go to and Browse, driven by keys."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from memhtml_core.browse.empty import EmptyReason, WhyEmpty
from memhtml_core.rank.outcome import ArchivedPointer
from memhtml_core.rank.request import FacetFilter, Scope
from memhtml_tui.keys import acts
from memhtml_tui.panes.browsing import BrowseTable
from memhtml_tui.panes.builder import ScopeBuilder
from memhtml_tui.panes.scope import Chip
from memhtml_tui.screens.goto import GoToDialog, PlaceList
from memhtml_tui.screens.scopedialog import ScopeDialog
from tests.counts import sizes
from tests.ui.conftest import DemoStore, MakeApp
from tests.ui.driving import AppPilot, app_of, drive, screen_text, settled, still, typed, until
from tests.ui.fakes import FakeStore, card
from tests.ui.test_hostile import NASTY, check, nasty_cards


def builder_of(pilot: AppPilot) -> ScopeBuilder:
    return pilot.app.screen.query_one(ScopeBuilder)


def chosen(pilot: AppPilot) -> list[str]:
    return [each.value for each in builder_of(pilot).values.choices if each.chosen and each.kind == "value"]


def test_the_pane_builds_a_scope_beside_the_list(store: FakeStore, make_app: MakeApp) -> None:
    store.tags = {f"tag-{n:03}": 300 - n for n in range(300)}

    async def steps(pilot: AppPilot) -> None:
        app = app_of(pilot)
        await pilot.press("down", "f")
        await settled(pilot)
        builder = builder_of(pilot)
        assert builder.values.has_focus
        assert app.screen.query_one(BrowseTable).display
        await pilot.press("space")
        await settled(pilot)
        assert app.session.request.scope == Scope(("semantic",))
        assert builder.typed.value == "type:semantic"
        assert store.counted[-1] == Scope(("semantic",))
        await pilot.press("slash")
        assert builder.narrow.has_focus
        await typed(pilot, "tag 25")
        assert [each.value for each in builder.values.choices][1:] == ["tag-025", "tag-125", "tag-225"] + [
            f"tag-{n}" for n in range(250, 260)
        ]
        await pilot.press("down", "enter")
        await settled(pilot)
        assert app.session.request.scope == Scope(("semantic",), tags=("tag-125",))
        assert builder.values.current is not None
        assert builder.values.current.value == "tag-125"
        await pilot.press("escape")
        assert builder.values.has_focus
        assert builder.narrow.value == "tag 25"
        await pilot.press("X")
        await settled(pilot)
        assert app.session.request.scope == Scope()
        await pilot.press("escape")
        await settled(pilot)
        assert not app.screen.query(ScopeBuilder)
        assert app.screen.query_one(BrowseTable).has_focus

    drive(make_app(store), steps)


def test_the_typed_form_and_the_builder_are_one_scope(store: FakeStore, make_app: MakeApp) -> None:
    async def steps(pilot: AppPilot) -> None:
        app = app_of(pilot)
        await pilot.press("down", "f")
        await settled(pilot)
        builder = builder_of(pilot)
        builder.typed.focus()
        await typed(pilot, "nonsense")
        await pilot.press("enter")
        await until(pilot, lambda: "not a scope word" in screen_text(app))
        assert builder.typed.has_focus
        await pilot.press("ctrl+u")
        await typed(pilot, 'tag:"night shift" facet:tier=1 type:fable')
        await pilot.press("enter")
        await settled(pilot)
        scope = Scope(("fable",), tags=("night shift",), facets=(FacetFilter("tier", "1"),))
        assert app.session.request.scope == scope
        assert chosen(pilot) == ["night shift", "1", "no"]
        assert "ignored: type:fable" in screen_text(app)
        await pilot.press("G", "enter")
        await settled(pilot)
        assert builder.typed.has_focus
        assert builder.typed.value.endswith(" as-of:")
        await pilot.press("escape")
        assert builder.typed.value == 'type:fable tag:"night shift" facet:tier=1'
        assert app.session.request.scope == scope

    drive(make_app(store), steps)


def test_under_100_columns_it_is_a_dialog_and_a_pane_goes_on_as_one(
    store: FakeStore, make_app: MakeApp
) -> None:
    async def steps(pilot: AppPilot) -> None:
        app = app_of(pilot)
        await pilot.press("down", "f")
        await settled(pilot)
        await pilot.press("right", "space")
        await settled(pilot)
        assert app.session.request.scope == Scope(workspace="payments")
        await pilot.resize_terminal(80, 24)
        await until(pilot, lambda: isinstance(app.screen, ScopeDialog))
        await settled(pilot)
        assert chosen(pilot) == ["payments", "no"]
        await pilot.press("slash", "space")
        await settled(pilot)
        assert app.session.request.scope == Scope(("semantic",), workspace="payments")
        await pilot.press("escape", "X")
        await settled(pilot)
        assert app.session.request.scope == Scope()
        await pilot.press("escape")
        await settled(pilot)
        assert not isinstance(app.screen, ScopeDialog)
        await pilot.press("f")
        await until(pilot, lambda: isinstance(app.screen, ScopeDialog))
        for width, height in ((40, 12), (20, 6), (120, 40)):
            await pilot.resize_terminal(width, height)
            await still(pilot)
            check(pilot)
        assert app.session.writes == 0

    drive(make_app(store), steps)


def test_chips_are_reached_and_removed_by_key(store: FakeStore, make_app: MakeApp) -> None:
    async def steps(pilot: AppPilot) -> None:
        app = app_of(pilot)
        await typed(pilot, "ws:payments tag:a tag:b facet:tier=1 readers")
        await until(pilot, lambda: "ws:payments -7" in screen_text(app))
        assert "tag:a ✕  or  tag:b" in screen_text(app)
        app.screen.query(Chip).first().focus()
        await pilot.press("right")
        assert isinstance(app.focused, Chip)
        assert app.focused.word == "tag:a"
        await pilot.press("x")
        await settled(pilot)
        await until(pilot, lambda: isinstance(app.focused, Chip) and app.focused.word == "tag:b")
        await pilot.press("x", "x")
        await settled(pilot)
        assert app.session.request.scope == Scope(workspace="payments")
        await pilot.press("a")
        await settled(pilot)
        assert app.session.request.scope == Scope(workspace="payments", include_archived=True)
        await pilot.press("a", "X")
        await settled(pilot)
        assert app.session.request.scope == Scope()
        assert app.session.request.query == "readers"

    drive(make_app(store), steps)


def test_an_empty_list_is_explained_and_archived_ones_are_a_key_away(
    store: FakeStore, make_app: MakeApp
) -> None:
    pointer = ArchivedPointer("archive/old.html", "areas/new.html")
    store.why = WhyEmpty(
        EmptyReason.SCOPE, (), ("none of 10 memories is in scope",), 10, 0, (), (), 1, (pointer,)
    )

    async def steps(pilot: AppPilot) -> None:
        app = app_of(pilot)
        await typed(pilot, "ws:elsewhere ")
        await until(pilot, lambda: "The scope is empty." in screen_text(app))
        text = screen_text(app)
        assert "none of 10 memories is in scope" in text
        assert "archive/old.html → superseded by areas/new.html" in text
        await typed(pilot, "nothing")
        await until(pilot, lambda: "The scope is empty." in screen_text(app))
        await pilot.press("escape", "a")
        await settled(pilot)
        assert app.session.request.scope == Scope(workspace="elsewhere", include_archived=True)
        assert app.session.request.query == "nothing"

    drive(make_app(store), steps)


def test_go_to_finds_by_letters_and_only_peeks(demo: DemoStore, make_app: MakeApp) -> None:
    from tests.ui.test_pictures import app_on

    async def steps(pilot: AppPilot) -> None:
        app = app_of(pilot)
        await pilot.press("down", "colon")
        await until(pilot, lambda: isinstance(app.screen, GoToDialog))
        await typed(pilot, "anemom")
        await until(pilot, lambda: "found" in screen_text(app))
        places = app.screen.query_one(PlaceList)
        path = places.places[0].path
        assert "anemometer" in path
        await typed(pilot, " zzz")
        await until(pilot, lambda: "no memory has this" in screen_text(app))
        await pilot.press("enter", *["backspace"] * 4)
        await until(pilot, lambda: bool(places.places))
        await pilot.press("enter")
        await until(pilot, lambda: app.current_mode == "memory")
        assert app.state.opened is not None
        assert app.state.opened.view.path == path
        assert app.session.writes == 0
        await pilot.press("colon", "escape")
        await settled(pilot)
        assert app.current_mode == "memory"

    drive(app_on(demo), steps)


def test_browse_turns_round_and_pages(tmp_path: Path, make_app: MakeApp) -> None:
    cards = [card(number, f"memory number {number:03}") for number in range(1, 251)]
    cards[0] = replace(cards[0], memory_type="task", task_status="todo", due_at="2025-01-01")
    store = FakeStore(tmp_path, cards=cards)

    async def steps(pilot: AppPilot) -> None:
        app = app_of(pilot)
        await pilot.press("down", "s", "S")
        await settled(pilot)
        browse = app.screen.query_one(BrowseTable)
        assert browse.paths[0] == cards[249].path
        assert "title↓" in screen_text(app)
        await pilot.press("full_stop", "full_stop", "full_stop")
        await settled(pilot)
        assert "201-250 of 250" in screen_text(app)
        assert browse.paths[-1] == cards[0].path
        await pilot.press("G")
        await until(pilot, lambda: "todo" in screen_text(app))
        await pilot.press("comma")
        await settled(pilot)
        assert "101-200 of 250" in screen_text(app)

    drive(make_app(store), steps)


@pytest.mark.parametrize("size", sizes((120, 40), (40, 12)))
def test_stored_text_does_not_act_in_builder_chips_and_go_to(
    tmp_path: Path, make_app: MakeApp, size: tuple[int, int]
) -> None:
    store = FakeStore(tmp_path, cards=nasty_cards(), tags={text: 3 for text in NASTY if text.strip()})

    async def steps(pilot: AppPilot) -> None:
        app = app_of(pilot)
        await pilot.press("down", "f")
        await settled(pilot)
        for _ in range(4):
            await pilot.press("space", "j", "space", "j", "space", "right")
            await still(pilot)
            check(pilot)
        scope = app.session.request.scope
        assert any("\x1b" in tag for tag in scope.tags)
        assert scope.entity
        await pilot.press("escape", "escape", "colon")
        await until(pilot, lambda: isinstance(app.screen, GoToDialog))
        await typed(pilot, "e")
        await still(pilot)
        check(pilot)

    drive(make_app(store), steps, size)


@pytest.mark.parametrize(
    "places",
    [
        ("values", "lines", "search", "app"),
        ("values", "lines", "pack", "app"),
        ("places", "lines"),
        ("chip", "search", "app"),
        ("chip", "pack", "app"),
        ("narrow",),
    ],
)
def test_no_key_means_two_things_where_a_scope_is_made(places: tuple[str, ...]) -> None:
    keys = [key for act in acts(*places) for key in act.keys.split(",")]
    assert sorted(keys) == sorted(set(keys))
