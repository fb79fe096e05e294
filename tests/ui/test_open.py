"""Opening is the one write: announced before, shown after; everything else leaves no trace (DESIGN 8)."""

from __future__ import annotations

from pathlib import Path

from memhtml_core.access.plane import Plane
from memhtml_tui.panes.textview import TextView
from memhtml_tui.settings import Options
from tests.ui.conftest import MakeApp
from tests.ui.driving import AppPilot, app_of, drive, screen_text, settled, typed, until
from tests.ui.fakes import NOW, FakeStore


def _files(root: Path) -> list[str]:
    return sorted(str(path.relative_to(root)) for path in root.rglob("*"))


def test_an_open_is_announced_counted_once_and_shown(store: FakeStore, make_app: MakeApp) -> None:
    path = store.cards[1].path

    async def steps(pilot: AppPilot) -> None:
        app = app_of(pilot)
        await typed(pilot, "readers")
        await pilot.press("down", "j")
        await until(pilot, lambda: path in app.state.access)
        assert "opening counts: 0 to 1" in app.screen.query_one("#why", TextView).plain.replace("\n", " ")
        assert "writes: 0" in screen_text(app)
        await pilot.press("enter")
        await until(pilot, lambda: app.current_mode == "memory" and "writes: 1" in screen_text(app))
        use = app.screen.query_one("#use", TextView).plain
        assert "opens        0 → 1" in use
        assert "cooling down until 15:21:40 UTC" in use
        await pilot.press("plus")
        await until(pilot, lambda: "cooling down, nothing was written" in screen_text(app))
        assert "writes: 1" in screen_text(app)

    drive(make_app(store), steps)
    row = Plane(store.root).row(path)
    assert row is not None
    assert (row.access_count, row.reinforcement_count, row.last_accessed_at) == (1, 0, "2025-06-15T15:06:40Z")
    assert [each.path for each in Plane(store.root).rows()] == [path]


def test_plus_and_minus_judge(store: FakeStore, make_app: MakeApp) -> None:
    async def steps(pilot: AppPilot) -> None:
        app = app_of(pilot)
        await typed(pilot, "readers")
        await pilot.press("down", "minus")
        await until(pilot, lambda: "counted (misleading)" in screen_text(app))
        await pilot.press("escape", "j", "plus")
        await until(pilot, lambda: "counted (helpful)" in screen_text(app))
        assert "outcome      +0.00 → +1.00" in app.screen.query_one("#use", TextView).plain

    drive(make_app(store), steps)
    scores = {row.path: row.outcome_score for row in Plane(store.root).rows()}
    assert scores == {store.cards[0].path: -1.0, store.cards[1].path: 1.0}


def test_peeks_steps_views_and_searches_write_nothing(store: FakeStore, make_app: MakeApp) -> None:
    async def steps(pilot: AppPilot) -> None:
        app = app_of(pilot)
        await typed(pilot, "readers")
        await pilot.press("down", "space")
        await until(pilot, lambda: app.current_mode == "memory" and "1 of 10" in screen_text(app))
        assert "peek: nothing is counted" in screen_text(app)
        await pilot.press("right", "right")
        await until(pilot, lambda: "3 of 10" in screen_text(app))
        await pilot.press("left")
        await until(pilot, lambda: "2 of 10" in screen_text(app))
        await pilot.press("2")
        await settled(pilot)
        await pilot.press("down", "right_square_bracket", "t", "escape", "1", "r", "s")
        await settled(pilot)
        assert "writes: 0" in screen_text(app)

    drive(make_app(store), steps)
    assert _files(store.root) == []


def test_read_only_shows_the_memory_and_refuses_the_count(store: FakeStore, make_app: MakeApp) -> None:
    async def steps(pilot: AppPilot) -> None:
        app = app_of(pilot)
        await typed(pilot, "readers")
        await pilot.press("down", "enter")
        await until(pilot, lambda: app.current_mode == "memory" and "not counted" in screen_text(app))
        assert "read-only" in screen_text(app)
        assert store.cards[0].title in screen_text(app)

    drive(make_app(store, Options(now=NOW, read_only=True)), steps)
    assert _files(store.root) == []


def test_a_path_that_went_away_is_refused_before_anything_is_written(
    store: FakeStore, make_app: MakeApp
) -> None:
    async def steps(pilot: AppPilot) -> None:
        app = app_of(pilot)
        await typed(pilot, "readers")
        await pilot.press("down", "j")
        await until(pilot, lambda: store.cards[1].path in app.state.access)
        del store.cards[1]
        await pilot.press("enter")
        await until(pilot, lambda: "no such memory" in screen_text(app))
        assert app.current_mode == "search"

    drive(make_app(store), steps)
    assert _files(store.root) == []
