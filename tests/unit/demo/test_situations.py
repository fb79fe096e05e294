"""The tour: each situation really happens, with the embedder that everybody has, for the reason it names."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from memhtml_core.opened import OpenStore, open_store
from memhtml_core.pack.entries import PackEntry
from memhtml_core.rank.outcome import Outcome
from memhtml_core.rank.request import Request, Scope
from memhtml_tui.demo_store import SITUATIONS, Question, Situation, copy_demo

NOW = 1_796_000_000.0
"""A fixed present, 30 November 2026; the test of the clock says that it does not matter."""


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[OpenStore]:
    folder = tmp_path_factory.mktemp("situations")
    with open_store(copy_demo(folder), embedder="static", cache=folder / "cache") as opened:
        yield opened


def situation(name: str) -> Situation:
    return next(each for each in SITUATIONS if each.name == name)


def run(store: OpenStore, question: Question, now: float = NOW) -> Outcome:
    return store.search(question.request(now))


def places(outcome: Outcome) -> dict[str, int]:
    return {hit.path: hit.place for hit in outcome.hits}


def entry(store: OpenStore, question: Question, path: str) -> PackEntry:
    pack = store.pack(run(store, question))
    return next(each for each in pack.memories.entries if each.path == path)


def test_the_tour_has_its_five_situations() -> None:
    assert [each.name for each in SITUATIONS] == ["twin", "rival", "scope", "budget", "outage"]


def test_everything_is_indexed_and_has_a_vector(store: OpenStore, copied: Path) -> None:
    files = [f for f in copied.rglob("*.html") if f.name != "README.html"]
    everything = run(store, Question("", scope="archived:yes"))
    assert everything.vector_coverage == 1
    assert store.list(Scope(include_archived=True)).total == len(files) - sum(
        "/tasks/" in f.as_posix() for f in files
    )
    assert store.usage.source == "export"


def test_a_polarity_twin_changes_places(store: OpenStore) -> None:
    tour = situation("twin")
    before, after = run(store, tour.before), run(store, tour.after)
    assert tour.focus in places(before)
    assert tour.other not in places(before)
    assert tour.other in places(after)
    assert tour.focus not in places(after)
    move = next(each for each in after.polarity if each.path == tour.focus)
    assert (move.twin, move.moved, move.words) == (tour.other, True, ("not",))
    assert move.cosine >= 0.9
    focus, other = after.candidate(tour.focus), after.candidate(tour.other)
    assert focus is not None
    assert other is not None
    assert focus.position < other.position


def test_asked_with_not_the_negated_twin_leads(store: OpenStore) -> None:
    tour = situation("twin")
    outcome = run(store, Question("validators do not keep offline taps across a power cut"))
    order = [path for path, _ in outcome.pool]
    assert order.index(tour.focus) < order.index(tour.other)


def test_a_rival_takes_the_place_of_its_copies(store: OpenStore) -> None:
    tour = situation("rival")
    before, after = run(store, tour.before), run(store, tour.after)
    copies = [path for path in places(before) if "-clock-drift-in-tram-" in path and "-no-" not in path]
    assert len(copies) == 3
    assert places(before)[tour.other] == 1
    assert places(before)[tour.focus] <= 3
    assert places(after)[tour.other] == 1
    assert tour.focus not in places(after)


def test_a_scope_hides_the_answer(store: OpenStore) -> None:
    tour = situation("scope")
    before, after = run(store, tour.before), run(store, tour.after)
    assert before.candidate(tour.focus) is None
    assert places(after)[tour.focus] == 1


def test_a_budget_pushes_a_memory_down(store: OpenStore) -> None:
    tour = situation("budget")
    before, after = entry(store, tour.before, tour.focus), entry(store, tour.after, tour.focus)
    assert (before.tier, after.tier) == ("full", "disclosure")
    assert f"{before.needs:,} characters" in tour.see
    assert after.needs > tour.after.ranking.memories_budget


def test_an_outage_loses_what_only_vectors_found(store: OpenStore) -> None:
    tour = situation("outage")
    before, after = run(store, tour.before), run(store, tour.after)
    assert not before.degraded
    assert after.degraded
    assert [(each.arm, each.simulated) for each in after.missing] == [("vector", True)]
    found = before.candidate(tour.focus)
    lost = after.candidate(tour.focus)
    assert found is not None
    assert found.ranks["vector"] == 1
    assert "fts" not in found.ranks
    assert places(before)[tour.focus] <= 5
    assert tour.focus not in places(after)
    assert lost is None or not lost.in_pool


@pytest.mark.parametrize("tour", SITUATIONS, ids=lambda each: each.name)
def test_the_clock_does_not_matter(store: OpenStore, tour: Situation) -> None:
    for now in (time.time(), NOW + 5 * 365 * 86_400):
        for question in (tour.before, tour.after):
            assert run(store, question, now).pool == run(store, question).pool


def test_recall_caps_an_entity_at_two_quotes(store: OpenStore) -> None:
    pack = store.pack(run(store, situation("budget").before))
    assert any(each.cap_entity for each in pack.memories.entries)


def test_the_long_arc_never_fits_its_envelope(store: OpenStore) -> None:
    outcome = store.search(Request("the night tram month by month", NOW, kind="recall"))
    arcs = store.pack(outcome).arcs.entries
    long = next(each for each in arcs if each.path == "areas/arcs/night-tram-month-by-month.html")
    assert long.tier != "full"
    assert long.needs > 9_000


def test_a_correction_is_answered_as_of_its_day(store: OpenStore) -> None:
    asked = "refunds without proof stop at"
    then = places(run(store, Question(asked, scope="as-of:2024-12-01")))
    today = places(run(store, Question(asked)))
    old = "archive/2025/projects/night-tram/refunds-without-proof-stop-at-10-euros.html"
    new = "projects/night-tram/refunds-without-proof-stop-at-20-euros.html"
    assert old in then
    assert new not in then
    assert new in today
    assert old not in today
