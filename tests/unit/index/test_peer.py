"""The store's own index as a source: taken when sound, refused in words when not, never written."""

from __future__ import annotations

import gzip
import os
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest

from memhtml_core.embed.protocol import Space
from memhtml_core.errors import PeerIndexUnusable
from memhtml_core.index.build import build
from memhtml_core.index.database import distance_sql
from memhtml_core.index.freshness import freshness
from memhtml_core.index.location import Location, Source, locate
from memhtml_core.index.vectors import coverage, spaces
from memhtml_core.store.tree import Tree
from tests.fingerprint import changed, fingerprint
from tests.shared import shared
from tests.unit.index.stores import git, page, put

SPACE = Space("cohere.embed-v4:0@1024", 1024)


@pytest.fixture
def small(unpacked: Callable[[str], Path]) -> Path:
    return unpacked("small")


@pytest.fixture
def place(small: Path, tmp_path: Path) -> Location:
    return locate(small, tmp_path / "cache")


def _run(root: Path, sql: str, *, checked: bool = True) -> None:
    """Change the peer's index as its own program would, or without its foreign keys."""
    with closing(sqlite3.connect(root / ".memhtml" / "index.db")) as connection:
        connection.execute(f"PRAGMA foreign_keys = {int(checked)}")
        with connection:
            connection.execute(sql)


def _garbage(root: Path) -> None:
    path = root / ".memhtml" / "index.db"
    path.write_bytes(os.urandom(len(path.read_bytes())))


def _third(root: Path) -> None:
    path = root / ".memhtml" / "index.db"
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 3])


def _page_overwritten(root: Path) -> None:
    path = root / ".memhtml" / "index.db"
    data = bytearray(path.read_bytes())
    data[-5 * 4096 : -4096] = b"\xff" * (4 * 4096)
    path.write_bytes(data)


def _linked(root: Path) -> None:
    path = root / ".memhtml" / "index.db"
    path.rename(root.parent / "outside.db")
    path.symlink_to(root.parent / "outside.db")


def _missing(root: Path) -> None:
    (root / ".memhtml" / "index.db").unlink()


def _empty(root: Path) -> None:
    (root / ".memhtml" / "index.db").write_bytes(b"")


def _folder(root: Path) -> None:
    _missing(root)
    (root / ".memhtml" / "index.db").mkdir()


def _orphan(root: Path) -> None:
    _run(root, "INSERT INTO file_tags VALUES ('areas/gone.html', 't')", checked=False)


def _not_utf8(root: Path) -> None:
    _run(root, "UPDATE files SET title = CAST(x'ff' AS TEXT) WHERE rowid = 3")


BROKEN: dict[str, tuple[Callable[[Path], None], str]] = {
    "missing": (_missing, "has no index of its own"),
    "empty": (_empty, "it is empty"),
    "garbage": (_garbage, "it is damaged"),
    "truncated": (_third, "it is damaged"),
    "overwritten": (_page_overwritten, "it is damaged"),
    "linked": (_linked, "symbolic link"),
    "folder": (_folder, "not a plain file"),
    "half-written": (lambda root: _run(root, "UPDATE index_state SET head_sha = NULL"), "was never finished"),
    "never filled": (lambda root: _run(root, "DELETE FROM index_state"), "was never filled"),
    "newer": (
        lambda root: _run(root, "INSERT INTO schema_migrations VALUES ('0013_later.sql', '')"),
        "newer than this program knows (0013_later.sql)",
    ),
    "no table": (lambda root: _run(root, "DROP TABLE edges"), "it has no table edges"),
    "orphan": (_orphan, "areas/gone.html"),
    "not UTF-8": (_not_utf8, "it is damaged"),
}


@pytest.mark.parametrize("case", BROKEN)
def test_an_index_that_cannot_be_used_is_named_and_the_tree_is_taken(
    case: str, small: Path, place: Location
) -> None:
    damage, words = BROKEN[case]
    damage(small)
    before = fingerprint(small)
    with pytest.raises(PeerIndexUnusable) as caught:
        build(Tree(small), place, source="peer")
    assert words in caught.value.what
    assert place.current("peer") is None
    report = build(Tree(small), place, source="auto")
    assert (report.source, report.files) == ("tree", 62)
    assert words in report.why
    assert changed(before, fingerprint(small)) == []


def test_auto_takes_a_sound_index_and_rests_while_it_rests(small: Path, place: Location) -> None:
    first = build(Tree(small), place)
    assert (first.source, first.full, first.files, first.vectors) == ("peer", True, 62, 67)
    again = build(Tree(small), place)
    assert (again.full, again.changes.any, again.changes.unchanged) == (False, False, 62)
    assert again.generation == first.generation
    with place.open("peer") as database:
        assert freshness(Tree(small), database).current
    _run(small, "DELETE FROM files WHERE path LIKE 'areas/inbox/%'")
    with place.open("peer") as database:
        assert freshness(Tree(small), database).peer_moved
    third = build(Tree(small), place)
    assert (third.full, third.changes.added, third.changes.changed) == (True, 0, 0)
    assert third.changes.removed == 62 - third.files > 0
    assert third.generation == first.generation + 1


