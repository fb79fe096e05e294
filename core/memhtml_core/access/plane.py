"""Reading the state plane of a store without leaving a trace in it (DESIGN 4, STORE_FORMAT 8).

A plane that cannot be read is a state with a reason, not an error: searching goes on without the salience
arm. Where there is no `state.db`, the committed export stands in (*usage from the committed export*).
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import apsw

from memhtml_core.access.guest import Moved, change_key, facts, find, opened_untouched, reason
from memhtml_core.access.rows import AccessRow
from memhtml_core.access.sidecar import LARGEST_COUNT, SIDECAR, merge, read_export
from memhtml_core.errors import AccessError

PlaneState = Literal["state.db", "export", "none"]
PlaneMode = Literal["auto", "none"]

DATABASE = (".memhtml", "state.db")
"""Where the state plane lies, below the root of a store."""

_ATTEMPTS = 6
_PAUSE_S = 0.02

# Text is fetched as bytes and decoded here, so that one row that is not UTF-8 costs that row only.
_SELECT = """
SELECT CAST(path AS BLOB),
       CASE typeof(access_count) WHEN 'blob' THEN NULL ELSE access_count + 0 END,
       CASE typeof(reinforcement_count) WHEN 'blob' THEN NULL ELSE reinforcement_count + 0 END,
       CASE typeof(outcome_score) WHEN 'blob' THEN NULL ELSE outcome_score + 0.0 END,
       CAST(last_accessed_at AS BLOB), CAST(last_reinforced_at AS BLOB), CAST(updated_at AS BLOB),
       typeof(access_count) || typeof(reinforcement_count) || typeof(outcome_score)
  FROM access ORDER BY path
"""


@dataclass(frozen=True, slots=True)
class Snapshot:
    """One consistent reading of the state plane.

    `why` says in words where the rows come from, or why there are none. `odd` counts rows that had to be
    mended or left out. `version` is the change key that this reading belongs to.
    """

    state: PlaneState
    why: str
    rows: tuple[AccessRow, ...]
    odd: int
    version: str


class Plane:
    """The state plane of one store, read only.

    `mode` "none" leaves the plane out. `scratch` is the folder for short-lived copies (default: the system's
    temporary folder); each copy lies in a 0700 folder of its own and is removed before the call returns.
    Nothing here raises for a missing, damaged, locked or foreign plane: `state` is then "none" and `why` says
    what was found. Use from one thread.
    """

    def __init__(self, root: Path, mode: PlaneMode = "auto", *, scratch: Path | None = None) -> None:
        self.root = root
        self.mode = mode
        self._scratch = scratch
        self._snapshot: Snapshot | None = None
        self._by_path: dict[str, AccessRow] | None = None

    @property
    def state(self) -> PlaneState:
        """Where usage comes from: the database, the committed export, or nowhere."""
        return self.snapshot().state

    @property
    def why(self) -> str:
        """The state in words, for people."""
        return self.snapshot().why

    def version(self) -> str:
        """A key that differs whenever the rows may differ; costs a few `lstat` calls and two small reads."""
        if self.mode == "none":
            return "off"
        database, export = self.root.joinpath(*DATABASE), self.root.joinpath(*SIDECAR)
        return f"state.db {change_key(database)} export {facts(export) or '-'}"

    def rows(self) -> list[AccessRow]:
        """Every access row, ordered by path."""
        return list(self.snapshot().rows)

    def row(self, path: str) -> AccessRow | None:
        """The access row of one memory, None where it was never opened."""
        snapshot = self.snapshot()
        if self._by_path is None:
            self._by_path = {row.path: row for row in snapshot.rows}
        return self._by_path.get(path)

    def snapshot(self) -> Snapshot:
        """One consistent reading; the same object is given back until `version()` changes."""
        version = self.version()
        if self._snapshot is None or self._snapshot.version != version:
            self._by_path = None
            self._snapshot = self._read(version)
        return self._snapshot

    def _read(self, version: str) -> Snapshot:
        if self.mode == "none":
            return Snapshot("none", "the state plane is switched off", (), 0, version)
        found = find(self.root, DATABASE)
        if found.problem:
            return Snapshot("none", f"state.db is not read: {found.problem}", (), 0, version)
        if not found.there:
            return self._read_export(version, "no state.db")
        try:
            rows, odd = self._read_database()
        except _NoAccessTable:
            return self._read_export(version, "state.db holds no access table yet")
        except Moved:
            return Snapshot("none", "state.db kept changing while it was read; it is tried again", (), 0, "")
        except (apsw.NotADBError, apsw.CorruptError, apsw.FormatError) as error:
            return Snapshot("none", f"state.db is damaged ({error})", (), 0, version)
        except apsw.SQLError as error:
            return Snapshot("none", f"state.db has an unknown shape ({error})", (), 0, version)
        except (apsw.Error, OSError) as error:
            return Snapshot("none", f"state.db cannot be read ({reason(error)})", (), 0, version)
        return Snapshot("state.db", f"usage from state.db{_odd_words(odd)}", tuple(rows), odd, version)

    def _read_export(self, version: str, before: str) -> Snapshot:
        try:
            parsed = read_export(self.root)
        except AccessError as error:
            return Snapshot("none", f"{before}, and {error.what}", (), 0, version)
        if parsed is None:
            return Snapshot("none", f"no state plane: {before} and no committed export", (), 0, version)
        rows = tuple(merge(parsed.entries))
        words = f"usage from the committed export ({before}){_odd_words(parsed.skipped)}"
        return Snapshot("export", words, rows, parsed.skipped, version)

    def _read_database(self) -> tuple[list[AccessRow], int]:
        for attempt in range(_ATTEMPTS):
            if attempt:
                time.sleep(_PAUSE_S)
            try:
                with opened_untouched(self.root.joinpath(*DATABASE), self._scratch) as connection:
                    return _rows(connection)
            except Moved:
                continue
        raise Moved


class _NoAccessTable(Exception):
    """A database that nobody has set up yet: the same as none at all."""


def _rows(connection: apsw.Connection) -> tuple[list[AccessRow], int]:
    has_table = connection.execute(
        "SELECT 1 FROM sqlite_schema WHERE type IN ('table', 'view') AND name = 'access'"
    )
    if not list(has_table):
        raise _NoAccessTable
    rows: list[AccessRow] = []
    odd = 0
    for values in connection.execute(_SELECT):
        row, mended = _row(values)
        odd += mended or row is None
        if row is not None:
            rows.append(row)
    return rows, odd


def _row(values: tuple[Any, ...]) -> tuple[AccessRow | None, bool]:
    """One stored row with its values in range, and whether that mended it; None where it names no path."""
    path = _decoded(values[0])
    if not path:
        return None, True
    opens, judged, score = values[1], values[2], values[3]
    mended = AccessRow(
        path,
        _count(opens),
        _count(judged),
        0.0 if score is None else max(-1.0, min(1.0, float(score))),
        _decoded(values[4]),
        _decoded(values[5]),
        _decoded(values[6]) or "",
    )
    kept = (mended.access_count, mended.reinforcement_count, mended.outcome_score) == (opens, judged, score)
    return mended, not kept or "text" in values[7] or "blob" in values[7]


def _count(value: int | float | None) -> int:
    return 0 if value is None else int(max(0, min(LARGEST_COUNT, value)))


def _decoded(value: bytes | None) -> str | None:
    if value is None:
        return None
    try:
        return value.decode("utf-8")
    except UnicodeDecodeError:
        return None


def _odd_words(odd: int) -> str:
    if not odd:
        return ""
    return f"; {odd} odd {'row' if odd == 1 else 'rows'} mended or left out"
