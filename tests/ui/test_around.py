"""The Memory view acts: follow, find, source, versions, search like it, edit; and none of it counts."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import Path

import pytest

from memhtml_tui.panes.choices import Choices, Goal
from memhtml_tui.panes.textview import TextView
from memhtml_tui.screens.memory import ReadingView
from memhtml_tui.screens.questions import LinkDialog, VersionsDialog
from memhtml_tui.settings import Options
from tests.ui.conftest import MakeApp
from tests.ui.driving import AppPilot, app_of, drive, screen_text, settled, typed, until
from tests.ui.fakes import NOW, FakeStore
from tests.ui.test_hostile import check, nasty_cards


def _view(pilot: AppPilot) -> ReadingView:
    view = app_of(pilot).view
    assert isinstance(view, ReadingView)
    return view


async def _read_first(pilot: AppPilot) -> ReadingView:
    app = app_of(pilot)
    await typed(pilot, "readers")
    await pilot.press("down", "space")
    await until(pilot, lambda: app.current_mode == "memory")
    view = _view(pilot)
    await until(pilot, lambda: view.known.past is not None and view.known.around is not None)
    await settled(pilot)
    return view


def test_what_stands_around_a_memory_is_followed_as_peeks(store: FakeStore, make_app: MakeApp) -> None:
    first, second, near = (store.cards[n].path for n in (0, 1, 2))

    async def steps(pilot: AppPilot) -> None:
        app = app_of(pilot)
        view = await _read_first(pilot)
        shown = view.query_one("#links", Choices).plain
        assert shown.index("contradictions") < shown.index("superseded") < shown.index("links out, authored")
        for words in ("links in, mined", "strength 0.50", "cos 0.900", "toy@4", "history (2)", "branch main"):
            assert words in " ".join(shown.split())
        await pilot.press("l")
        assert app.focused is view.links
        assert view.links.goal == Goal("memory", first)
        await pilot.press("j")
        assert view.links.goal == Goal("memory", second)
        await pilot.press("enter")
        await until(pilot, lambda: view.path == second)
        await settled(pilot)
        await pilot.press("g", "j", "j", "j", "j", "j", "space")
        await until(pilot, lambda: view.path not in (second, None))
        assert view.path in (first, near)
        await pilot.press("escape")
        await until(pilot, lambda: view.path == second)
        await pilot.press("escape")
        await until(pilot, lambda: view.path == first)
        assert app.current_mode == "memory"
        await pilot.press("G")
        assert view.links.goal == Goal("version", "1")
        await pilot.press("k", "space")
        await until(pilot, lambda: isinstance(app.screen, VersionsDialog))
        await until(pilot, lambda: "1 added, 1 removed" in screen_text(app))
        assert "version 2 of 2" in screen_text(app)
        await pilot.press("left")
        await until(pilot, lambda: "nothing: before the file was made" in screen_text(app))
        await pilot.press("left", "escape", "escape")
        await until(pilot, lambda: app.current_mode == "search")
        assert app.session.writes == 0

    drive(make_app(store), steps)
    assert list(store.root.iterdir()) == []


def test_find_source_and_like(store: FakeStore, make_app: MakeApp) -> None:
    async def steps(pilot: AppPilot) -> None:
        app = app_of(pilot)
        view = await _read_first(pilot)
        await pilot.press("slash")
        await typed(pilot, "WRITER and")
        text = view.query_one("#text", TextView)
        assert text.matches[1] >= 2
        assert f"1 of {text.matches[1]}" in screen_text(app)
        await pilot.press("enter")
        assert text.matches[0] == 2
        await typed(pilot, "zzz")
        assert "no match" in screen_text(app)
        await pilot.press("escape")
        assert app.focused is text
        assert text.matches == (0, 0)
        await pilot.press("v")
        await until(pilot, lambda: "a bell \\x07 and a turn \\u202e" in screen_text(app))
        check(pilot)
        taken = view.taken()
        assert taken is not None
        assert "\\x07" in taken[0]
        await pilot.press("escape")
        await until(pilot, lambda: "a bell" not in screen_text(app))
        taken = view.taken()
        assert taken is not None
        assert taken[0].startswith(store.cards[0].path + "\n\n" + store.cards[0].title)
        assert taken[1] == "memory-wal-admits-one-writer-and-many-readers.txt"
        await pilot.press("L")
        await settled(pilot)
        asked, vector = store.searches[-1]
        assert (asked.like, asked.query, vector) == (store.cards[0].path, "", None)
        assert app.current_mode == "search"
        assert f"like {store.cards[0].path}" in screen_text(app)
        await pilot.press("slash")
        await typed(pilot, "three")
        assert store.searches[-1][0].like == ""

    drive(make_app(store), steps)


def test_editor_and_links_are_the_persons_own_act(
    tmp_path: Path, make_app: MakeApp, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = FakeStore(tmp_path)
    ran: list[list[str]] = []
    opened: list[str] = []
    monkeypatch.setenv("VISUAL", "edit --wait")

    def run_editor(command: list[str]) -> int:
        ran.append(command)
        return 0

    monkeypatch.setattr("memhtml_tui.outside.run_editor", run_editor)

    async def steps(pilot: AppPilot) -> None:
        app = app_of(pilot)

        @contextlib.contextmanager
        def suspend() -> Iterator[None]:
            yield

        monkeypatch.setattr(app, "suspend", suspend)
        monkeypatch.setattr(app, "open_url", opened.append)
        view = await _read_first(pilot)
        searches = len(store.searches)
        await pilot.press("e")
        await settled(pilot)
        await until(pilot, lambda: len(store.searches) > searches)
        await until(pilot, lambda: app.current_mode == "memory" and view.known.past is not None)
        for answer in ("escape", "y"):
            monkeypatch.setattr(Choices, "goal", Goal("link", "https://example.org/\u00fcber"))
            await pilot.press("space")
            await until(pilot, lambda: isinstance(app.screen, LinkDialog))
            assert "https://example.org/\u00fcber" in screen_text(app)
            await pilot.press(answer)
            await until(pilot, lambda: app.screen is view)
            await pilot.pause()
        assert app.session.writes == 0

    drive(make_app(store), steps)
    path = tmp_path.resolve() / store.cards[0].path
    assert ran == [["edit", "--wait", str(path)]]
    assert opened == ["https://example.org/\u00fcber"]


def test_in_the_web_view_nothing_leaves_the_app(
    store: FakeStore, make_app: MakeApp, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("VISUAL", "edit")
    left: list[object] = []
    monkeypatch.setattr("memhtml_tui.outside.run_editor", left.append)

    async def steps(pilot: AppPilot) -> None:
        app = app_of(pilot)
        monkeypatch.setattr(app, "open_url", left.append)

        def said(words: str) -> bool:
            return any(words in each.message for each in app._notifications)

        await _read_first(pilot)
        await pilot.press("e")
        await until(pilot, lambda: said("not edited in the web view"))
        monkeypatch.setattr(Choices, "goal", Goal("link", "https://example.org"))
        await pilot.press("space")
        await until(pilot, lambda: said("links are not opened"))
        await pilot.press("E")
        await until(pilot, lambda: said("without an export folder"))

    drive(make_app(store, Options(now=NOW, served=True)), steps)
    assert left == []


def test_hostile_text_around_a_memory(tmp_path: Path, make_app: MakeApp) -> None:
    store = FakeStore(tmp_path, nasty_cards())

    async def steps(pilot: AppPilot) -> None:
        app = app_of(pilot)
        view = await _read_first(pilot)
        check(pilot)
        await pilot.press("l")
        for _ in range(8):
            await pilot.press("j")
            check(pilot)
        await pilot.press("G", "k", "space")
        await until(pilot, lambda: "1 added, 1 removed" in screen_text(app))
        check(pilot)
        await pilot.press("escape")
        view.known.past = None
        view.redraw()
        await pilot.press("v")
        await settled(pilot)
        check(pilot)

    drive(make_app(store), steps)
