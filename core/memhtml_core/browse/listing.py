"""Every memory in scope, sorted and paged: what an empty query shows (DESIGN 9) and `list` prints.

The scope goes through the same predicate as a search, so what a narrowed search finds, the same narrowing
lists.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, get_args

from memhtml_core.browse.scoped import scoped
from memhtml_core.errors import UsageError
from memhtml_core.index.database import Database
from memhtml_core.rank.cards import hydrate
from memhtml_core.rank.outcome import Card
from memhtml_core.rank.request import Scope

Sort = Literal["path", "title", "updated", "event", "due", "opens"]
SORTS: tuple[Sort, ...] = get_args(Sort)

# Per sort: its key, whether the largest comes first unless asked otherwise. Rows without a key come last
# either way.
_KEYS: Mapping[Sort, tuple[str, bool]] = {
    "path": ("f.path", False),
    "title": ("t.title", False),
    "updated": ("f.updated_at", True),
    "event": ("f.event_at", True),
    "due": ("f.due_at", False),
    "opens": ("coalesce(a.access_count, 0)", True),
}
_NEVER_NULL = ("path", "title", "updated", "opens")


@dataclass(frozen=True, slots=True)
class Listing:
    """One page. `offset` counts memories before it, `total` all in scope.

    `opens` holds the access count of each row's path that has an access row; it is None without a state
    plane.
    """

    rows: tuple[Card, ...]
    total: int
    offset: int
    sort: Sort
    descending: bool
    opens: Mapping[str, int] | None


def list_memories(
    database: Database,
    scope: Scope,
    sort: Sort = "path",
    offset: int = 0,
    limit: int = 100,
    *,
    descending: bool | None = None,
    usage: bool = False,
) -> Listing:
    """A page of the memories in scope; ties go by path. `descending` None takes the sort's own direction.

    `usage` says that the `usage` schema is attached. Raises `UsageError` for an unknown sort, a negative
    offset or limit, and for sorting by opens without a state plane.
    """
    if sort not in SORTS:
        raise UsageError("no such sort", subject=str(sort), remedy="One of " + ", ".join(SORTS))
    if offset < 0 or limit < 0:
        raise UsageError("offset and limit count memories", subject=f"{offset}, {limit}")
    if sort == "opens" and not usage:
        raise UsageError(
            "opens are unknown without a state plane", subject="sort by opens", remedy="Choose another sort"
        )
    key, falling = _KEYS[sort]
    falling = falling if descending is None else descending
    where, values = scoped(scope, "f", first=3)
    source = "files f"
    if sort == "title":
        source += " JOIN file_texts t ON t.file_id = f.id"
    if sort == "opens":
        source += " LEFT JOIN usage.access a ON a.path = f.path"
    order = key + (" DESC" if falling else "")
    if sort not in _NEVER_NULL:
        order = f"{key} IS NULL, {order}"
    if sort != "path":
        order += ", f.path"
    paths = [
        row[0]
        for row in database.rows(
            f"SELECT f.path FROM {source} WHERE {where} ORDER BY {order} LIMIT ?1 OFFSET ?2",
            (limit, offset, *values),
        )
    ]
    cards = hydrate(database, paths)
    return Listing(
        rows=tuple(cards[path] for path in paths if path in cards),
        total=count_in_scope(database, scope),
        offset=offset,
        sort=sort,
        descending=falling,
        opens=_opens(database, paths) if usage else None,
    )


def count_in_scope(database: Database, scope: Scope) -> int:
    """How many memories the scope holds."""
    where, values = scoped(scope, "f", first=1)
    return int(database.scalar(f"SELECT count(*) FROM files f WHERE {where}", values))


def _opens(database: Database, paths: list[str]) -> dict[str, int]:
    sql = "SELECT path, access_count FROM usage.access WHERE path IN (SELECT value FROM json_each(?1))"
    return {str(path): int(count) for path, count in database.rows(sql, (json.dumps(paths),))}
