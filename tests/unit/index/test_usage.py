"""The mirror of the state plane: equal to it, renewed when it moves, empty without one."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from memhtml_core.access.plane import Plane
from memhtml_core.index.build import build
from memhtml_core.index.location import Location, locate
from memhtml_core.index.usage import STATIC_SALIENCE, attach_usage
from memhtml_core.store.tree import Tree
from tests.fingerprint import changed, fingerprint

ALL = "SELECT path, access_count, outcome_score FROM usage.access ORDER BY path"


@pytest.fixture
def small(unpacked: Callable[[str], Path]) -> Path:
    return unpacked("small")


@pytest.fixture
def place(small: Path, tmp_path: Path) -> Location:
    location = locate(small, tmp_path / "cache")
    build(Tree(small), location)
    return location


def test_the_mirror_equals_the_plane_and_follows_it(small: Path, place: Location) -> None:
    plane = Plane(small)
    before = fingerprint(small)
    with place.open("peer") as database:
        first = attach_usage(database, place, plane)
        assert (first.source, first.rows) == ("state.db", 14)
        assert database.rows(ALL) == [(r.path, r.access_count, r.outcome_score) for r in plane.rows()]
        assert changed(before, fingerprint(small)) == []
        with closing(sqlite3.connect(small / ".memhtml" / "state.db")) as writer, writer:
            writer.execute("UPDATE access SET access_count = 4711 WHERE rowid = 1")
            writer.execute("DELETE FROM access WHERE rowid = 2")
        assert attach_usage(database, place, plane).rows == 13
        assert database.scalar("SELECT max(access_count) FROM usage.access") == 4711
        assert len(database.rows(ALL)) == 13


def test_without_a_plane_the_table_is_there_and_empty(small: Path, place: Location) -> None:
    with place.open("peer") as database:
        assert attach_usage(database, place, Plane(small)).rows == 14
        off = attach_usage(database, place, Plane(small, mode="none"))
        assert (off.source, off.rows) == ("none", 0)
        assert off.detail
        assert database.rows(ALL) == []
        assert attach_usage(database, place, None).source == "none"
        assert attach_usage(database, place, Plane(small)).rows == 14


def test_the_committed_export_stands_in_for_a_missing_plane(small: Path, place: Location) -> None:
    (small / ".memhtml" / "state.db").unlink()
    (small / ".memhtml" / "state").mkdir(exist_ok=True)
    line = '{"path":"areas/a.html","accessCount":2,"reinforcementCount":1,"outcomeScore":0.5,'
    line += '"lastAccessedAt":null,"lastReinforcedAt":null,"updatedAt":"2024-01-01T00:00:00Z"}\n'
    (small / ".memhtml" / "state" / "access.jsonl").write_text(line, "utf-8")
    with place.open("peer") as database:
        assert attach_usage(database, place, Plane(small)).source == "export"
        assert database.rows(ALL) == [("areas/a.html", 2, 0.5)]


def test_salience_without_the_clock_is_answered_from_an_index(small: Path, place: Location) -> None:
    with place.open("peer") as database:
        attach_usage(database, place, Plane(small))
        sql = f"SELECT path FROM usage.access ORDER BY {STATIC_SALIENCE} DESC LIMIT 5"
        plan = " ".join(str(row[3]) for row in database.rows("EXPLAIN QUERY PLAN " + sql))
        assert "access_static" in plan
        assert "TEMP B-TREE" not in plan
