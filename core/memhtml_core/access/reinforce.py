"""Counting an open: the one function that writes into a store (seed 9, RETRIEVAL 11, DESIGN 8).

The cooldown stands twice, as the condition of the upsert and as `passes`, and both read `COOLDOWN_S`. Which
paths were counted comes from the statement's own RETURNING, never from a read before it, so a second writer
in between cannot make the answer untrue.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from dataclasses import replace
from importlib.resources import files
from pathlib import Path

import apsw

from memhtml_core.access.guest import find, gate, reason
from memhtml_core.access.instants import epoch_seconds, instant
from memhtml_core.access.plane import DATABASE
from memhtml_core.access.rows import AccessRow, Reinforced, Signal
from memhtml_core.access.sidecar import merge, read_export
from memhtml_core.errors import AccessError, PlaneLocked, UsageError

COOLDOWN_S = 900
"""Seconds that have to pass after a counted open before the next one of the same memory counts."""

OUTCOME_WEIGHT = 0.3
"""Weight of a new judgment in the moving average of a memory's outcome."""

BUSY_MS = 2_000
"""Milliseconds to wait for another writer before giving up."""

_PAUSE_S = 0.02

NEVER = "never"
"""What `cooled_until` says where the stored instant cannot be read: no later open can ever pass."""

MIGRATIONS = ("S0001_access.sql", "S0002_entity_corroboration.sql")
"""The migrations that the schema of a new state plane stands for."""

_SIGNALS: dict[Signal, int] = {"neutral": 0, "positive": 1, "negative": -1}
_TABLES = frozenset({"schema_migrations", "access", "edge_corroboration", "entity_corroboration"})
_COLUMNS = frozenset(AccessRow.__dataclass_fields__)

_UPSERT = """
INSERT INTO access (path, access_count, reinforcement_count, outcome_score,
                    last_accessed_at, last_reinforced_at, updated_at)
VALUES (:path, 1, :judged, :signal, :at, iif(:judged, :at, NULL), :at)
ON CONFLICT (path) DO UPDATE SET
    access_count        = access.access_count + 1,
    reinforcement_count = access.reinforcement_count + :judged,
    outcome_score       = iif(:judged,
                              max(-1.0, min(1.0, access.outcome_score * :kept + :signal * :weight)),
                              access.outcome_score),
    last_accessed_at    = :at,
    last_reinforced_at  = iif(:judged, :at, access.last_reinforced_at),
    updated_at          = :at
  WHERE access.last_accessed_at IS NULL
     OR unixepoch(:at) - unixepoch(access.last_accessed_at) >= :cooldown
RETURNING path
"""


def reinforce(
    root: Path, paths: Iterable[str], signal: Signal, at: str, *, busy_ms: int = BUSY_MS
) -> Reinforced:
    """Counts an open of each of `paths` at the instant `at`, unless it is still cooling down.

    Paths are taken as given, also unknown ones: whoever calls refuses those first. Duplicates and the empty
    path are dropped. One short transaction for all. Creates `state.db` where there is none. Raises
    `UsageError` (an `at` or a signal that cannot be meant), `PlaneLocked` (another writer for longer than
    `busy_ms`) and `AccessError`; then nothing was written.
    """
    if signal not in _SIGNALS:
        raise UsageError("no such signal", subject=str(signal), remedy=f"Use one of {', '.join(_SIGNALS)}")
    if epoch_seconds(at) is None:
        raise UsageError("not an instant", subject=at, remedy="Write it as 2024-05-01T08:30:00Z")
    wanted = tuple(dict.fromkeys(path for path in paths if path))
    if not wanted:
        return Reinforced((), ())
    _refuse_unwritable(root)
    # The real path, because SQLite told not to follow links refuses one anywhere in it.
    path = root.resolve().joinpath(*DATABASE)
    until = time.monotonic() + busy_ms / 1000
    try:
        while True:
            try:
                with gate(path):
                    return _count(path, wanted, signal, at)
            except apsw.BusyError:
                # Waited for outside the gate, so that reading goes on meanwhile.
                if time.monotonic() + _PAUSE_S > until:
                    raise
            time.sleep(_PAUSE_S)
    except apsw.BusyError as error:
        raise PlaneLocked(
            "another process is writing the state plane, so this open was not counted",
            subject="/".join(DATABASE),
            remedy="Open the memory again in a moment",
        ) from error
    except (apsw.ReadOnlyError, apsw.CantOpenError, apsw.PermissionsError, OSError) as error:
        raise AccessError(
            f"the state plane cannot be written ({reason(error)}), so this open was not counted",
            subject="/".join(DATABASE),
            remedy="Check the permissions of the store's .memhtml folder, or start with --read-only",
        ) from error
    except apsw.Error as error:
        raise AccessError(
            f"the state plane cannot be used ({error}), so this open was not counted",
            subject="/".join(DATABASE),
            remedy="Nothing was changed; keep a copy of the file before it is mended",
        ) from error


def passes(last_accessed_at: str | None, at: str) -> bool:
    """Whether an open at `at` counts for a memory last opened at `last_accessed_at` (None: never opened).

    The twin of the upsert's condition: whole seconds, an earlier `at` never passes, an unreadable stored
    instant never passes.
    """
    if last_accessed_at is None:
        return True
    before, now = epoch_seconds(last_accessed_at), epoch_seconds(at)
    return before is not None and now is not None and now - before >= COOLDOWN_S


