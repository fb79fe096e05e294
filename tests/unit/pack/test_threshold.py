"""Thresholds are where the pack really flips: over every budget, on random materials and on real recalls."""

from __future__ import annotations

import random
from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memhtml_core.opened import OpenStore, open_store
from memhtml_core.pack.entries import Envelope, EnvelopeName, Material
from memhtml_core.pack.fold import fold
from memhtml_core.pack.threshold import Step, Thresholds, next_steps, pack_steps, thresholds, thresholds_of
from memhtml_core.rank.request import Ranking, Request
from memhtml_tui.demo_store import copy_demo
from tests.counts import count
from tests.shared import shared
from tests.unit.pack.stores import unpack

HIGHEST = count(1_500, 20_000)
NOW = 1_796_000_000.0


@st.composite
def material_lists(draw: st.DrawFn) -> list[Material]:
    made = []
    for number in range(draw(st.integers(0, 8))):
        gist = "g" * draw(st.integers(0, 6))
        text = gist if draw(st.booleans()) else "🚢" * draw(st.integers(0, 5)) + "x" * draw(st.integers(0, 3))
        names = tuple(draw(st.lists(st.sampled_from("abc"), max_size=2)))
        made.append(Material(f"areas/{number}.html", f"t{number}", gist, "semantic", names, text))
    return made


def tiers(envelope: Envelope) -> list[str]:
    return [entry.tier for entry in envelope.entries]


def flips(materials: Sequence[Material], cap: int, highest: int) -> list[list[str]]:
    """The tiers at every budget from 0."""
    return [tiers(fold(materials, budget, cap, "memories")) for budget in range(highest + 1)]


def expected(packs: Sequence[list[str]]) -> list[tuple[int | None, int | None]]:
    """(up, down) for every budget, by looking at all of them."""
    size = len(packs)
    up: list[int | None] = [None] * size
    down: list[int | None] = [None] * size
    for budget in range(size - 2, -1, -1):
        up[budget] = budget + 1 if packs[budget + 1] != packs[budget] else up[budget + 1]
    for budget in range(1, size):
        down[budget] = budget - 1 if packs[budget - 1] != packs[budget] else down[budget - 1]
    return list(zip(up, down, strict=True))


@given(material_lists(), st.integers(0, 3))
@settings(max_examples=count(25, 2_000), deadline=None)
def test_thresholds_are_the_flips_of_random_materials(materials: list[Material], cap: int) -> None:
    packs = flips(materials, cap, 120)
    for budget, wanted in enumerate(expected(packs)):
        found = thresholds(materials, budget, cap, "memories")
        assert (found.up, found.down) == wanted, budget


@given(material_lists(), st.integers(-5, 80), st.integers(0, 3))
@settings(max_examples=count(80, 3_000), deadline=None)
def test_a_step_shows_what_changes_on_the_way(materials: list[Material], budget: int, cap: int) -> None:
    now = fold(materials, budget, cap, "arcs")
    steps = next_steps(materials, budget, cap, "arcs")
    assert steps.name == "arcs"
    for step, sign in ((steps.up, 1), (steps.down, -1)):
        if step is None:
            continue
        then = fold(materials, step.budget, cap, "arcs")
        assert step.envelope == then
        assert step.by == step.budget - budget
        assert step.by * sign > 0
        changed = {
            a.path: (a.tier, b.tier)
            for a, b in zip(now.entries, then.entries, strict=True)
            if a.tier != b.tier
        }
        assert changed
        assert {change.path: (change.before, change.after) for change in step.diff.changes} == changed
        beside = fold(materials, step.budget - sign, cap, "arcs")
        assert tiers(beside) == tiers(now)


def test_none_where_no_budget_differs() -> None:
    assert thresholds([], 5, 2, "memories") == Thresholds(None, None)
    held = Material("areas/a.html", "", "", "semantic", ("e",), "text")
    assert thresholds([held], 5, 0, "memories") == Thresholds(None, None)
    empty = Material("areas/a.html", "", "", "semantic", (), "")
    assert thresholds([empty], 0, 2, "memories") == Thresholds(None, None)
    assert thresholds([empty], -7, 2, "memories") == Thresholds(0, None)


def _proof(store: OpenStore, queries: Sequence[str]) -> None:
    """Both envelopes of each recall, at every budget from 0 to HIGHEST.

    The tiers are compared with those of the budget before, so that no list of all packs is kept.
    """
    for query in queries:
        materials = store.materials(store.search(Request(query, NOW, kind="recall")))
        envelopes: tuple[tuple[EnvelopeName, tuple[Material, ...]], ...] = (
            ("arcs", materials.arcs),
            ("memories", materials.memories),
        )
        for name, part in envelopes:
            before, ups, downs = None, [], []
            for budget in range(HIGHEST + 1):
                envelope = fold(part, budget, 2, name)
                found = thresholds_of(envelope)
                ups.append(found.up)
                downs.append(found.down)
                now = tiers(envelope)
                if before is not None and before != now:
                    assert ups[budget - 1] == budget, (query, name)
                    assert downs[budget] == budget - 1, (query, name)
                elif before is not None:
                    assert ups[budget - 1] == ups[budget] != budget, (query, name)
                    assert downs[budget] == downs[budget - 1], (query, name)
                before = now
            # Beyond the highest budget: the last threshold that is stated is a flip too.
            if ups[-1] is not None:
                assert (
                    tiers(fold(part, ups[-1] - 1, 2, name)) == before != tiers(fold(part, ups[-1], 2, name))
                )
            assert downs[0] is None


def _queries(store: OpenStore, seed: int) -> list[str]:
    """Twenty questions of two or three words of one title each."""
    titles = [card.title for card in store.list(limit=10_000).rows]
    chosen = random.Random(seed)
    made = []
    for title in chosen.sample(titles, 20):
        words = title.split()
        made.append(" ".join(chosen.sample(words, min(len(words), chosen.choice((2, 3))))))
    return made[: count(1, 20)]


def test_every_budget_of_the_demo(tmp_path: Path) -> None:
    with open_store(copy_demo(tmp_path), embedder="static", cache=tmp_path / "cache") as store:
        _proof(store, _queries(store, 3))


@pytest.mark.shared
def test_every_budget_of_the_small_parity_store(tmp_path: Path) -> None:
    root = unpack(shared("parity/small.tar.gz"), tmp_path)
    with open_store(root, embedder="off", cache=tmp_path / "cache", embed=False) as store:
        _proof(store, _queries(store, 4))


def test_steps_of_a_whole_pack(tmp_path: Path) -> None:
    with open_store(copy_demo(tmp_path), embedder="off", cache=tmp_path / "cache") as store:
        outcome = store.search(Request("tide", NOW, kind="recall", ranking=Ranking(memories_budget=900)))
        materials = store.materials(outcome)
        ranking = outcome.request.ranking
        assert materials.fold(ranking) == store.pack(outcome)
        steps = pack_steps(materials, ranking)
        assert steps.memories == next_steps(materials.memories, 900, 2, "memories")
        assert steps.arcs == next_steps(materials.arcs, 9_000, 2, "arcs")
        assert isinstance(steps.memories.up, Step)
