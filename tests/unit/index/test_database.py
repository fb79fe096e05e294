"""The door to SQLite: odd vectors, the own distance function, interruption, and errors in words."""

from __future__ import annotations

import math
import struct
import threading
from pathlib import Path

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from memhtml_core.errors import IndexDamaged, IndexFault, Interrupted
from memhtml_core.index.database import NO_EXTENSION, Database, connect, create, distance_sql
from tests.counts import count

ODD = [(0.0, 0.0), (math.nan, 1.0), (math.inf, 1.0), (-math.inf, 0.0), (3e38, 3e38)]
FLOATS = st.floats(-100, 100, width=32)
COUNT = "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT count(*) FROM c"


def blob(*values: float) -> bytes:
    return struct.pack(f"<{len(values)}f", *values)


@pytest.fixture(params=["sqlite-vec", "own function"])
def database(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Database:
    if request.param == "own function":
        monkeypatch.setenv(NO_EXTENSION, "1")
    opened = create(tmp_path / "tree-1.db")
    assert opened.vector_function.startswith(request.param)
    return opened


def distance(database: Database, left: bytes, right: bytes) -> object:
    return database.scalar(f"SELECT {distance_sql('?1', '?2')}", (left, right))


@pytest.mark.parametrize("odd", ODD)
def test_odd_vectors_are_at_distance_one(database: Database, odd: tuple[float, float]) -> None:
    for pair in ((blob(*odd), blob(1, 0)), (blob(1, 0), blob(*odd))):
        if odd == (3e38, 3e38) and database.vector_function.startswith("own"):
            assert distance(database, *pair) == pytest.approx(1 - math.sqrt(0.5))
        else:
            assert distance(database, *pair) == 1.0


def test_vectors_of_different_length_are_an_error(database: Database) -> None:
    for left in (blob(1), b"abc", b"", None):
        with pytest.raises(IndexFault):
            database.rows(f"SELECT {distance_sql('?1', '?2')}", (left, blob(1, 0)))


def test_the_own_function_equals_the_extension(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    extension = create(tmp_path / "extension.db")
    monkeypatch.setenv(NO_EXTENSION, "1")
    own = create(tmp_path / "own.db")

    @settings(max_examples=count(60, 10_000), deadline=None)
    @given(st.lists(st.tuples(FLOATS, FLOATS), min_size=1, max_size=40))
    def agree(pairs: list[tuple[float, float]]) -> None:
        left, right = blob(*(a for a, _ in pairs)), blob(*(b for _, b in pairs))
        assume(_usable(left) and _usable(right))
        assert distance(extension, left, right) == pytest.approx(distance(own, left, right), abs=2e-6)

    agree()


def _usable(vector: bytes) -> bool:
    return sum(value * value for value in struct.unpack(f"<{len(vector) // 4}f", vector)) > 1e-6


def test_another_thread_can_interrupt(database: Database) -> None:
    timer = threading.Timer(0.1, database.interrupt)
    timer.start()
    with pytest.raises(Interrupted):
        database.rows(COUNT)
    timer.join()
    assert database.rows("SELECT 1") == [(1,)]
    database.close()
    database.interrupt()


def test_a_failed_transaction_leaves_nothing(database: Database) -> None:
    statements = "INSERT INTO meta VALUES ('a', '1'); INSERT INTO no_such_table VALUES (1)"
    with pytest.raises(IndexFault), database.transaction():
        database.run(statements)
    assert database.meta("a") is None
    with database.transaction():
        database.set_meta("a", "1")
    database.set_meta("a", "2")
    assert database.meta("a") == "2"
    database.set_meta("a", None)
    assert database.meta("a") is None


def test_a_read_only_connection_writes_nothing(database: Database) -> None:
    database.seal()
    with (
        connect(database.path, readonly=True) as reader,
        pytest.raises(IndexFault, match="cannot be read or written"),
    ):
        reader.set_meta("a", "1")


def test_a_busy_index_is_named_as_busy(database: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    database.seal()
    monkeypatch.setattr("memhtml_core.index.database.BUSY_MS", 50)
    database.run("BEGIN IMMEDIATE")
    with connect(database.path, readonly=False) as other:
        with pytest.raises(IndexFault, match="written by another process"):
            other.set_meta("a", "1")
        database.run("ROLLBACK")
        other.set_meta("a", "1")


def test_a_text_index_out_of_step_is_found(database: Database) -> None:
    database.run("INSERT INTO files_fts(rowid, fts_text) VALUES (7, 'words of no file')")
    with pytest.raises(IndexDamaged):
        database.check()


def test_a_file_of_another_program_is_refused(tmp_path: Path) -> None:
    (tmp_path / "x.db").write_bytes(b"not a database at all" * 100)
    with pytest.raises(IndexDamaged):
        connect(tmp_path / "x.db", readonly=True)
    with pytest.raises(IndexFault):
        connect(tmp_path / "absent.db", readonly=True)
