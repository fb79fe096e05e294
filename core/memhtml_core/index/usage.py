"""A mirror of the state plane in the cache, where an index for salience may live (DESIGN 4).

The mirror is keyed by the plane's own version and attached to a connection as schema `usage`. There is one
file per kind of plane, so a session without a plane and one with it do not rewrite each other's rows.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import apsw

from memhtml_core.access.plane import Plane
from memhtml_core.access.rows import AccessRow
from memhtml_core.errors import IndexDamaged
from memhtml_core.index.database import BUSY_MS, Database, translated
from memhtml_core.index.location import Location, remove_database

UsageSource = Literal["state.db", "export", "none"]

STATIC_SALIENCE = "ln(1 + access_count) + max(outcome_score, 0.0)"
"""The part of the salience score that no clock moves; the mirror is indexed by it, descending."""

_FILES = {"state.db": "usage-state.db", "export": "usage-export.db", "none": "usage-none.db"}

_SCHEMA = f"""
CREATE TABLE IF NOT EXISTS access (
    path               TEXT PRIMARY KEY,
    access_count       INTEGER NOT NULL,
    reinforcement_count INTEGER NOT NULL,
    outcome_score      REAL NOT NULL,
    last_accessed_at   TEXT,
    last_reinforced_at TEXT,
    updated_at         TEXT NOT NULL
) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS access_static ON access({STATIC_SALIENCE} DESC);
CREATE TABLE IF NOT EXISTS mirrored (version TEXT NOT NULL);
"""


@dataclass(frozen=True, slots=True)
class UsageState:
    """What is attached as `usage`: where it comes from, how many access rows, and the source in words."""

    source: UsageSource
    rows: int
    detail: str


def attach_usage(database: Database, location: Location, plane: Plane | None) -> UsageState:
    """Bring the mirror up to date and attach it to `database` as `usage`; cheap where nothing has changed.

    Without a plane the table is there and empty, and the salience arm is out. Must run outside a transaction.
    Raises `IndexFault` where the cache cannot be written.
    """
    snapshot = plane.snapshot() if plane is not None else None
    source: UsageSource = snapshot.state if snapshot is not None else "none"
    detail = snapshot.why if snapshot is not None else "no state plane"
    location.ensure()
    path = location.folder / _FILES[source]
    rows = snapshot.rows if snapshot is not None and source != "none" else ()
    version = snapshot.version if snapshot is not None and source != "none" else "none"
    try:
        _mirror(path, rows, version)
    except IndexDamaged:
        # It holds nothing of its own, so it is made anew; the state plane itself is not touched by this.
        _detach(database)
        remove_database(path)
        _mirror(path, rows, version)
    _attach(database, str(path))
    return UsageState(source, len(rows), detail)


def _mirror(path: Path, rows: Sequence[AccessRow], version: str) -> None:
    with translated(path):
        connection = apsw.Connection(str(path))
        try:
            connection.set_busy_timeout(BUSY_MS)
            connection.execute("PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL").fetchall()
            connection.execute(_SCHEMA)
            found = next(iter(connection.execute("PRAGMA quick_check(1)")))[0]
            if found != "ok":
                raise apsw.CorruptError(found)
            if list(connection.execute("SELECT version FROM mirrored")) != [(version,)]:
                connection.execute("BEGIN IMMEDIATE; DELETE FROM access; DELETE FROM mirrored")
                connection.executemany(
                    "INSERT OR REPLACE INTO access VALUES (?, ?, ?, ?, ?, ?, ?)",
                    (
                        (
                            *(row.path, row.access_count, row.reinforcement_count, row.outcome_score),
                            *(row.last_accessed_at, row.last_reinforced_at, row.updated_at),
                        )
                        for row in rows
                    ),
                )
                connection.execute("INSERT INTO mirrored VALUES (?)", (version,))
                connection.execute("COMMIT")
        finally:
            connection.close(True)


def _attach(database: Database, path: str) -> None:
    attached = {row[1]: row[2] for row in database.rows("PRAGMA database_list")}
    if "usage" in attached:
        if attached["usage"] == path:
            return
        _detach(database)
    database.run("ATTACH ?1 AS usage", (path,))


def _detach(database: Database) -> None:
    if any(row[1] == "usage" for row in database.rows("PRAGMA database_list")):
        database.run("DETACH usage")
