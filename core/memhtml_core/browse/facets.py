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
        self.database = database
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
        import numpy

        sql = f"SELECT group_concat(f.id) FROM files f WHERE {placed(condition, 'f', 1)}"
        mask = numpy.zeros(len(self._ids), dtype=bool)
        found = _numbers(self.database.scalar(sql, condition.values))
        mask[numpy.searchsorted(self._ids, found)] = True
        self._masks[condition] = mask
        if len(self._masks) > KEPT_MASKS:
            self._masks.popitem(last=False)
        return mask

    def _axis(self, name: str) -> _Axis:
        if name not in self._axes:
            self._axes[name] = _read_axis(self.database, self._ids, name)
        return self._axes[name]

    def _fresh(self) -> None:
        """Forget what was read of an index that has changed since."""
        version = self.database.data_version()
        if version == self._version:
            return
        self._masks.clear()
        self._axes.clear()
        self._ids = _numbers(self.database.scalar("SELECT group_concat(id) FROM files"))
        self._ids.sort()
        self._version = version


def scope_counts(database: Database, scope: Scope | None = None) -> ScopeCounts:
    """The counts once; keep a `ScopeCounter` to ask again and again."""
    return ScopeCounter(database).counts(scope)


def removed_by(database: Database, scope: Scope) -> tuple[Removed, ...]:
    """What each condition of the scope keeps out, once."""
    return ScopeCounter(database).removed(scope)


@dataclass(frozen=True, slots=True)
class _Axis:
    """The values of an axis in order; per membership the place of its memory in `ids` and of its value."""

    values: tuple[Any, ...]
    files: Any
    codes: Any

    def counted(self, mask: Any) -> dict[Any, int]:
        """Value -> memories of the mask, most first; the values' own order settles ties."""
        import numpy

        numbers = numpy.bincount(self.codes[mask[self.files]], minlength=len(self.values))
        order = numpy.argsort(-numbers, kind="stable")[: numpy.count_nonzero(numbers)]
        return {
            self.values[code]: number
            for code, number in zip(order.tolist(), numbers[order].tolist(), strict=True)
        }


# Per axis: value (or name and value, or folded form and spelling) and the ids that have it, as one text: the
# tables are clustered this way round, so nothing is sorted, and no number passes through Python alone.
_AXES: Mapping[str, str] = {
    "type": "SELECT memory_type, group_concat(id) FROM files GROUP BY 1",
    "ws": "SELECT workspace, group_concat(id) FROM files WHERE workspace <> '' GROUP BY 1",
    "archived": "SELECT iif(archived, 'yes', 'no'), group_concat(id) FROM files GROUP BY 1",
    "tag": "SELECT tag, group_concat(file_id) FROM file_tags GROUP BY 1",
    "entity": "SELECT folded, entity_type || ':' || entity_name, group_concat(file_id) FROM file_entities "
    "GROUP BY folded, entity_type, entity_name",
    "facet": "SELECT name, value, group_concat(file_id) FROM file_facets GROUP BY 1, 2",
}


def _read_axis(database: Database, ids: Any, name: str) -> _Axis:
    import numpy

    members: dict[Any, list[Any]] = {}
    for *key, joined in database.stream(_AXES[name]):
        value = tuple(key) if len(key) > 1 else key[0]
        if _can_be_stated(name, value):
            members[value] = [_numbers(joined)]
    if name == "entity":
        members = _one_spelling(members)
    values = sorted(members)
    lists = [numpy.concatenate(members[value]) for value in values]
    files = numpy.concatenate(lists) if lists else numpy.zeros(0, dtype=numpy.int64)
    codes = numpy.repeat(numpy.arange(len(values)), [len(each) for each in lists])
    return _Axis(tuple(values), numpy.searchsorted(ids, files), codes)


def _one_spelling(members: Mapping[tuple[str, str], list[Any]]) -> dict[Any, list[Any]]:
    """The memories of an entity in any spelling, each once, under its most frequent spelling."""
    import numpy

    spellings: dict[str, list[tuple[int, str, Any]]] = {}
    for (folded, spelling), (found,) in members.items():
        spellings.setdefault(folded, []).append((-len(found), spelling, found))
    return {
        min(each)[1]: [numpy.unique(numpy.concatenate([found for _, _, found in each]))]
        if len(each) > 1
        else [each[0][2]]
        for each in spellings.values()
    }


def _numbers(joined: str | None) -> Any:
    import numpy

    return numpy.fromstring(joined or "", dtype=numpy.int64, sep=",")


def _can_be_stated(axis: str, key: Any) -> bool:
    if axis == "entity":
        folded: str = key[0]
        return bool(folded) and js_trim(folded) == folded
    if axis == "facet":
        return all(part and js_trim(part) == part for part in key)
    return bool(usable_tags(Scope(tags=(key,)))) if axis == "tag" else True


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
