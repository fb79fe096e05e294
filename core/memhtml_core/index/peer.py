"""The store's own `.memhtml/index.db` as a source: opened as a guest, copied row by row, never written.

What a person debugs is then what the agent's ranker sees: its rows, vectors, mined edges and insertion order
(DESIGN 4). Whatever keeps it from being used is a `PeerIndexUnusable` in words, and the tree works instead.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import apsw

from memhtml_core.access.guest import Moved, change_key, find, opened_untouched
from memhtml_core.errors import IndexFault, PeerIndexUnusable
from memhtml_core.index import project, vectors
from memhtml_core.index.database import Database
from memhtml_core.index.progress import Cancel, Meter, Report

INDEX_DB = (".memhtml", "index.db")
"""Where the peer's index lies, below the root of a store."""

KNOWN_MIGRATIONS = (
    *("0001_files.sql", "0002_chunks.sql", "0003_fts.sql", "0004_edges.sql", "0005_traces.sql"),
    *("0006_sleep.sql", "0007_watermark.sql", "0008_tasks.sql", "0009_frame_key.sql"),
    *("0010_trace_consolidations.sql", "0011_edge_indexes.sql", "0012_origin_path.sql"),
)
_OLDEST = 7
_LATE_COLUMNS = frozenset({"task_status", "due_at", "frame_key"})
_BATCH = 500
_ATTEMPTS = 6
_PAUSE_S = 0.05
_TABLES = (
    "files",
    "file_tags",
    "file_entities",
    "file_facets",
    "file_citations",
    "chunks",
    "embeddings",
    "edges",
)


@dataclass(frozen=True, slots=True)
class PeerIndex:
    """The peer's index, open for reading, and its watermark (`index_state`).

    `level` is the number of its last migration; `words` says what is odd about it, "" for nothing.
    """

    connection: apsw.Connection
    head_sha: str
    embed_model: str | None
    embed_dim: int | None
    rebuilt_at: str | None
    updated_at: str | None
    level: int
    key: str
    words: str


@dataclass(frozen=True, slots=True)
class PeerCopy:
    """How many files and vectors were copied, and how many vectors were refused for their length."""

    files: int
    vectors: int
    refused: int


def peer_key(root: Path) -> str | None:
    """A key that changes whenever the peer's index does; None where there is none to read."""
    found = find(root, INDEX_DB)
    return change_key(found.path) if found.there and not found.problem else None


@contextmanager
def open_peer(root: Path, scratch: Path) -> Iterator[PeerIndex]:
    """Open the peer's index for reading; nothing in the store is written, a log beside it is read from a
    copy.

    `scratch` is a folder for that copy. Raises `PeerIndexUnusable` for an index that is absent, damaged,
    half-written, of an unknown schema, or that changed while it was read (on leaving the block).
    """
    found = find(root, INDEX_DB)
    if found.problem:
        raise _unusable(root, found.problem)
    if not found.there:
        raise PeerIndexUnusable(
            "the store has no index of its own", subject=str(found.path), remedy="Index the tree instead"
        )
    try:
        key = change_key(found.path)
        with opened_untouched(found.path, scratch) as connection:
            yield _examined(root, connection, key)
    except Moved:
        raise _unusable(root, "it kept changing while it was read") from None
    except (apsw.NotADBError, apsw.CorruptError, apsw.FormatError, UnicodeDecodeError) as error:
        raise _unusable(root, f"it is damaged ({error})") from error
    except (apsw.BusyError, apsw.LockedError) as error:
        raise _unusable(root, f"it is locked ({error})") from error
    except (apsw.Error, OSError) as error:
        raise _unusable(root, f"it cannot be read ({error})") from error


def copy_peer(
    root: Path,
    scratch: Path,
    database: Database,
    progress: Report | None = None,
    cancel: Cancel | None = None,
) -> tuple[PeerIndex, PeerCopy]:
    """Fill a new, empty index of ours with everything in the peer's; the order of its rows becomes `ordinal`.

    Runs in one transaction and again from the start when the peer writes meanwhile. The connection of the
    index given back is closed. Raises `PeerIndexUnusable`, or `Interrupted` when `cancel` says so.
    """
    attempts = _ATTEMPTS
    while True:
        key = peer_key(root)
        try:
            with database.transaction(), open_peer(root, scratch) as peer:
                return peer, _copy(root, peer, database, progress, cancel)
        except PeerIndexUnusable:
            attempts -= 1
            if not attempts or peer_key(root) == key:
                raise
            time.sleep(_PAUSE_S)


def take_vectors(root: Path, scratch: Path, database: Database) -> tuple[PeerIndex, int, int]:
    """Take the vectors of the peer's index whose chunk ours knows too; (the index, taken, refused).

    Must run inside a transaction. Raises `PeerIndexUnusable`.
    """
    with open_peer(root, scratch) as peer:
        taken, refused = vectors.take(
            database,
            peer.connection.execute(
                "SELECT chunk_id, model, dim, vec, created_at FROM embeddings ORDER BY rowid"
            ),
        )
        vectors.drop_shadowed(database)
        return peer, taken, refused


