"""The fused statement against its pure twin, and what is bound to it."""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import partial
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memhtml_core.index.database import Database
from memhtml_core.rank.arms import ARMS, Arm, ArmContext
from memhtml_core.rank.cosine import register
from memhtml_core.rank.fusion import bound, contribution, fuse, fused_statement, literal
from memhtml_core.rank.request import Scope
from memhtml_core.rank.scope import predicate
from tests.unit.rank.corpus import Row, fill
from tests.unit.rank.proof import proof

PATHS = [f"areas/{name}.html" for name in ("a", "b", "B", "c-1", "c_1", "é", "z", "ä", "日本", "x0")]
CONTEXT = ArmContext(predicate(Scope()), now="0.0")
LISTS = st.dictionaries(
    st.sampled_from(["one", "two", "three", "four", "five"]),
    st.lists(st.sampled_from(PATHS), unique=True),
    min_size=1,
)
WEIGHTS = st.floats(1e-6, 10) | st.sampled_from([0.0, 0.4, 0.5, 1.0])


@pytest.fixture(scope="module")
def database(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Database]:
    with fill(tmp_path_factory.mktemp("fusion") / "index.db", [Row(path) for path in PATHS]) as opened:
        register(opened.connection)
        yield opened


def stated(paths: list[str], _context: ArmContext) -> str:
    """An arm whose list is written into its SQL."""
    rows = " UNION ALL ".join(
        f"SELECT id, {rank}, {rank / 2} FROM files WHERE path = '{path}'"
        for rank, path in enumerate(paths, 1)
    )
    return rows or "SELECT id, 1, NULL FROM files WHERE 0"


@proof
@given(LISTS, st.data(), st.integers(1, 1_000))
def test_statement_equals_the_pure_twin(
    database: Database, lists: dict[str, list[str]], data: st.DataObject, k: int
) -> None:
    drawn = st.fixed_dictionaries(dict.fromkeys(lists, WEIGHTS))
    weights = data.draw(st.just(dict.fromkeys(lists, 1.0)) | drawn)  # equal weights make ties
    arms = [Arm(name, "X", name, 1.0, partial(stated, paths)) for name, paths in lists.items()]
    sql = fused_statement(arms, CONTEXT, weights, k)
    assert sql is not None
    rows = database.rows(sql, bound(sql, ("", 40, 40 * len(arms), None), ()))
    assert [(row[1], row[2]) for row in rows] == fuse(lists, weights, k)
    for row in rows:
        ranks = row[3::2]
        assert list(ranks) == [
            paths.index(row[1]) + 1 if row[1] in paths else None for paths in lists.values()
        ]
        assert list(row[4::2]) == [None if rank is None else rank / 2 for rank in ranks]


def test_symmetric_ranks_tie_exactly() -> None:
    for trial in range(2_000):
        ranks = [trial % 37 + 1, trial % 41 + 1, trial % 43 + 1]
        parts = [contribution(1.0, rank, 60) for rank in ranks]
        assert math.fsum(parts) == math.fsum(reversed(parts)) == math.fsum(sorted(parts))
    order = fuse({"x": ["b", "a"], "y": ["a", "b"]}, {"x": 1.0, "y": 1.0}, 60)
    assert [path for path, _ in order] == ["a", "b"]
    assert order[0][1] == order[1][1]


@proof
@given(LISTS, st.integers(1, 1_000))
def test_order_is_total(lists: dict[str, list[str]], k: int) -> None:
    weights = dict.fromkeys(lists, 1.0)
    order = fuse(lists, weights, k)
    assert sorted(path for path, _ in order) == sorted({path for paths in lists.values() for path in paths})
    assert all((-a[1], a[0]) < (-b[1], b[0]) for a, b in pairwise(order))
    assert order == fuse(dict(reversed(lists.items())), weights, k)


def test_without_arms_there_is_no_statement() -> None:
    assert fused_statement((), CONTEXT, {}, 60) is None
    assert fuse({}, {}, 60) == []


@pytest.mark.parametrize("dropped", [set(), {"fts"}, {"vector"}, {"fts", "vector"}, {"recency", "salience"}])
def test_numbering_never_moves(database: Database, dropped: set[str]) -> None:
    arms = [arm for arm in ARMS if arm.name not in dropped]
    scope = predicate(Scope(tags=("x", "y"), as_of="2024"))
    context = ArmContext(scope, now="0.0", spaces=(1,), band="0.0")
    sql = fused_statement(arms, context, {arm.name: arm.weight for arm in ARMS}, 60)
    assert sql is not None
    values = bound(sql, ("a", 40, 160, None if "vector" in dropped else b"\0" * 16), scope.values)
    assert values[4:] == ("2024", "x", "y")
    assert database.rows(sql, values) == []


def test_values_are_cut_to_the_named_slots() -> None:
    assert bound("SELECT 1", (1, 2, 3, 4), ("s",)) == ()
    assert bound("SELECT ?2, ?3", (1, 2, 3, 4), ("s",)) == (1, 2, 3)
    assert bound("SELECT ?6 IN (?5)", (1, 2, 3, 4), ("s", "t", "u")) == (1, 2, 3, 4, "s", "t")


@proof
@given(st.floats(allow_nan=False, allow_infinity=False))
def test_a_literal_reads_back(database: Database, number: float) -> None:
    assert database.scalar(f"SELECT {literal(number)}") == number
