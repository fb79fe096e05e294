"""Each arm's list over random memories against a brute-force reading of RETRIEVAL 4, ties and all."""

from __future__ import annotations

import math
import random
import struct
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from memhtml_core.index.database import Database
from memhtml_core.rank.arms import ARMS, ArmContext, distance_band
from memhtml_core.rank.cosine import register
from memhtml_core.rank.fusion import bound, fused_statement
from memhtml_core.rank.request import Scope
from memhtml_core.rank.scope import predicate
from tests.counts import count
from tests.unit.rank.corpus import Row, blob, fill

NOW = 1_720_000_000.0
WORDS = ("fuel", "ferry", "quay", "pump", "fog")
DAYS = ("2024-06-01T00:00:00Z", "2024-06-01T00:00:01Z", "2024-06-02T10:00:00.250Z", "2024-07-03")
EPOCHS = dict(zip(DAYS, (1717200000.0, 1717200001.0, 1717322400.25, 1719964800.0), strict=True))
LIMIT = 7


def some_rows(dice: random.Random) -> list[Row]:
    directions = [[dice.gauss(0, 1) for _ in range(4)] for _ in range(4)]

    def vector() -> list[float] | None:
        choice = dice.random()
        if choice < 0.1:
            return None
        if choice < 0.15:
            return [0.0] * 4
        if choice < 0.2:
            return [math.inf, 1.0, 0.0, 0.0]
        if choice < 0.25:
            return [dice.gauss(0, 1) for _ in range(3)]  # another length, as only a stranger's index can hold
        # Near-copies: closer to one another than float32 arithmetic can tell.
        base = dice.choice(directions)
        scale = dice.choice([1.0, 3.0, 1e-3, 1e25, 1e-25])
        return [scale * (value + dice.choice([0.0, 0.0, 1e-7, -1e-7])) for value in base]

    def access() -> tuple[int, float, str | None] | None:
        if dice.random() < 0.5:
            return None
        last = dice.choice([*DAYS, None, "", "soon"])
        return dice.choice([0, 1, 1, 5, -1]), dice.choice([-1.0, 0.0, 0.3, math.inf]), last

    paths = [f"areas/{dice.choice('aAé')}{number}.html" for number in range(30)]
    paths += [f"resources/people/{number}.html" for number in range(3)]
    paths += ["Resources/people/x.html", "resources/people2/y.html"]
    dice.shuffle(paths)
    return [
        Row(
            path=path,
            text=" ".join(dice.choices(WORDS, k=dice.randrange(1, 5))),
            memory_type=dice.choice(("semantic", "semantic", "task", "arc")),
            archived=dice.random() < 0.2,
            updated_at=dice.choice(DAYS),
            event_at=dice.choice((None, *DAYS)),
            ordinal=dice.randrange(3),
            vectors=tuple(vector() for _ in range(dice.randrange(4))),
            access=access(),
        )
        for path in paths
    ]


def ranked(rows: Sequence[Row], key: Callable[[Row], Any]) -> list[tuple[str, Any]]:
    """(path, value) in the order of the key's first part; the value is its second."""
    keyed = sorted(((*key(row), row.path) for row in rows), key=lambda item: (item[0], item[2]))
    return [(path, value) for _, value, path in keyed][:LIMIT]


def by_text(rows: Sequence[Row], scoped: Sequence[Row], query: Sequence[str]) -> list[tuple[str, Any]]:
    texts = [row.text.split() for row in rows]
    average = sum(map(len, texts)) / len(texts)

    def score(row: Row) -> float:
        text, total = row.text.split(), 0.0
        for word in query:
            hits = sum(word in other for other in texts)
            weight = math.log((len(texts) - hits + 0.5) / (hits + 0.5))
            often = text.count(word)
            spread = often + 1.2 * (1 - 0.75 + 0.75 * len(text) / average)
            total += (weight if weight > 0 else 1e-6) * ((often * 2.2) / spread)
        return -1.0 * total

    found = [row for row in scoped if set(query) & set(row.text.split())]
    return ranked(found, lambda row: ((score(row), row.ordinal), score(row)))


def by_vector(scoped: Sequence[Row], query: Sequence[float]) -> list[tuple[str, Any]]:
    def distance(vector: Sequence[float]) -> float:
        a = struct.unpack(f"<{len(vector)}f", blob(vector))
        dot = left = right = 0.0
        for x, y in zip(a, query, strict=False):
            dot, left, right = dot + x * y, left + x * x, right + y * y
        norms = math.sqrt(left) * math.sqrt(right)
        cosine = dot / norms if norms else 0.0
        return 1.0 - (0.0 if math.isnan(cosine) else max(-1.0, min(1.0, cosine)))

    found = [row for row in scoped if any(row.vectors)]
    return ranked(found, lambda row: (nearest := min(distance(v) for v in row.vectors if v), nearest))


