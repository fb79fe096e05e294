"""From a recall's outcome to its pack: the texts read, the two envelopes, the order asked for."""

from __future__ import annotations

import struct
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType

import pytest

from memhtml_core.errors import UsageError
from memhtml_core.index.database import Database
from memhtml_core.pack.build import build, read_materials
from memhtml_core.pack.order import pack_order
from memhtml_core.rank.outcome import MatchForms, Outcome
from memhtml_core.rank.request import Kind, Ranking, Request
from tests.made_index import SPACE, Row, make_index


def outcome(pool: list[str], ranking: Ranking | None = None, kind: Kind = "recall") -> Outcome:
    return Outcome(
        request=Request("q", 0.0, kind, ranking=ranking or Ranking()),
        space=SPACE,
        forms=MatchForms("q", "q", "q"),
        arms=(),
        missing=(),
        degraded=False,
        vector_coverage=1.0,
        candidates=(),
        pool=tuple((path, 1 / place) for place, path in enumerate(pool, start=1)),
        polarity=(),
        mmr=(),
        hits=(),
        cards=MappingProxyType({}),
        scope_empty=False,
        archived_matches=0,
        archived=(),
        statements=(),
        milliseconds=0.0,
    )


def vector(x: float, y: float) -> bytes:
    return struct.pack("<2f", x, y)


@pytest.fixture
def database(tmp_path: Path) -> Database:
    rows = [
        Row(
            "areas/a.html",
            disclosure="A text.",
            vector=vector(1, 0),
            entities=[("svc", "one"), ("team", "one")],
        ),
        Row("areas/b.html", disclosure="B text.", vector=vector(1, 0.01), entities=[("svc", "two\nthree")]),
        Row("areas/c.html", disclosure="C text.", vector=vector(0, 1)),
        Row("areas/arcs/d.html", memory_type="arc", disclosure="D text.", vector=vector(0, 1)),
        Row("areas/e.html", disclosure="E text."),
    ]
    return make_index(tmp_path / "index.db", rows)


POOL = ["areas/a.html", "areas/arcs/d.html", "areas/b.html", "areas/c.html", "areas/e.html"]


def test_arcs_and_memories_fold_apart_in_pool_order(database: Database) -> None:
    pack = build(database, outcome(POOL, Ranking(arcs_budget=7, memories_budget=14)))
    assert [(e.path, e.tier) for e in pack.arcs.entries] == [("areas/arcs/d.html", "full")]
    assert [(e.path, e.tier, e.text) for e in pack.memories.entries[:2]] == [
        ("areas/a.html", "full", "A text."),
        ("areas/b.html", "full", "B text."),
    ]
    assert pack.memories.spent == 14
    assert (pack.arcs.budget, pack.memories.budget) == (7, 14)


def test_entity_names_are_distinct_and_split_at_line_breaks(database: Database) -> None:
    names = {m.path: m.entity_names for m in read_materials(database, POOL)}
    assert names["areas/a.html"] == ("one",)
    assert names["areas/b.html"] == ("two", "three")
    assert names["areas/c.html"] == ()


def test_a_memory_that_left_the_index_is_left_out(database: Database) -> None:
    pool = ["areas/gone.html", *POOL]
    for order in ("fused", "diversified"):
        pack = build(database, outcome(pool, Ranking(pack_order=order)))  # type: ignore[arg-type]
        assert {e.path for e in (*pack.arcs.entries, *pack.memories.entries)} == set(POOL)


def test_diversified_order_keeps_all_and_parts_near_twins(database: Database) -> None:
    diversified = outcome(POOL, Ranking(pack_order="diversified"))
    order = pack_order(database, diversified)
    assert sorted(order) == sorted(POOL)
    assert order[0] == POOL[0]
    assert order.index("areas/e.html") < order.index("areas/b.html")
    relevance_only = replace(diversified.request, ranking=Ranking(pack_order="diversified", mmr_lambda=1.0))
    assert pack_order(database, replace(diversified, request=relevance_only)) == tuple(POOL)
    assert pack_order(database, outcome(POOL)) == tuple(POOL)


def test_an_empty_pool_gives_an_empty_pack(database: Database) -> None:
    pack = build(database, outcome([], Ranking(pack_order="diversified")))
    assert pack.arcs.entries == pack.memories.entries == ()
    assert not pack.memories.truncated


def test_a_search_is_no_recall(database: Database) -> None:
    with pytest.raises(UsageError):
        build(database, outcome(POOL, kind="search"))