@pytest.fixture
def in_wal(small: Path) -> Iterator[sqlite3.Connection]:
    """A writer that keeps its last commit in the log beside the database."""
    with closing(sqlite3.connect(small / ".memhtml" / "index.db")) as connection:
        assert connection.execute("PRAGMA journal_mode = WAL").fetchone() == ("wal",)
        connection.execute("PRAGMA wal_autocheckpoint = 0")
        with connection:
            connection.execute("UPDATE files SET title = 'from the log' WHERE rowid = 1")
        yield connection


def test_what_stands_in_the_log_is_read_and_the_log_is_left_alone(
    small: Path, place: Location, in_wal: sqlite3.Connection
) -> None:
    assert (small / ".memhtml" / "index.db-wal").stat().st_size > 0
    before = fingerprint(small)
    build(Tree(small), place, source="peer")
    assert changed(before, fingerprint(small)) == []
    with place.open("peer") as database:
        assert database.scalar("SELECT count(*) FROM file_texts WHERE title = 'from the log'") == 1
    assert not list(place.folder.glob("memhtml-guest-*"))


def test_a_writer_inside_a_transaction_is_not_waited_for(
    small: Path, place: Location, in_wal: sqlite3.Connection
) -> None:
    in_wal.execute("BEGIN IMMEDIATE")
    in_wal.execute("DELETE FROM files")
    assert build(Tree(small), place, source="peer").files == 62
    in_wal.rollback()


def test_an_older_schema_is_taken_with_what_it_lacks_left_empty(small: Path, place: Location) -> None:
    old = gzip.decompress(shared("parity/small_level7.db.gz").read_bytes())
    (small / ".memhtml" / "index.db").write_bytes(old)
    report = build(Tree(small), place)
    assert (report.source, report.files) == ("peer", 58)
    assert report.notes == ("the peer's index is at migration 0007_watermark.sql",)
    with place.open("peer") as database:
        late = "task_status IS NOT NULL OR due_at IS NOT NULL OR frame_key IS NOT NULL"
        joined = "files f JOIN file_details d ON d.file_id = f.id"
        assert database.scalar(f"SELECT count(*) FROM {joined} WHERE {late}") == 0


SOURCES: tuple[Source, ...] = ("tree", "peer")


@pytest.mark.parametrize("source", SOURCES)
def test_the_vectors_of_the_peer_are_taken_and_those_of_a_wrong_length_are_not(
    source: Source, small: Path, place: Location
) -> None:
    for offset, change in enumerate(
        (
            "vec = zeroblob(4096)",
            "vec = x'0000'",
            "model = 'other@2', dim = 2, vec = x'0000803f00000000'",
        )
    ):
        chosen = f"(SELECT chunk_id FROM embeddings ORDER BY chunk_id LIMIT 1 OFFSET {offset})"
        _run(small, f"UPDATE embeddings SET {change} WHERE chunk_id = {chosen}")
    report = build(Tree(small), place, source=source)
    assert report.notes == ("vectors of the peer's index left out for their length: 1",)
    with place.open(source) as database:
        held = {entry.space.name: entry.count for entry in spaces(database)}
        assert held == {SPACE.name: 65, "other@2": 1}
        assert (coverage(database, SPACE).have, coverage(database, SPACE).chunks) == (65, 67)
        some = "(SELECT vec FROM vectors WHERE vec <> zeroblob(4096) AND length(vec) = 4096)"
        sql = f"SELECT {distance_sql('vec', some)} FROM vectors WHERE vec = zeroblob(4096)"
        assert database.rows(sql) == [(1.0,)]


def test_files_that_the_peer_does_not_have_are_problems_only_when_they_cannot_be_indexed(
    small: Path, place: Location
) -> None:
    put(small, "areas/new.html", page("Not indexed by the agent yet."))
    put(small, "areas/broken.html", b"<p>broken</p>")
    some = next(path for path in (small / "resources").rglob("*.html") if path.name != "index.html")
    put(small, "areas/zz-copy.html", some.read_bytes())
    build(Tree(small), place)
    with place.open("peer") as database:
        rows = database.rows("SELECT path, reason FROM problems ORDER BY path")
    assert rows == [("areas/broken.html", "refused"), ("areas/zz-copy.html", "duplicate")]
    (small / "areas/broken.html").unlink()
    assert build(Tree(small), place).problems == 1


def test_lag_behind_the_store_is_told(small: Path, place: Location) -> None:
    build(Tree(small), place)
    put(small, "areas/later.html", page("Committed after the index was built."))
    git(small, "add", "-A")
    git(small, "commit", "-q", "-m", "later")
    put(small, "areas/dirty.html", page("Not committed."))
    report = build(Tree(small), place)
    assert report.dirty == 1
    with place.open("peer") as database:
        lag = freshness(Tree(small), database)
    assert (lag.behind, lag.dirty, lag.peer_moved, lag.current) == (1, 1, False, False)
    assert lag.indexed_head != lag.head
