"""Live counts of the scope builder: what each value of each axis holds under the rest of the scope.

An axis is counted with its own condition lifted, so a number says what choosing that value would give: tags
under the chosen types, types under the chosen tags, the values of one facet name without that name's choice
and under all others. Memberships stand in arrays, one pass a choice; which memories a condition lets in is
asked of the ranker's own predicate, once for each condition, so the counts cannot drift from the search.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from memhtml_core.rank.request import Scope
from memhtml_core.rank.scope import (
    Axis,
    Condition,
    ascii_lower,
    facet_groups,
    placed,
    predicate,
    usable_tags,
)
from memhtml_core.rank.typed import scope_words
from memhtml_core.store.text import js_trim

if TYPE_CHECKING:
    from memhtml_core.index.database import Database

KEPT_MASKS = 64
"""Conditions whose memories are remembered; each costs a byte for every memory."""


@dataclass(frozen=True, slots=True)
class ScopeCounts:
    """Memories per value, most first, then by value; values without a memory are not listed.

    `total` counts the whole scope. `archived` has the two keys "no" and "yes", under every other condition.
    `facets` is by name, then value. An entity stands once, in its most frequent spelling (ties: the first by
    code point), because a scope takes upper and lower case of A to Z for one. Values that no scope can state
    (blank ones, those that trimming would change) are left out.
    """

    total: int
    types: Mapping[str, int]
    workspaces: Mapping[str, int]
    tags: Mapping[str, int]
    entities: Mapping[str, int]
    facets: Mapping[str, Mapping[str, int]]
    archived: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class Removed:
    """What one condition of a scope keeps out.

    `words` are its scope words, joined by " or "; of a default condition ("tasks are left out", "archived are
    left out") none stands in the scope, so `stated` is false. `alone` counts the memories of the index that
    fail it, `beyond` those that fail it and nothing else: what lifting it would bring in.
    """

    axis: Axis
    name: str
    words: str
    stated: bool
    alone: int
    beyond: int


class ScopeCounter:
    """Counts for one index. Axes are read when first asked for; a change of the index is noticed.

    Used by the thread that owns the database. A counter of 100,000 memories holds some megabytes.
    """

    def __init__(self, database: Database) -> None:
        self._database = database
        self._version: int | None = None
        self._masks: OrderedDict[Condition, Any] = OrderedDict()
        self._axes: dict[str, _Axis] = {}
        self._ids: Any = None

    def counts(self, scope: Scope | None = None) -> ScopeCounts:
        """Every axis under `scope`, by default the scope of an empty search."""
        scope = scope or Scope()
        self._fresh()
        whole = self._mask(scope)
        return ScopeCounts(
            total=int(whole.sum()),
            types=self._axis("type").counted(self._mask(scope, "type")),
            workspaces=self._axis("ws").counted(self._mask(scope, "ws")),
            tags=self._axis("tag").counted(self._mask(scope, "tag")),
            entities=self._axis("entity").counted(self._mask(scope, "entity")),
            facets=self._facets(scope, whole),
            archived=self._axis("archived").counted(self._mask(scope, "archived")),
        )

    def removed(self, scope: Scope) -> tuple[Removed, ...]:
        """What each condition of the scope keeps out, in the fixed order of the axes."""
        self._fresh()
        conditions = predicate(scope).conditions
        total = int(self._mask(scope).sum())
        found = []
        for place, condition in enumerate(conditions):
            others = self._all(conditions[:place] + conditions[place + 1 :])
            name = condition.values[0] if condition.axis == "facet" else ""
            words = _words(scope, condition.axis, name)
            own = self._one(condition)
            found.append(
                Removed(
                    axis=condition.axis,
                    name=name,
                    words=" or ".join(words),
                    stated=bool(words),
                    alone=int(len(own) - own.sum()),
                    beyond=int(others.sum()) - total,
                )
            )
        return tuple(found)

    def _facets(self, scope: Scope, whole: Any) -> dict[str, dict[str, int]]:
        """A name whose values are chosen is counted without that choice."""
        axis = self._axis("facet")
        found = _by_name(axis.counted(whole))
        for name in facet_groups(scope.facets):
            lifted = _by_name(axis.counted(self._mask(scope, "facet", name)))
            found.pop(name, None)
            if name in lifted:
                found[name] = lifted[name]
        return dict(sorted(found.items()))

    def _mask(self, scope: Scope, lifted: str = "", name: str = "") -> Any:
        """The memories that fulfil the scope, but for one axis (of facets: for one name)."""
        if lifted == "archived" and not scope.as_of:
            scope = replace(scope, include_archived=True)
        return self._all(
            condition
            for condition in predicate(scope).conditions
            if condition.axis != lifted or (lifted == "facet" and condition.values[0] != name)
        )

    def _all(self, conditions: Iterable[Condition]) -> Any:
        import numpy

        mask = numpy.ones(len(self._ids), dtype=bool)
        for condition in conditions:
            mask &= self._one(condition)
        return mask

    def _one(self, condition: Condition) -> Any:
        """Which memories one condition lets in, asked once."""
        if condition in self._masks:
            self._masks.move_to_end(condition)
            return self._masks[condition]
        sql = f"SELECT f.id FROM files f WHERE {placed(condition, 'f', 1)}"
        mask = _mask_of(self._ids, self._database.rows(sql, condition.values))
        self._masks[condition] = mask
        if len(self._masks) > KEPT_MASKS:
            self._masks.popitem(last=False)
        return mask

    def _axis(self, name: str) -> _Axis:
        if name not in self._axes:
            self._axes[name] = _read_axis(self._database, self._ids, name)
        return self._axes[name]

    def _fresh(self) -> None:
        """Forget what was read of an index that has changed since."""
        version = self._database.data_version()
        if version == self._version:
            return
        import numpy

        self._masks.clear()
        self._axes.clear()
        ids = [row[0] for row in self._database.rows("SELECT id FROM files ORDER BY id")]
        self._ids = numpy.array(ids, dtype=numpy.int64)
        self._version = version


def scope_counts(database: Database, scope: Scope | None = None) -> ScopeCounts:
    """The counts once; keep a `ScopeCounter` to ask again and again."""
    return ScopeCounter(database).counts(scope)


def removed_by(database: Database, scope: Scope) -> tuple[Removed, ...]:
    """What each condition of the scope keeps out, once."""
    return ScopeCounter(database).removed(scope)


@dataclass(frozen=True, slots=True)
class _Axis:
    """The values of one axis, and a (memory, value) pair per membership as places in `ids` and `values`."""

    values: tuple[Any, ...]
    files: Any
    codes: Any

    def counted(self, mask: Any) -> dict[Any, int]:
        import numpy

        numbers = numpy.bincount(self.codes[mask[self.files]], minlength=len(self.values))
        chosen = [(-int(numbers[code]), self.values[code]) for code in numpy.flatnonzero(numbers)]
        return {value: -number for number, value in sorted(chosen)}


_AXES: Mapping[str, str] = {
    "type": "SELECT id, memory_type FROM files ORDER BY id",
    "ws": "SELECT id, workspace FROM files WHERE workspace IS NOT NULL AND workspace <> '' ORDER BY id",
    "archived": "SELECT id, CASE archived WHEN 0 THEN 'no' ELSE 'yes' END FROM files ORDER BY id",
    "tag": "SELECT file_id, tag FROM file_tags",
    "entity": "SELECT file_id, folded FROM file_entities",
    "facet": "SELECT file_id, name, value FROM file_facets",
}


def _read_axis(database: Database, ids: Any, name: str) -> _Axis:
    import numpy

    codes: dict[Any, int] = {}
    pairs: set[tuple[int, int]] = set()
    for file, *value in database.stream(_AXES[name]):
        key = value[0] if len(value) == 1 else tuple(value)
        pairs.add((file, codes.setdefault(key, len(codes))))
    shown = _spellings(database, codes) if name == "entity" else {key: key for key in codes}
    kept = [code for key, code in codes.items() if key in shown and _can_be_stated(name, key)]
    renumbered = numpy.full(len(codes) + 1, -1, dtype=numpy.int64)
    renumbered[kept] = numpy.arange(len(kept))
    by_code = {code: shown.get(key) for key, code in codes.items()}
    table = numpy.array(sorted(pairs), dtype=numpy.int64).reshape(-1, 2)
    new = renumbered[table[:, 1]]
    table, new = table[new >= 0], new[new >= 0]
    return _Axis(tuple(by_code[code] for code in kept), numpy.searchsorted(ids, table[:, 0]), new)


def _spellings(database: Database, folded: Mapping[str, int]) -> dict[str, str]:
    """How each entity is shown: its most frequent spelling."""
    best: dict[str, tuple[int, str]] = {}
    for key, kind, name, number in database.stream(
        "SELECT folded, entity_type, entity_name, count(*) FROM file_entities GROUP BY 1, 2, 3"
    ):
        best[key] = min(best.get(key, (1, "")), (-number, f"{kind}:{name}"))
    return {key: spelling for key, (_, spelling) in best.items()}


def _can_be_stated(axis: str, key: Any) -> bool:
    if axis == "entity":
        return bool(key) and ascii_lower(js_trim(key)) == key
    if axis == "facet":
        return all(part and js_trim(part) == part for part in key)
    return bool(usable_tags(Scope(tags=(key,)))) if axis == "tag" else True


def _mask_of(ids: Any, rows: list[tuple[Any, ...]]) -> Any:
    import numpy

    mask = numpy.zeros(len(ids), dtype=bool)
    if rows:
        mask[numpy.searchsorted(ids, numpy.fromiter((row[0] for row in rows), numpy.int64, len(rows)))] = True
    return mask


def _by_name(counted: Mapping[tuple[str, str], int]) -> dict[str, dict[str, int]]:
    found: dict[str, dict[str, int]] = {}
    for (name, value), number in counted.items():
        found.setdefault(name, {})[value] = number
    return found


def _words(scope: Scope, axis: Axis, name: str) -> tuple[str, ...]:
    """The scope words that make a condition, none for one that holds without being asked for."""
    if axis == "archived":
        return ()
    if axis == "facet":
        own = tuple(f for f in scope.facets if js_trim(f.name) == name and js_trim(f.value))
        return scope_words(Scope(facets=own))
    part: Mapping[Axis, Scope] = {
        "as-of": Scope(as_of=scope.as_of),
        "type": Scope(memory_types=scope.memory_types),
        "ws": Scope(workspace=scope.workspace),
        "tag": Scope(tags=usable_tags(scope)),
        "entity": Scope(entity=scope.entity),
    }
    return scope_words(part[axis])
