"""How a long pass tells its caller where it is, and how the caller stops it."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

from memhtml_core.errors import Interrupted

Cancel = Callable[[], bool]
"""Asked between steps; true ends the pass with `Interrupted`."""


@dataclass(frozen=True, slots=True)
class Progress:
    """Where a pass is: `done` of `total` (None while unknown) in a phase, `rate` in items per second."""

    phase: str
    done: int
    total: int | None
    rate: float


Report = Callable[[Progress], None]

_EVERY_S = 0.1


class Meter:
    """Counts one phase and reports at most ten times a second, and once at its start and end."""

    def __init__(
        self, phase: str, total: int | None, report: Report | None, cancel: Cancel | None = None
    ) -> None:
        self.phase, self.total, self.done = phase, total, 0
        self._report, self._cancel = report, cancel
        self._began = self._told = time.monotonic()
        self._tell()

    @property
    def rate(self) -> float:
        """Items per second since the phase began."""
        return self.done / max(time.monotonic() - self._began, 1e-6)

    def add(self, count: int = 1) -> None:
        """Count items as done. Raises `Interrupted` when the caller wants to stop."""
        self.done += count
        now = time.monotonic()
        if self.done == self.total or now - self._told >= _EVERY_S:
            self._told = now
            self._tell()
        self.stop_if_asked()

    def stop_if_asked(self) -> None:
        """Raise `Interrupted` when the caller wants to stop."""
        if self._cancel is not None and self._cancel():
            raise Interrupted(f"stopped during {self.phase}", remedy="The previous index is still in force")

    def _tell(self) -> None:
        if self._report is not None:
            self._report(Progress(self.phase, self.done, self.total, self.rate if self.done else 0.0))
