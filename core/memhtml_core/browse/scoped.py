"""The ranker's own scope predicate, for statements that number their values themselves."""

from __future__ import annotations

from memhtml_core.rank.request import Scope
from memhtml_core.rank.scope import placed, predicate


def scoped(scope: Scope, alias: str, first: int) -> tuple[str, tuple[str, ...]]:
    """The condition on the `files` row `alias`, with its values numbered from `first`, and those values.

    The same conditions as every arm has, so that what a search can find is what a list shows.
    """
    parts: list[str] = []
    values: list[str] = []
    for condition in predicate(scope).conditions:
        parts.append(placed(condition, alias, first + len(values)))
        values.extend(condition.values)
    return " AND ".join(parts) or "1", tuple(values)
