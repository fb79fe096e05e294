"""Why a result is empty: each reason where it really holds, in the fixed order, and the way out."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from memhtml_core.browse.empty import (
    EmptyReason,
    WhyEmpty,
    by_habit_alone,
    unseen,
    why_no_hits,
    why_no_rows,
)
from memhtml_core.browse.listing import list_memories
from memhtml_core.index.database import Database
from memhtml_core.index.freshness import Freshness
from memhtml_core.rank.arms import ARMS
from memhtml_core.rank.outcome import Outcome
from memhtml_core.rank.request import Kind, Ranking, Request, Scope
from memhtml_core.rank.search import search
from memhtml_core.rank.typed import parse_scope
from tests.unit.rank.corpus import SPACE, Row, fill

HABITS_OFF = frozenset({"recency", "salience"})
ROWS = [
    Row("areas/pump.html", "fuel pump", tags=("fuel",), vectors=((1, 0, 0, 0),)),
    Row("areas/mast.html", "mast", tags=("rig",), vectors=((0, 1, 0, 0),)),
    Row("archive/2024/sail.html", "sail", archived=True, tags=("cloth",), vectors=((0, 0, 1, 0),)),
]
STALE = Freshness("tree", "b", "a", 2, 1, 3, None, 0, None, None, "on main")
FRESH = Freshness("tree", "a", "a", 0, 0, 0, None, 0, None, None, "on main")


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    with fill(tmp_path / "index.db", ROWS) as made:
        yield made


def ask(
    database: Database,
    query: str,
    scope: str = "",
    off: frozenset[str] = HABITS_OFF,
    kind: Kind = "search",
    limit: int = 10,
    simulated: dict[str, str] | None = None,
) -> Outcome:
    ranking = Ranking(off=off)
    request = Request(query, 0.0, kind, parse_scope(scope), limit, ranking, simulated or {})
    return search(database, request, embedder=None, space=SPACE, usage=True)


def reasons(why: WhyEmpty | None) -> list[EmptyReason]:
    assert why is not None
    assert len(why.details) == 1 + len(why.others)
    assert all(why.details)
    return [why.reason, *why.others]


def test_a_result_that_is_not_empty_needs_no_reason(database: Database) -> None:
    assert why_no_hits(database, ask(database, "pump")) is None
    assert why_no_hits(database, ask(database, "pump", limit=0)) is None
    assert why_no_rows(database, list_memories(database, Scope(), offset=50), Scope()) is None


@pytest.mark.parametrize("kind", ["search", "recall"])
def test_no_match_where_every_arm_that_reads_the_query_ran(database: Database, kind: Kind) -> None:
    words_only = tuple(arm for arm in ARMS if arm.name == "fts")
    request = Request("nonsense", 0.0, kind)
    outcome = search(database, request, embedder=None, space=SPACE, usage=True, arms=words_only)
    why = why_no_hits(database, outcome, FRESH, arms=words_only)
    assert reasons(why) == [EmptyReason.NO_MATCH]
    assert why is not None
    assert (why.in_scope, why.archived_matches, why.loosen) == (2, 0, ())
    assert reasons(why_no_hits(database, outcome, STALE, arms=words_only)) == [EmptyReason.STALE_INDEX]


def test_an_arm_that_a_person_switched_off_is_an_outage_too(database: Database) -> None:
    why = why_no_hits(database, ask(database, "nonsense", off=HABITS_OFF | {"vector"}), FRESH)
    assert reasons(why) == [EmptyReason.DEGRADED]
    assert why is not None
    assert why.details == ("did not run: vector (switched off)",)


def test_a_query_without_words_is_no_degradation(database: Database) -> None:
    words_only = tuple(arm for arm in ARMS if arm.name == "fts")
    request = Request("?!", 0.0)
    outcome = search(database, request, embedder=None, space=SPACE, usage=True, arms=words_only)
    assert outcome.missing
    assert reasons(why_no_hits(database, outcome, FRESH, arms=words_only)) == [EmptyReason.NO_MATCH]


def test_scope_is_the_reason_and_names_the_way_out(database: Database) -> None:
    outcome = ask(database, "sail", "tag:cloth", off=frozenset())
    why = why_no_hits(database, outcome, FRESH)
    assert reasons(why)[0] is EmptyReason.SCOPE
    assert why is not None
    assert (why.indexed, why.in_scope) == (3, 0)
    assert [(each.axis, each.beyond) for each in why.loosen] == [("tag", 2), ("archived", 1)]
    assert (why.archived_matches, [each.path for each in why.archived]) == (1, ["archive/2024/sail.html"])
    listed = why_no_rows(
        database, list_memories(database, parse_scope("tag:cloth")), parse_scope("tag:cloth")
    )
    assert reasons(listed) == [EmptyReason.SCOPE]
    nowhere = parse_scope("tag:none archived:yes")
    assert why_no_rows(database, list_memories(database, nowhere), nowhere, STALE) is not None


def test_the_order_of_several_reasons(database: Database, tmp_path: Path) -> None:
    outage = {"vector": "embedder failed"}
    degraded = ask(database, "nonsense", simulated=outage)
    why = why_no_hits(database, degraded, STALE)
    assert reasons(why) == [EmptyReason.DEGRADED, EmptyReason.STALE_INDEX]
    assert why is not None
    assert why.details == (
        "did not run: vector (embedder failed, simulated)",
        "3 files are not taken up yet, 2 commits behind",
    )
    out_of_scope = ask(database, "nonsense", "tag:none", simulated=outage)
    assert reasons(why_no_hits(database, out_of_scope, STALE)) == [
        EmptyReason.SCOPE,
        EmptyReason.DEGRADED,
        EmptyReason.STALE_INDEX,
    ]
    with fill(tmp_path / "empty.db", []) as nothing:
        assert reasons(why_no_hits(nothing, ask(nothing, "x", simulated=outage), STALE)) == [
            EmptyReason.NOTHING_INDEXED,
            EmptyReason.DEGRADED,
            EmptyReason.STALE_INDEX,
        ]


def test_hits_by_habit_alone(database: Database) -> None:
    outcome = ask(database, "nonsense", off=frozenset({"vector"}))
    assert outcome.hits
    assert unseen(outcome)
    assert all(by_habit_alone(candidate) for candidate in outcome.candidates)
    seen = ask(database, "pump", off=frozenset({"vector"}))
    assert not unseen(seen)
    assert [by_habit_alone(candidate) for candidate in seen.candidates] == [False, True]
    assert not unseen(ask(database, "  ", off=frozenset({"vector"})))
