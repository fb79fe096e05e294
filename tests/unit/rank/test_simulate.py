"""Every switch does to a run what it says, can be turned back, and the moves add up."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memhtml_core.errors import UsageError
from memhtml_core.index.database import Database
from memhtml_core.rank.arms import ARMS, Arm
from memhtml_core.rank.outcome import MissingReason, Outcome
from memhtml_core.rank.request import Ranking, Request
from memhtml_core.rank.search import search
from memhtml_core.rank.simulate import (
    OUTAGES,
    active,
    moved,
    simulations,
    switched,
    unswitched,
)
from tests.unit.rank.corpus import SPACE, Row, blob, fill

REQUEST = Request("fuel pump", 1_700_000_000.0)
NAMES = [each.name for each in simulations()]


@pytest.fixture(scope="module")
def database(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Database]:
    rows = [
        Row(
            f"areas/{n}.html",
            "fuel pump" if n % 3 else "sail",
            updated_at=f"2024-01-{n + 1:02d}T00:00:00Z",
            vectors=((1.0, n / 4, 0.0, 1.0),),
            access=(n % 5, 0.0, None),
        )
        for n in range(12)
    ]
    with fill(tmp_path_factory.mktemp("simulate") / "index.db", rows) as made:
        yield made


def run(database: Database, request: Request) -> Outcome:
    vector = blob((1.0, 0.0, 0.0, 1.0))
    return search(database, request, embedder=None, space=SPACE, usage=True, query_vector=vector)


@pytest.mark.parametrize("name", NAMES)
def test_each_switch_takes_out_its_arms_for_its_reason(database: Database, name: str) -> None:
    switch = next(each for each in simulations() if each.name == name)
    request = switched(REQUEST, name)
    assert active(request) == (switch,)
    outcome = run(database, request)
    wanted = [
        arm.name for arm in ARMS if (switch.need in arm.needs if switch.reason else arm.name == switch.arm)
    ]
    assert [missing.arm for missing in outcome.missing] == wanted != []
    reason = switch.reason or MissingReason.SWITCHED_OFF
    assert all(missing.reason is reason for missing in outcome.missing)
    assert all(missing.simulated == (switch.reason is not None) for missing in outcome.missing)
    assert switched(request, name, on=False) == REQUEST == unswitched(request)
    assert switch.label


@given(st.lists(st.tuples(st.sampled_from(NAMES), st.booleans()), max_size=6))
@settings(deadline=None)
def test_any_order_of_switches_is_a_request_that_can_be_meant(steps: list[tuple[str, bool]]) -> None:
    request = REQUEST
    for name, on in steps:
        request = switched(request, name, on)
        assert (name in [each.name for each in active(request)]) is on
    for each in active(request):
        request = switched(request, each.name, on=False)
    assert request == REQUEST


def test_what_the_panel_offers_follows_the_registry() -> None:
    assert {outage.reason for outage in OUTAGES} == set(MissingReason) - {
        MissingReason.SWITCHED_OFF,
        MissingReason.NO_QUERY_TERMS,
    }
    toy = Arm("toy", "T", "toy", 1.0, lambda context: "", frozenset({"vector"}))
    offered = [each.name for each in simulations((toy,))]
    assert offered[-1] == "toy-off"
    assert "no-state-plane" not in offered
    with pytest.raises(UsageError, match="no such simulation"):
        switched(REQUEST, "toy-off")


def test_moves_add_up(database: Database) -> None:
    full = run(database, replace(REQUEST, limit=5))
    reduced = run(database, replace(REQUEST, limit=5, ranking=Ranking(off=frozenset({"vector", "fts"}))))
    moves = moved(full, reduced)
    before = {hit.path: hit.place for hit in full.hits}
    after = {hit.path: hit.place for hit in reduced.hits}
    assert {m.path: m.before for m in moves if m.before} == before
    assert {m.path: m.after for m in moves if m.after} == after
    assert [m.path for m in moves][: len(after)] == list(after)
    fates = {m.fate for m in moves}
    assert {"came", "went"} <= fates
    for move in moves:
        assert (move.fate == "came") == (move.path not in before)
        assert (move.fate == "went") == (move.path not in after)
        assert move.by == (before[move.path] - after[move.path] if move.fate in ("moved", "stayed") else 0)
        assert move.title
    assert {m.fate for m in moved(full, full)} == {"stayed"}
    pool = run(database, replace(REQUEST, kind="recall"))
    assert [m.path for m in moved(pool, pool)] == [path for path, _ in pool.pool]