def _examined(root: Path, connection: apsw.Connection, key: str) -> PeerIndex:
    tables = {row[0] for row in connection.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")}
    if not tables:
        raise _unusable(root, "it is empty")
    missing = sorted({*_TABLES, "index_state", "schema_migrations"} - tables)
    if missing:
        raise _unusable(root, f"it has no table {missing[0]}")
    names = [row[0] for row in connection.execute("SELECT name FROM schema_migrations ORDER BY name")]
    unknown = [name for name in names if name not in KNOWN_MIGRATIONS]
    if unknown:
        raise _unusable(root, f"its schema is newer than this program knows ({unknown[-1]})")
    level = len(names)
    if names != list(KNOWN_MIGRATIONS[:level]) or level < _OLDEST:
        raise _unusable(root, f"its schema is older than this program knows ({level} migrations)")
    state = list(
        connection.execute("SELECT head_sha, embed_model, embed_dim, rebuilt_at, updated_at FROM index_state")
    )
    if not state:
        raise _unusable(root, "it was never filled")
    if state[0][0] is None:
        raise _unusable(root, "a rebuild of it was never finished")
    found = [row[0] for row in connection.execute("PRAGMA quick_check(1)")]
    if found != ["ok"]:
        raise _unusable(root, f"it is damaged ({found[0]})")
    head, model, dim, rebuilt, updated = state[0]
    words = "" if level == len(KNOWN_MIGRATIONS) else f"the peer's index is at migration {names[-1]}"
    return PeerIndex(connection, head, model, dim, rebuilt, updated, level, key, words)


def _copy(
    root: Path, peer: PeerIndex, database: Database, progress: Report | None, cancel: Cancel | None
) -> PeerCopy:
    source = peer.connection
    try:
        ids = _copy_files(peer, database, progress, cancel)
        meter = Meter("copy children", None, progress, cancel)
        for columns, table, write in (
            ("tag", "file_tags", project.write_tags),
            ("entity_type, entity_name", "file_entities", project.write_entities),
            ("name, value, numeric_value", "file_facets", project.write_facets),
            ("text, href", "file_citations", project.write_citations),
        ):
            for batch in _batches(source, f"SELECT path, {columns} FROM {table} ORDER BY rowid"):
                write(database, [(ids[path], *rest) for path, *rest in batch])
                meter.add(len(batch))
        chunks = "SELECT chunk_id, path, content_hash, ordinal, text, char_count FROM chunks ORDER BY rowid"
        for batch in _batches(source, chunks):
            project.write_chunks(database, [(key, ids[path], *rest) for key, path, *rest in batch])
            meter.add(len(batch))
        for batch in _batches(source, f"SELECT {', '.join(project.EDGE_COLUMNS)} FROM edges ORDER BY rowid"):
            project.write_edges(database, batch)
            meter.add(len(batch))
        taken, refused = _copy_vectors(source, database, progress, cancel)
    except KeyError as error:
        raise _unusable(root, f"a row names a file that it does not hold ({error})") from error
    except IndexFault as error:
        if isinstance(error.__cause__, (apsw.ConstraintError, apsw.MismatchError)):
            raise _unusable(root, f"a row of it does not fit ({error.__cause__})") from error
        raise
    return PeerCopy(len(ids), taken, refused)


def _copy_files(
    peer: PeerIndex, database: Database, progress: Report | None, cancel: Cancel | None
) -> dict[str, int]:
    total = next(iter(peer.connection.execute("SELECT count(*) FROM files")))[0]
    meter = Meter("copy files", total, progress, cancel)
    there = {row[1] for row in peer.connection.execute("PRAGMA table_info(files)")}
    wanted = [
        name if name in there or name not in _LATE_COLUMNS else f"NULL AS {name}"
        for name in project.FILE_COLUMNS
    ]
    names = ("id", "ordinal", *project.FILE_COLUMNS)
    ids: dict[str, int] = {}
    for batch in _batches(
        peer.connection, f"SELECT rowid, rowid, {', '.join(wanted)} FROM files ORDER BY rowid"
    ):
        rows = [dict(zip(names, row, strict=True)) for row in batch]
        project.write_files(database, rows)
        ids.update((row["path"], row["id"]) for row in rows)
        meter.add(len(batch))
    return ids


def _copy_vectors(
    source: apsw.Connection, database: Database, progress: Report | None, cancel: Cancel | None
) -> tuple[int, int]:
    total = next(iter(source.execute("SELECT count(*) FROM embeddings")))[0]
    meter = Meter("copy vectors", total, progress, cancel)
    taken = refused = 0
    for batch in _batches(
        source, "SELECT chunk_id, model, dim, vec, created_at FROM embeddings ORDER BY rowid"
    ):
        counts = vectors.take(database, batch)
        taken, refused = taken + counts[0], refused + counts[1]
        meter.add(len(batch))
    return taken, refused


def _batches(connection: apsw.Connection, sql: str) -> Iterator[Sequence[Any]]:
    cursor = connection.execute(sql)
    while batch := [row for _, row in zip(range(_BATCH), cursor, strict=False)]:
        yield batch


def _unusable(root: Path, why: str) -> PeerIndexUnusable:
    return PeerIndexUnusable(
        f"the store's own index cannot be used: {why}",
        subject=str(root.joinpath(*INDEX_DB)),
        remedy="Index the tree instead, or let its own program rebuild it",
    )
