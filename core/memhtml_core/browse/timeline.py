"""Months of a store: when what it tells of happened, and when its memories were written.

For the Health view (DESIGN 9). Dates are the store's own strings; only their first seven characters count.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from memhtml_core.index.database import Database

_MONTH = re.compile(r"\d{4}-(0[1-9]|1[0-2])")


@dataclass(frozen=True, slots=True)
class Month:
    """One month ("2025-04"): memories whose event lies in it, and memories written last in it."""

    month: str
    events: int
    writes: int


def timeline(database: Database) -> tuple[Month, ...]:
    """Every month from the first to the last one with an event or a write, the empty ones between included.

    Archived memories count too. A date that is no date of this calendar is left out, and a gap of more than
    ten years is not filled.
    """
    events = _counted(database, "event_at")
    writes = _counted(database, "updated_at")
    months: list[str] = []
    for month in sorted({*events, *writes}):
        if months and _distance(months[-1], month) <= 120:
            while (following := _next(months[-1])) != month:
                months.append(following)
        months.append(month)
    return tuple(Month(month, events.get(month, 0), writes.get(month, 0)) for month in months)


def _counted(database: Database, column: str) -> dict[str, int]:
    rows = database.rows(
        f"SELECT substr({column}, 1, 7), count(*) FROM files WHERE {column} IS NOT NULL GROUP BY 1"
    )
    return {month: int(count) for month, count in rows if _MONTH.fullmatch(month)}


def _next(month: str) -> str:
    year, number = int(month[:4]), int(month[5:])
    return f"{year + number // 12:04}-{number % 12 + 1:02}"


def _distance(first: str, last: str) -> int:
    return (int(last[:4]) - int(first[:4])) * 12 + int(last[5:]) - int(first[5:])
