"""Which rows a rank table lists, and in which order: the hits, the rest of the pool, sorted by an arm or a
stage (DESIGN 9).

Nothing is ranked again: every order is read off the `Outcome` of the run that made the hits.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from memhtml_core.rank.outcome import Candidate, Card, Outcome

END = "end"
"""The order of the answer itself."""

STAGES = (
    (END, "place in the answer"),
    ("fused", "after fusion"),
    ("polarity", "after polarity"),
)
"""The stages that a table can be sorted by, and their words; every arm's name is an order too."""


@dataclass(frozen=True)
class Ranked:
    """A row. `place` is None for a memory of the pool that was passed over; `snippet` is a hit's."""

    card: Card
    place: int | None
    candidate: Candidate | None
    snippet: str

    @property
    def path(self) -> str:
        """The memory's path."""
        return self.card.path


def ranked(outcome: Outcome, *, rest: bool, sort: str = END) -> tuple[Ranked, ...]:
    """The hits, then with `rest` what else the pool held, in fused order; or all of them by `sort`.

    By an arm, memories that it did not see stand last, in the order that they had.
    """
    lines = {candidate.path: candidate for candidate in outcome.candidates}
    rows = [Ranked(hit.card, hit.place, lines.get(hit.path), hit.snippet) for hit in outcome.hits]
    if rest:
        hits = {row.path for row in rows}
        over = [
            Ranked(outcome.cards[path], None, lines.get(path), "")
            for path, _ in outcome.pool
            if path not in hits and path in outcome.cards
        ]
        rows += sorted(over, key=lambda row: _fused_place(row, len(lines)))
    if sort == END:
        return tuple(rows)
    if sort == "fused":
        return tuple(sorted(rows, key=lambda row: _fused_place(row, len(lines))))
    if sort == "polarity":
        pool = {path: number for number, (path, _) in enumerate(outcome.pool)}
        return tuple(sorted(rows, key=lambda row: pool.get(row.path, len(pool))))
    return tuple(sorted(rows, key=lambda row: _arm_rank(row, sort)))


def passed_over(outcome: Outcome) -> int:
    """How many memories of the pool are no hits."""
    hits = {hit.path for hit in outcome.hits}
    return sum(path not in hits and path in outcome.cards for path, _ in outcome.pool)


def orders(outcome: Outcome, registry: Sequence[tuple[str, str, str]]) -> tuple[tuple[str, str], ...]:
    """Every order of an answer: the stages, then the arms that ran, as (key, words)."""
    ran = {run.name for run in outcome.arms}
    arms = ((name, f"{letter} {label}") for name, letter, label in registry if name in ran)
    return (*STAGES, *arms)


def _fused_place(row: Ranked, last: int) -> int:
    return last + 1 if row.candidate is None else row.candidate.position


def _arm_rank(row: Ranked, arm: str) -> float:
    rank = None if row.candidate is None else row.candidate.ranks.get(arm)
    return float("inf") if rank is None else rank
