"""Runs the statements of one request and keeps each with its values and its time."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from memhtml_core.errors import Interrupted
from memhtml_core.rank.outcome import Statement

if TYPE_CHECKING:
    from memhtml_core.index.database import Database

Row = tuple[Any, ...]


class Reader(Protocol):
    """Whatever answers a statement with rows: a `Database`, or one that also takes note."""

    def rows(self, sql: str, values: Sequence[Any] = ()) -> list[Row]:
        """All rows of a statement. Raises `Interrupted` or `IndexFault`."""
        ...


class StatementLog:
    """The statements of one request in the order in which they ran.

    `cancel` is asked before each statement; once it says True, `Interrupted` is raised.
    """

    def __init__(self, database: Database, cancel: Callable[[], bool] | None = None) -> None:
        self._database = database
        self._cancel = cancel
        self._statements: list[Statement] = []

    @property
    def statements(self) -> tuple[Statement, ...]:
        """What ran so far; a statement that failed is kept too."""
        return tuple(self._statements)

    def rows(self, name: str, sql: str, values: Sequence[Any] = ()) -> list[Row]:
        """Run one statement under a name. Raises `Interrupted` or `IndexFault`."""
        self.check()
        started = time.perf_counter()
        try:
            return self._database.rows(sql, tuple(values))
        finally:
            spent = (time.perf_counter() - started) * 1_000
            self._statements.append(Statement(name, sql, tuple(map(shown, values)), spent))

    def named(self, name: str) -> Reader:
        """A reader whose statements are kept under this name."""
        return _Named(self, name)

    def check(self) -> None:
        """Raise `Interrupted` when the caller has given up."""
        if self._cancel is not None and self._cancel():
            raise Interrupted("the search was stopped before it was complete")


@dataclass(frozen=True, slots=True)
class _Named:
    log: StatementLog
    name: str

    def rows(self, sql: str, values: Sequence[Any] = ()) -> list[Row]:
        return self.log.rows(self.name, sql, values)


def shown(value: object) -> str:
    """A bound value for people: NULL, the text itself, or how many numbers a vector has."""
    if value is None:
        return "NULL"
    return f"vector of {len(value) // 4} values" if isinstance(value, bytes) else str(value)
