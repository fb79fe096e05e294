"""The front door: which space the requests name, what closing ends, and what a second opener sees."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from pathlib import Path

import pytest

from memhtml_core.embed.choose import Choice
from memhtml_core.embed.protocol import Space
from memhtml_core.errors import EmbedError
from memhtml_core.index.vectors import StoredSpace
from memhtml_core.opened import open_store, vector_plan
from memhtml_core.rank.outcome import MissingReason
from memhtml_core.rank.request import Request
from memhtml_tui.demo_store import copy_demo

NOW = 1_790_000_000.0
AGENTS = Space("cohere.embed-v4:0@1024", 1024)


class Fixed:
    """An embedder of a given space; `broken` makes asking for the space itself fail."""

    def __init__(self, space: Space, *, broken: bool = False) -> None:
        self._space, self._broken = space, broken
        self.stopped = threading.Event()

    @property
    def space(self) -> Space:
        if self._broken:
            raise EmbedError("the server is gone")
        return self._space

    @property
    def label(self) -> str:
        return "fixed"

    def embed_documents(self, texts: Sequence[str], *, deadline: float | None = None) -> list[bytes]:
        return [b"\0\0\x80?" * self._space.dim for _ in texts]

    def embed_query(self, text: str, *, deadline: float | None = None) -> bytes:
        return b"\0\0\x80?" * self._space.dim

    def stop(self) -> None:
        self.stopped.set()


def test_the_configured_embedder_settles_the_space() -> None:
    mine = Fixed(Space("mine@4", 4, "d"))
    plan = vector_plan(Choice(mine, True), [StoredSpace(AGENTS, 10)], AGENTS.name)
    assert plan.space == mine.space
    assert plan.embedder is mine
    assert plan.out is None
    assert plan.foreign


def test_without_a_configuration_the_agents_own_space_is_named_though_nobody_can_ask_it() -> None:
    plan = vector_plan(Choice(None, False), [StoredSpace(AGENTS, 10)], AGENTS.name)
    assert plan.space == AGENTS
    assert plan.embedder is None
    assert plan.out is not None
    assert plan.out.reason is MissingReason.SPACE_UNASKABLE
    assert AGENTS.name in plan.out.detail


def test_without_any_stored_vectors_the_offline_embedder_answers() -> None:
    plan = vector_plan(Choice(None, False), [], None)
    assert plan.space is not None
    assert plan.embedder is not None
    assert plan.out is None
    assert not plan.foreign


def test_off_keeps_the_stored_space_for_polarity_and_mmr() -> None:
    plan = vector_plan(Choice(None, True), [StoredSpace(AGENTS, 10)], AGENTS.name)
    assert plan.space == AGENTS
    assert plan.out is not None
    assert plan.out.reason is MissingReason.EMBEDDER_OFF


def test_an_embedder_that_cannot_name_its_space_is_a_failed_one() -> None:
    plan = vector_plan(Choice(Fixed(AGENTS, broken=True), True), [], None)
    assert plan.space is None
    assert plan.out is not None
    assert plan.out.reason is MissingReason.EMBEDDER_FAILED
    assert "the server is gone" in plan.out.detail


def test_a_failed_embedder_leaves_the_search_to_the_other_arms(tmp_path: Path) -> None:
    store = copy_demo(tmp_path)
    choice = Choice(Fixed(AGENTS, broken=True), True)
    with open_store(store, source="tree", embedder=choice, cache=tmp_path / "cache") as opened:
        outcome = opened.search(Request("validators offline", NOW))
    assert outcome.degraded
    assert {run.name for run in outcome.arms} == {"fts", "recency", "salience"}
    assert outcome.hits


def test_closing_leaves_an_embedder_alone_that_the_caller_made(tmp_path: Path) -> None:
    store = copy_demo(tmp_path)
    mine = Fixed(Space("mine@4", 4, "d"))
    open_store(store, source="tree", embedder=Choice(mine, True), cache=tmp_path / "cache").close()
    assert not mine.stopped.is_set()


def test_closing_ends_an_embedder_of_the_stores_own_making(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = copy_demo(tmp_path)
    mine = Fixed(Space("mine@4", 4, "d"))
    monkeypatch.setattr("memhtml_core.opened.choose", lambda spec, environ: Choice(mine, True))
    open_store(store, source="tree", embedder="static", cache=tmp_path / "cache").close()
    assert mine.stopped.is_set()


def test_a_second_opener_sees_what_the_first_took_up(tmp_path: Path) -> None:
    store, cache = copy_demo(tmp_path), tmp_path / "cache"
    with (
        open_store(store, source="tree", embedder="off", cache=cache) as first,
        open_store(store, source="tree", embedder="off", cache=cache) as second,
    ):
        total = second.list().total
        (store / first.list().rows[0].path).unlink()
        first.refresh(full=True)
        assert second.list().total == total - 1
