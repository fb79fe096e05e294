"""Reciprocal rank fusion: one SQL statement over all active arms, and its pure twin (seed 3, RETRIEVAL 5).

The statement gives, per memory that any arm returned, the fused score and each arm's rank and value, best
first. So one run yields the order, the breakdown and the complete list of every arm. Its placeholders are
numbered: `?1` MATCH text, `?2` candidates per arm, `?3` rows of the whole answer, `?4` query vector, the
scope from `?5` upward.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from memhtml_core.rank.arms import Arm, ArmContext

if TYPE_CHECKING:
    from memhtml_core.index.database import Value

FIXED_SLOTS = 4
"""Placeholders before the scope: MATCH text, arm limit, final limit, query vector."""

_SLOT = re.compile(r"\?(\d+)")


def fused_statement(
    arms: Sequence[Arm], context: ArmContext, weights: Mapping[str, float], k: int
) -> str | None:
    """The one statement, or None when no arm is active: an empty answer, never `FROM ()`.

    Columns: file id, path, score, then rank and value per arm in the order of `arms`. SQLite's SUM is
    compensated (since 3.43): it equals the correctly rounded sum as long as the contributions of a memory are
    within a factor of 2**40 of one another, or 0.
    """
    if not arms:
        return None
    lists = [f"{arm.name}(file, rank, value) AS (\n{arm.build(context)}\n)" for arm in arms]
    shares = "\nUNION ALL ".join(
        f"SELECT file, '{arm.name}', rank, value, {literal(weights[arm.name])} * 1.0 / (rank + {int(k)})"
        f" FROM {arm.name}"
        for arm in arms
    )
    columns = "".join(
        f",\n  max(CASE WHEN arm = '{arm.name}' THEN s.rank END) AS {arm.name}_rank"
        f", max(CASE WHEN arm = '{arm.name}' THEN s.value END) AS {arm.name}_value"
        for arm in arms
    )
    return (
        "WITH " + ",\n".join(lists) + f",\nshares(file, arm, rank, value, share) AS (\n{shares}\n)\n"
        f"SELECT f.id, f.path, sum(s.share) AS score{columns}\n"
        "FROM shares s JOIN files f ON f.id = s.file\n"
        "GROUP BY s.file ORDER BY score DESC, f.path ASC LIMIT ?3"
    )


def bound(sql: str, fixed: Sequence[Value], scope_values: Sequence[str]) -> tuple[Value, ...]:
    """The values for a statement, cut to the slots that it names: SQLite refuses surplus values (DESIGN 11).

    Numbering never moves: a slot that the statement skips still takes its value.
    """
    named = max((int(number) for number in _SLOT.findall(sql)), default=0)
    return (*fixed, *scope_values)[:named]


def fuse(lists: Mapping[str, Sequence[str]], weights: Mapping[str, float], k: int) -> list[tuple[str, float]]:
    """The pure twin: (path, score) of every listed path, by score descending, then path ascending.

    `lists` holds each arm's paths, best first; a rank counts from 1. Sums are correctly rounded, so symmetric
    rank patterns tie exactly.
    """
    shares: dict[str, list[float]] = {}
    for name, paths in lists.items():
        for rank, path in enumerate(paths, start=1):
            shares.setdefault(path, []).append(contribution(weights[name], rank, k))
    scored = [(path, math.fsum(parts)) for path, parts in shares.items()]
    return sorted(scored, key=lambda pair: (-pair[1], pair[0]))


def contribution(weight: float, rank: int, k: int) -> float:
    """What one arm adds for a memory at `rank`."""
    return weight / (rank + k)


def literal(number: float) -> str:
    """A finite number as SQL text that reads back as the same double."""
    return repr(float(number))
