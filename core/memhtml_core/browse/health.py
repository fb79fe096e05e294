"""The state of an opened store: what the index holds and how fresh it is, vectors, problems, usage, versions.

Asked without side effects; shown by `status` and by the Health view (DESIGN 4 and 9).
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass

from memhtml_core.browse.memory import Problem
from memhtml_core.embed.protocol import Space
from memhtml_core.index.database import Database
from memhtml_core.index.freshness import Freshness, freshness
from memhtml_core.index.location import CachedStore, Location, cached_stores
from memhtml_core.index.usage import UsageState
from memhtml_core.index.vectors import Coverage, StoredSpace, coverage, spaces
from memhtml_core.store.tree import Tree


@dataclass(frozen=True, slots=True)
class UsageSummary:
    """The access rows in sum. `orphans` belong to no indexed memory; instants are the store's own strings."""

    source: str
    detail: str
    rows: int
    opens: int
    judged: int
    orphans: int
    last_opened: str | None


@dataclass(frozen=True, slots=True)
class Versions:
    """What answers the queries."""

    sqlite: str
    apsw: str
    vector_function: str


@dataclass(frozen=True, slots=True)
class Health:
    """The whole report. Counts are memories; sizes are bytes.

    `space` names the space of the requests, None without one; `coverage` counts its vectors. `types` and
    `buckets` count active and archived memories alike. `problems` are by path; `oldest` and `newest` the
    first and last update of an active memory.
    """

    root: str
    freshness: Freshness
    memories: int
    archived: int
    types: Mapping[str, int]
    buckets: Mapping[str, int]
    chunks: int
    space: str | None
    coverage: Coverage
    spaces: tuple[StoredSpace, ...]
    problems: Mapping[str, Problem]
    usage: UsageSummary
    oldest: str | None
    newest: str | None
    cache_folder: str
    cache_size: int
    caches: tuple[CachedStore, ...]
    versions: Versions


def read_health(
    tree: Tree, location: Location, database: Database, usage: UsageState, space: Space | None
) -> Health:
    """Gather the report; `usage` must be attached to `database`. Costs a few calls of git."""
    covered = coverage(database, space)
    first, last = database.one("SELECT min(updated_at), max(updated_at) FROM files WHERE archived = 0") or (
        None,
        None,
    )
    return Health(
        root=str(tree.root),
        freshness=freshness(tree, database),
        memories=int(database.scalar("SELECT count(*) FROM files")),
        archived=int(database.scalar("SELECT count(*) FROM files WHERE archived = 1")),
        types=_counted(database, "SELECT memory_type, count(*) FROM files GROUP BY 1 ORDER BY 2 DESC, 1"),
        buckets=_counted(database, "SELECT para, count(*) FROM file_details GROUP BY 1 ORDER BY 2 DESC, 1"),
        chunks=covered.chunks,
        space=space.name if space is not None else None,
        coverage=covered,
        spaces=tuple(spaces(database)),
        problems=_problems(database),
        usage=_usage(database, usage),
        oldest=first,
        newest=last,
        cache_folder=str(location.folder),
        cache_size=location.size(),
        caches=tuple(cached_stores(location.folder.parent)),
        versions=_versions(database),
    )


def _counted(database: Database, sql: str) -> dict[str, int]:
    return {str(value): int(count) for value, count in database.rows(sql)}


def _problems(database: Database) -> dict[str, Problem]:
    rows = database.rows("SELECT path, reason, violations, detail FROM problems ORDER BY path")
    return {path: Problem(reason, tuple(json.loads(codes)), detail) for path, reason, codes, detail in rows}


def _usage(database: Database, usage: UsageState) -> UsageSummary:
    opens, judged, last, orphans = database.one(
        "SELECT coalesce(sum(access_count), 0), coalesce(sum(reinforcement_count), 0), "
        "max(last_accessed_at), "
        "coalesce(sum(NOT EXISTS (SELECT 1 FROM files f WHERE f.path = a.path)), 0) FROM usage.access a"
    ) or (0, 0, None, 0)
    return UsageSummary(usage.source, usage.detail, usage.rows, int(opens), int(judged), int(orphans), last)


def _versions(database: Database) -> Versions:
    import apsw

    return Versions(apsw.sqlite_lib_version(), apsw.apsw_version(), database.vector_function)
