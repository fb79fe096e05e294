"""Timing as a ratio: subject and baseline take turns in one run, so that a noisy machine slows both.

The unit is CPU time of the process in milliseconds, the median over rounds; wall time where a child process
or a screen is measured.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

Clock = Callable[[], float]


@dataclass(frozen=True, slots=True)
class Timing:
    """Milliseconds of one step over all rounds."""

    rounds: tuple[float, ...]

    @property
    def median(self) -> float:
        """The middle round."""
        return statistics.median(self.rounds)

    @property
    def spread(self) -> str:
        """Fastest and slowest round."""
        return f"{min(self.rounds):.2f}..{max(self.rounds):.2f}"


def taking_turns(
    steps: Sequence[Callable[[], object]], *, rounds: int, clock: Clock = time.process_time
) -> list[Timing]:
    """Run all steps once unmeasured, then `rounds` times in turn; one `Timing` a step."""
    for step in steps:
        step()
    taken: list[list[float]] = [[] for _ in steps]
    for _ in range(rounds):
        for step, times in zip(steps, taken, strict=True):
            begun = clock()
            step()
            times.append((clock() - begun) * 1000.0)
    return [Timing(tuple(times)) for times in taken]


@dataclass(frozen=True, slots=True)
class Line:
    """One row of the printed table."""

    what: str
    size: str
    subject: Timing
    baseline: Timing
    unit: str

    def text(self) -> str:
        """Columns: what, size, median and spread of the subject, median of the baseline, ratio."""
        ratio = self.subject.median / self.baseline.median if self.baseline.median else float("inf")
        return (
            f"{self.what:<44} {self.size:>8} {self.subject.median:>10.2f} {self.subject.spread:>20}"
            f" {self.baseline.median:>10.2f} {ratio:>8.2f} {self.unit}"
        )


HEADER = f"{'what':<44} {'memories':>8} {'ms':>10} {'min..max':>20} {'baseline':>10} {'ratio':>8} to"
