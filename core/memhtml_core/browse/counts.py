"""How many memories every value of every scope axis holds, under the rest of the scope.

Each axis is counted with its own condition lifted, as a choice within it would act: types under the chosen
workspace, tags and facets, workspaces under the chosen types, and so on (issue "The explorer, complete" 1).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from memhtml_core.browse.scoped import scoped
from memhtml_core.index.database import Database
from memhtml_core.rank.request import FacetFilter, Scope
from memhtml_core.rank.scope import facet_groups
from memhtml_core.store.vocabulary import TYPES


@dataclass(frozen=True, slots=True)
class Counts:
    """Memories per value, most first, then by value. `facets` is by name, then value.

    A value that no memory in scope has is not listed. `total` counts the memories under the whole scope.
    """

    total: int
    types: Mapping[str, int]
    workspaces: Mapping[str, int]
    tags: Mapping[str, int]
    entities: Mapping[str, int]
    facets: Mapping[str, Mapping[str, int]]


def count_values(database: Database, scope: Scope | None = None) -> Counts:
    """Counts under `scope`, by default the scope of an empty search. One pass over the index per axis."""
    scope = scope or Scope()
    every_type = replace(scope, memory_types=tuple(TYPES))
    where, values = scoped(scope, "f", first=1)
    return Counts(
        total=int(database.scalar(f"SELECT count(*) FROM files f WHERE {where}", values)),
        types=_per_value(database, "f.memory_type", "", every_type),
        workspaces=_per_value(database, "f.workspace", "", replace(scope, workspace="")),
        tags=_per_value(database, "x.tag", "file_tags", replace(scope, tags=())),
        entities=_per_value(
            database, "x.entity_type || ':' || x.entity_name", "file_entities", replace(scope, entity=None)
        ),
        facets=_facets(database, scope),
    )


def _per_value(database: Database, key: str, table: str, scope: Scope) -> dict[str, int]:
    where, values = scoped(scope, "f", first=1)
    source = f"files f JOIN {table} x ON x.file_id = f.id" if table else "files f"
    rows = database.rows(
        f"SELECT {key}, count(*) FROM {source} WHERE {key} IS NOT NULL AND {where} "
        f"GROUP BY {key} ORDER BY count(*) DESC, {key}",
        values,
    )
    return {str(value): int(count) for value, count in rows}


def _facets(database: Database, scope: Scope) -> dict[str, dict[str, int]]:
    """All facets under the scope; a name that the scope chooses values of is counted without that choice."""
    found = _facet_rows(database, scope)
    for name in facet_groups(scope.facets):
        found.pop(name, None)
        lifted = replace(scope, facets=_without(scope.facets, name))
        own = _facet_rows(database, lifted).get(name)
        if own:
            found[name] = own
    return dict(sorted(found.items()))


def _without(facets: tuple[FacetFilter, ...], name: str) -> tuple[FacetFilter, ...]:
    return tuple(facet for facet in facets if name not in facet_groups((facet,)))


def _facet_rows(database: Database, scope: Scope) -> dict[str, dict[str, int]]:
    where, values = scoped(scope, "f", first=1)
    rows = database.rows(
        "SELECT x.name, x.value, count(*) FROM files f JOIN file_facets x ON x.file_id = f.id "
        f"WHERE {where} GROUP BY x.name, x.value ORDER BY x.name, count(*) DESC, x.value",
        values,
    )
    found: dict[str, dict[str, int]] = {}
    for name, value, count in rows:
        found.setdefault(str(name), {})[str(value)] = int(count)
    return found