def cooled_until(row: AccessRow | None, now: str) -> str | None:
    """From which instant on the next open counts; None where it counts now, `NEVER` where it never will."""
    if row is None or passes(row.last_accessed_at, now):
        return None
    before = epoch_seconds(row.last_accessed_at)
    return NEVER if before is None else instant(before + COOLDOWN_S)


def simulate(row: AccessRow | None, signal: Signal, at: str, *, path: str = "") -> AccessRow:
    """The row that an open at `at` would leave, without writing; `row` itself while it cools down.

    `path` names the memory where it has no row yet.
    """
    judged = signal != "neutral"
    value = float(_SIGNALS[signal])
    if row is None:
        return AccessRow(path, 1, int(judged), value, at, at if judged else None, at)
    if not passes(row.last_accessed_at, at):
        return row
    counted = replace(row, access_count=row.access_count + 1, last_accessed_at=at, updated_at=at)
    if not judged:
        return counted
    score = row.outcome_score * (1 - OUTCOME_WEIGHT) + value * OUTCOME_WEIGHT
    return replace(
        counted,
        reinforcement_count=row.reinforcement_count + 1,
        outcome_score=max(-1.0, min(1.0, score)),
        last_reinforced_at=at,
    )


def _refuse_unwritable(root: Path) -> None:
    if not root.is_dir():
        raise AccessError("the store is gone", subject=str(root), remedy="Open it again from where it is now")
    found = find(root, DATABASE)
    problem = found.problem
    if not problem and not found.there:
        # Read here as well, so that an unreadable export is found before a file is made.
        read_export(root)
    if problem:
        raise AccessError(
            f"the state plane is not written ({problem})",
            subject="/".join(DATABASE),
            remedy="See to that file and its permissions, or start with --read-only",
        )


def _count(path: Path, wanted: Sequence[str], signal: Signal, at: str) -> Reinforced:
    """One try: all of it, or `apsw.BusyError` with nothing done."""
    path.parent.mkdir(exist_ok=True)
    flags = apsw.SQLITE_OPEN_READWRITE | apsw.SQLITE_OPEN_CREATE | apsw.SQLITE_OPEN_NOFOLLOW
    connection = apsw.Connection(str(path), flags=flags)
    try:
        # At once a writer: a transaction that reads first could not become one while another writes.
        connection.execute("BEGIN IMMEDIATE")
        try:
            _set_up(connection, path.parents[len(DATABASE) - 1], at)
            answer = upsert(connection, wanted, signal, at)
            connection.execute("COMMIT")
        except BaseException:
            if connection.in_transaction:
                connection.execute("ROLLBACK")
            raise
        return answer
    finally:
        connection.close()


def upsert(connection: apsw.Connection, wanted: Sequence[str], signal: Signal, at: str) -> Reinforced:
    """The statement itself, once per path, on an open connection inside a transaction of the caller's."""
    values: dict[str, str | int | float] = {
        "judged": int(signal != "neutral"),
        "signal": float(_SIGNALS[signal]),
        "at": at,
        "kept": 1 - OUTCOME_WEIGHT,
        "weight": OUTCOME_WEIGHT,
        "cooldown": COOLDOWN_S,
    }
    bumped: list[str] = []
    cooled_down: list[str] = []
    for path in wanted:
        counted = connection.execute(_UPSERT, {**values, "path": path}).fetchall()
        (bumped if counted else cooled_down).append(path)
    return Reinforced(tuple(bumped), tuple(cooled_down))


def _set_up(connection: apsw.Connection, root: Path, at: str) -> None:
    """Makes the schema in a database that holds nothing; refuses one that is something else.

    Inside the caller's transaction, so that two first opens at once make one plane, and a crash leaves an
    empty file, which counts as none. A database that has an access table is never altered: migrating it is
    the reference's affair.
    """
    tables = {
        str(name) for (name,) in connection.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")
    }
    if "access" in tables:
        columns = {str(row[0]) for row in connection.execute("SELECT name FROM pragma_table_info('access')")}
        if not columns >= _COLUMNS:
            missing = ", ".join(sorted(_COLUMNS - columns))
            raise _foreign(f"its access table has no {missing}")
        return
    if not tables <= _TABLES:
        raise _foreign("it holds the tables of another program")
    # Until now the committed export stood in for the plane (DESIGN 4). From here on state.db is what is read,
    # so the export goes in first; otherwise one open in a fresh clone would hide all usage before it.
    export = read_export(root)
    schema = files("memhtml_core.access").joinpath("schema.sql").read_text("utf-8")
    connection.execute(schema)
    applied_at = instant(epoch_seconds(at) or 0).replace("Z", ".000Z")
    connection.executemany(
        "INSERT OR IGNORE INTO schema_migrations (name, applied_at) VALUES (?, ?)",
        [(name, applied_at) for name in MIGRATIONS],
    )
    if export is not None:
        connection.executemany(
            "INSERT INTO access VALUES (?, ?, ?, ?, ?, ?, ?)",
            [tuple(getattr(row, name) for name in AccessRow.__slots__) for row in merge(export.entries)],
        )


def _foreign(why: str) -> AccessError:
    return AccessError(
        f"this is no state plane ({why}), so nothing was written into it",
        subject="/".join(DATABASE),
        remedy="Move the file away; the next open makes a state plane",
    )
