"""A slow, failing or hung embedder: results first, the vector arm when it comes (DESIGN 3, "Flow")."""

from __future__ import annotations

import threading
import time
from pathlib import Path

from memhtml_core.rank.outcome import MissingArm, MissingReason
from memhtml_tui.embedding import EmbeddingDesk, QueryVector
from memhtml_tui.settings import Options
from tests.ui.conftest import MakeApp
from tests.ui.driving import AppPilot, app_of, drive, screen_text, settled, typed, until
from tests.ui.fakes import NOW, FakeStore

VECTOR = b"\0" * 16


def test_a_hung_embedder_blocks_no_search_and_is_named(tmp_path: Path, make_app: MakeApp) -> None:
    hung = threading.Event()
    asked: list[str] = []

    def hang(text: str, deadline: float) -> tuple[bytes | None, MissingArm | None]:
        asked.append(text)
        hung.wait(60)
        return VECTOR, None

    store = FakeStore(tmp_path, embedder=hang)

    async def steps(pilot: AppPilot) -> None:
        app = app_of(pilot)
        for query in ("one", " two", " six"):
            began = time.monotonic()
            await typed(pilot, query)
            assert time.monotonic() - began < 30, "a search waited for the embedder, which hangs for a minute"
            assert app.state.answer is not None
            assert app.state.answer.outcome.hits
        assert app.state.answer is not None
        assert app.state.answer.request.query == "one two six"
        await until(pilot, lambda: "embedder timed out" in screen_text(app))
        await pilot.press("down", "j", "space")
        await until(pilot, lambda: app.current_mode == "memory")

    try:
        drive(make_app(store, Options(now=NOW, embed_deadline=1.0)), steps)
    finally:
        hung.set()
    assert len(asked) <= 3


def test_a_slow_embedder_is_waited_for_beside_the_results(tmp_path: Path, make_app: MakeApp) -> None:
    release = threading.Event()

    def slow(text: str, deadline: float) -> tuple[bytes | None, MissingArm | None]:
        release.wait(20)
        return VECTOR, None

    store = FakeStore(tmp_path, embedder=slow)

    async def steps(pilot: AppPilot) -> None:
        app = app_of(pilot)
        await typed(pilot, "readers")
        assert app.state.answer is not None
        assert app.state.answer.waiting
        assert "asking the embedder" in screen_text(app)
        release.set()
        await until(pilot, lambda: app.state.answer is not None and not app.state.answer.waiting)
        await pilot.pause()
        assert not app.state.answer.outcome.degraded
        assert "asking the embedder" not in screen_text(app)

    drive(make_app(store), steps)
    assert [isinstance(vector, bytes) for _, vector in store.searches] == [False, True]


def test_a_failing_embedder_is_named_with_its_words_as_plain_text(tmp_path: Path, make_app: MakeApp) -> None:
    def fail(text: str, deadline: float) -> tuple[bytes | None, MissingArm | None]:
        raise RuntimeError("no [bold]credit[/bold] \x1b]0;PWNED\x07 left")

    async def steps(pilot: AppPilot) -> None:
        await typed(pilot, "readers")
        text = screen_text(app_of(pilot))
        assert "degraded: V vector: embedder failed (no [bold]credit[/bold] left)" in text

    drive(make_app(FakeStore(tmp_path, embedder=fail)), steps)


def test_without_an_embedder_nobody_is_asked(tmp_path: Path, make_app: MakeApp) -> None:
    async def steps(pilot: AppPilot) -> None:
        await typed(pilot, "readers")
        assert "V vector: embedder off" in screen_text(app_of(pilot))

    store = FakeStore(tmp_path, embedder=None)
    drive(make_app(store), steps)
    assert [vector for _, vector in store.searches] == [None]


def test_a_known_text_is_not_asked_again(tmp_path: Path, make_app: MakeApp) -> None:
    asked: list[str] = []

    def ask(text: str, deadline: float) -> tuple[bytes | None, MissingArm | None]:
        asked.append(text)
        return VECTOR, None

    async def steps(pilot: AppPilot) -> None:
        await typed(pilot, "readers")
        await pilot.press("down", "r")
        await settled(pilot)

    store = FakeStore(tmp_path, embedder=ask)
    drive(make_app(store), steps)
    assert asked == ["readers"]
    assert len(store.searches) == 2


def test_the_desk_asks_the_newest_text_and_leaves_hung_calls_alone() -> None:
    hung = threading.Event()
    asked: list[str] = []

    def ask(text: str, deadline: float) -> tuple[bytes | None, MissingArm | None]:
        asked.append(text)
        if text.startswith("hang"):
            hung.wait(20)
        return VECTOR, None

    desk = EmbeddingDesk(ask, 0.2)
    tickets = [desk.ticket(f"hang {number}") for number in range(4)]
    good = desk.ticket("good")
    try:
        assert tickets[0].wait(5)
        assert tickets[0].result is not None
        assert tickets[0].result.missing is not None
        assert tickets[0].result.missing.reason is MissingReason.EMBEDDER_TIMED_OUT
        assert good.wait(5) or desk.ticket("good").wait(5)
        assert asked[:2] == ["hang 0", "hang 1"]
        assert "hang 2" not in asked
        later = desk.ticket("good")
        assert later.wait(5)
        assert later.result == QueryVector(VECTOR, None)
    finally:
        hung.set()