def by_time(scoped: Sequence[Row]) -> list[tuple[str, Any]]:
    latest = sorted(scoped, key=lambda row: row.path)
    latest.sort(key=lambda row: row.event_at or row.updated_at, reverse=True)
    return [(row.path, row.event_at or row.updated_at) for row in latest][:LIMIT]


def by_use(scoped: Sequence[Row]) -> list[tuple[str, Any]]:
    def salience(row: Row) -> float | None:
        times, outcome, last = row.access or (0, 0.0, None)
        at = row.updated_at if last is None else last
        if at not in EPOCHS or times < 0:
            return None
        return math.exp(-0.01 * ((NOW - EPOCHS[at]) / 3600.0)) + math.log(1 + times) + max(outcome, 0.0)

    found = [
        row for row in scoped if row.memory_type != "task" and not row.path.startswith("resources/people/")
    ]
    return ranked(found, lambda row: ((salience(row) is None, -(salience(row) or 0.0)), salience(row)))


@pytest.mark.parametrize("seed", range(count(12, 300)))
def test_lists_equal_brute_force(tmp_path: Path, seed: int) -> None:
    dice = random.Random(seed)
    rows = some_rows(dice)
    query = dice.sample(WORDS, 2)
    vector = [dice.gauss(0, 1) for _ in range(4)]
    packed = blob(vector)
    scope = dice.choice([Scope(), Scope(include_archived=True), Scope(memory_types=("task", "arc"))])
    scoped = [
        row
        for row in rows
        if (scope.include_archived or not row.archived)
        and (row.memory_type in scope.memory_types if scope.memory_types else row.memory_type != "task")
    ]
    expected = {
        "fts": by_text(rows, scoped, query),
        "vector": by_vector(scoped, struct.unpack("<4f", packed)),
        "recency": by_time(scoped),
        "salience": by_use(scoped),
    }
    with fill(tmp_path / "index.db", rows) as database:
        register(database.connection)
        context = ArmContext(predicate(scope), repr(NOW), (1,), repr(distance_band(4)))
        for arm in ARMS:
            sql = fused_statement([arm], context, {arm.name: 1.0}, 60) or ""
            values = bound(sql, (" OR ".join(query), LIMIT, LIMIT, packed), predicate(scope).values)
            found = database.rows(sql, values)
            assert [row[3] for row in found] == list(range(1, len(found) + 1))
            assert [(row[1], row[4]) for row in found] == expected[arm.name], arm.name


@pytest.mark.parametrize("scale", [1e-15, 1.0, 1e18, 1e20, 1e30])
def test_a_vector_of_any_length_has_its_rank(tmp_path: Path, scale: float) -> None:
    rows = [Row(f"areas/{number}.html", vectors=((1, 0.1 * number, 0, 0),)) for number in range(2 * LIMIT)]
    rows.append(Row("areas/z.html", vectors=((scale, 0.05 * scale, 0, 0),)))
    query = blob([1, 0, 0, 0])
    with fill(tmp_path / "index.db", rows) as database:
        register(database.connection)
        context = ArmContext(predicate(Scope()), repr(NOW), (1,), repr(distance_band(4)))
        sql = fused_statement(ARMS[1:2], context, {"vector": 1.0}, 60) or ""
        found = database.rows(sql, bound(sql, (None, LIMIT, LIMIT, query), ()))
    assert [(row[1], row[4]) for row in found] == by_vector(rows, (1.0, 0.0, 0.0, 0.0))
    assert found[1][1] == "areas/z.html"


def plan(database: Database, scope: Scope, name: str) -> str:
    arm = next(arm for arm in ARMS if arm.name == name)
    chosen = predicate(scope)
    sql = fused_statement([arm], ArmContext(chosen, "0.0", (1,)), {name: 1.0}, 60) or ""
    rows = database.rows("EXPLAIN QUERY PLAN " + sql, bound(sql, ("a", 40, 40, b"\0" * 16), chosen.values))
    return "\n".join(row[3] for row in rows)


def test_indexes_are_used(tmp_path: Path) -> None:
    with fill(tmp_path / "index.db", some_rows(random.Random(1))) as database:
        register(database.connection)
        recency = plan(database, Scope(), "recency")
        assert "SCAN f USING INDEX files_recency" in recency
        assert recency.count("TEMP B-TREE FOR ORDER BY") == 1  # the outer order of the whole statement alone
        narrow = Scope(tags=("x",), entity="a:b")
        for name in ("vector", "recency", "salience"):
            assert "SCAN f\n" not in plan(database, narrow, name)
        assert "CORRELATED" not in plan(database, narrow, "fts")
