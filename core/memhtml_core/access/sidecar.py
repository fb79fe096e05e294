"""The committed export, `.memhtml/state/access.jsonl`: read, write, merge (STORE_FORMAT 8).

One JSON object per line. Reading is tolerant by line: a line that is no object or names no path is counted
and skipped, a value of the wrong kind counts as missing. The numbers follow ECMAScript, because the other
side writes them so: no NaN literal, and whole floats without a decimal point.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from memhtml_core.access.guest import find, no_follow, reason
from memhtml_core.access.rows import AccessRow
from memhtml_core.errors import AccessError

SIDECAR = (".memhtml", "state", "access.jsonl")
"""Where the export lies, below the root of a store."""

LARGEST_COUNT = 2**53 - 1
"""The largest count that both sides hold exactly; a larger one is read as this."""


LARGEST_EXPORT = 256 * 1024 * 1024
"""Bytes beyond which an export is not read: two million rows take less."""


@dataclass(frozen=True, slots=True)
class Parsed:
    """The lines of an export that could be read, in their order, and how many could not."""

    entries: tuple[AccessRow, ...]
    skipped: int


def read_export(root: Path) -> Parsed | None:
    """The export of the store at `root`, None where there is none; `AccessError` where it cannot be read."""
    found = find(root, SIDECAR)
    problem = found.problem
    if not problem and not found.there:
        return None
    try:
        if not problem:
            with open(found.path, "rb", opener=no_follow) as stream:
                data = stream.read(LARGEST_EXPORT + 1)
            if len(data) <= LARGEST_EXPORT:
                return parse(data.decode("utf-8", "replace"))
            problem = "it is larger than 256 MB"
    except OSError as error:
        problem = reason(error)
    raise AccessError(
        f"the committed export of usage cannot be read ({problem})",
        subject="/".join(SIDECAR),
        remedy="Mend or remove that file; nothing was changed",
    )


def parse(text: str) -> Parsed:
    """Reads an export. Blank lines are nothing; every other unreadable line is counted in `skipped`.

    Entries are as stated: a negative count stays negative here and is mended by `merge`, which is what the
    salience arm and a new `state.db` are made from. A byte order mark before the first line is dropped.
    """
    entries: list[AccessRow] = []
    skipped = 0
    for line in text.removeprefix("\ufeff").split("\n"):
        if not line.strip():
            continue
        entry = _entry(line)
        if entry is None:
            skipped += 1
        else:
            entries.append(entry)
    return Parsed(tuple(entries), skipped)


def format_rows(rows: Iterable[AccessRow]) -> str:
    """The export of `rows`, ordered by path, LF after each line; no rows give the empty text."""
    ordered = sorted(rows, key=lambda row: row.path.encode("utf-8", "surrogatepass"))
    return "".join(_line(row) + "\n" for row in ordered)


def merge(entries: Iterable[AccessRow]) -> list[AccessRow]:
    """What importing `entries` into an empty access table leaves there, ordered by path.

    A path that occurs again takes the larger counts, the later line's score and `updated_at`, and the later
    instants (STORE_FORMAT 8). Two things differ from the reference on purpose: where neither line states an
    instant it stays None instead of becoming the empty text, which no cooldown could ever pass again; and
    values that the table's own checks would reject (negative counts, scores outside -1 to 1) are brought to
    the nearest allowed one.
    """
    merged: dict[str, AccessRow] = {}
    for entry in entries:
        row = mend(entry)
        known = merged.get(row.path)
        merged[row.path] = row if known is None else _joined(known, row)
    return [merged[path] for path in sorted(merged, key=lambda path: path.encode("utf-8", "surrogatepass"))]


def mend(row: AccessRow) -> AccessRow:
    """`row` with every value inside what the access table allows: counts from 0, score within -1 to 1."""
    return AccessRow(
        row.path,
        max(0, min(LARGEST_COUNT, row.access_count)),
        max(0, min(LARGEST_COUNT, row.reinforcement_count)),
        max(-1.0, min(1.0, row.outcome_score)),
        row.last_accessed_at,
        row.last_reinforced_at,
        row.updated_at,
    )


def rounded_score(value: float) -> float:
    """`value` at four decimals, halves toward plus infinity, never minus zero."""
    scaled = value * 10_000
    if not math.isfinite(scaled):
        return 0.0
    whole = math.floor(scaled)
    # The difference is exact, which `scaled + 0.5` would not be just below a half.
    return (whole + (scaled - whole >= 0.5)) / 10_000


def _joined(known: AccessRow, row: AccessRow) -> AccessRow:
    return AccessRow(
        row.path,
        max(known.access_count, row.access_count),
        max(known.reinforcement_count, row.reinforcement_count),
        row.outcome_score,
        _later(known.last_accessed_at, row.last_accessed_at),
        _later(known.last_reinforced_at, row.last_reinforced_at),
        row.updated_at,
    )


def _later(one: str | None, other: str | None) -> str | None:
    if one is None or other is None:
        return other if one is None else one
    return max(one, other, key=lambda text: text.encode("utf-8", "surrogatepass"))


def _entry(line: str) -> AccessRow | None:
    try:
        value = json.loads(line, parse_constant=_refuse_constant, parse_int=_number)
    except (ValueError, RecursionError):
        return None
    if not isinstance(value, dict):
        return None
    path = _text(value.get("path"))
    if not path:
        return None
    return AccessRow(
        path,
        _count(value.get("accessCount")),
        _count(value.get("reinforcementCount")),
        rounded_score(_real(value.get("outcomeScore"))),
        _text(value.get("lastAccessedAt")),
        _text(value.get("lastReinforcedAt")),
        _text(value.get("updatedAt")) or "",
    )


def _refuse_constant(name: str) -> float:
    raise ValueError(f"{name} is not JSON")


def _number(digits: str) -> float:
    # Every number is a double on the other side; this also keeps an endless row of digits from being an
    # error.
    return float(digits)


def _real(value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        return 0.0
    return float(value)


def _count(value: Any) -> int:
    return int(_real(value))


def _text(value: Any) -> str | None:
    if not isinstance(value, str):
        return None
    # Half a surrogate pair cannot be stored as UTF-8 on either side.
    return value.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def _line(row: AccessRow) -> str:
    score = rounded_score(row.outcome_score)
    record = {
        "path": row.path,
        "accessCount": row.access_count,
        "reinforcementCount": row.reinforcement_count,
        "outcomeScore": int(score) if score.is_integer() else score,
        "lastAccessedAt": row.last_accessed_at,
        "lastReinforcedAt": row.last_reinforced_at,
        "updatedAt": row.updated_at,
    }
    return json.dumps(record, ensure_ascii=False, separators=(",", ":"))
