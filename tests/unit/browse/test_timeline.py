"""Months from the first to the last date of a store, by a second way of counting."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import cast

from memhtml_core.browse.timeline import Month, timeline
from memhtml_core.index.database import Database
from memhtml_core.opened import open_store
from memhtml_tui.demo_store import copy_demo


class Rows:
    """A database that answers the two questions from lists of dates."""

    def __init__(self, events: Sequence[str], writes: Sequence[str]) -> None:
        self._dates = {"event_at": events, "updated_at": writes}

    def rows(self, sql: str) -> list[tuple[str, int]]:
        column = next(name for name in self._dates if name in sql)
        return list(Counter(date[:7] for date in self._dates[column]).items())


def months(events: Sequence[str], writes: Sequence[str]) -> tuple[Month, ...]:
    return timeline(cast(Database, Rows(events, writes)))


def test_months_between_are_filled_over_the_turn_of_a_year() -> None:
    assert months(["2024-11-30"], ["2025-02-01T00:00:00Z", "2025-02-02T00:00:00Z"]) == (
        Month("2024-11", 1, 0),
        Month("2024-12", 0, 0),
        Month("2025-01", 0, 0),
        Month("2025-02", 0, 2),
    )


def test_odd_dates_do_not_make_months_nor_endless_gaps() -> None:
    assert months(["0001-01-01", "2025-13-01", "never", "", "2025-1-1"], ["9999-12-31"]) == (
        Month("0001-01", 1, 0),
        Month("9999-12", 0, 1),
    )
    assert months([], []) == ()
    assert len(months(["2015-01-01"], ["2025-01-01"])) == 121
    assert len(months(["2015-01-01"], ["2025-02-01"])) == 2


def test_a_store_is_counted_as_by_hand(tmp_path: Path) -> None:
    with open_store(copy_demo(tmp_path), cache=tmp_path / "cache", embedder="off") as opened:
        found = timeline(opened.database)
        rows = opened.database.rows("SELECT event_at, updated_at FROM files")
    assert len(rows) > 200
    events = Counter(event[:7] for event, _ in rows if event)
    writes = Counter(written[:7] for _, written in rows)
    assert {m.month: m.events for m in found if m.events} == events
    assert {m.month: m.writes for m in found if m.writes} == writes
    assert [m.month for m in found] == sorted(m.month for m in found)
