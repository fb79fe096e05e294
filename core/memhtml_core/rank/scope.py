"""A scope becomes one list of SQL conditions, the same for every arm (seed section 6, RETRIEVAL 3).

Each condition is kept apart with its axis, so that an explanation can test them one by one. Conditions over
the child tables are semi-joins (`id IN (SELECT file_id ...)`): the rows of the reference's EXISTS, found by
index (DESIGN 11).
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from memhtml_core.rank.request import FacetFilter, Scope
from memhtml_core.store.text import js_trim
from memhtml_core.store.vocabulary import TYPES

Axis = Literal["archived", "as-of", "type", "ws", "tag", "entity", "facet"]
Archived = Literal["as asked", "only"]

FIRST_SLOT = 5
"""Scope values bind from `?5` upward; the four below are fixed (seed section 4)."""

TASK = "task"
"""The type that is left out unless a caller names it."""

_SLOT = re.compile(r"\{(\d+)\}")


@dataclass(frozen=True, slots=True)
class Condition:
    """One condition on a `files` row: in `sql`, `{alias}` is that row and `{0}` ... are `values` by place."""

    axis: Axis
    sql: str
    values: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Predicate:
    """All conditions of a scope, joined by "and", in the fixed order of `Axis`."""

    conditions: tuple[Condition, ...]

    @property
    def values(self) -> tuple[str, ...]:
        """What binds from `?5` upward."""
        return tuple(value for condition in self.conditions for value in condition.values)

    def where(self, alias: str = "f") -> str:
        """The condition text for the `files` row named `alias`, "1" when nothing is excluded."""
        slot = FIRST_SLOT
        parts = []
        for condition in self.conditions:
            parts.append(placed(condition, alias, slot))
            slot += len(condition.values)
        return " AND ".join(parts) or "1"


def placed(condition: Condition, alias: str, slot: int) -> str:
    """One condition with its alias filled in and its values numbered from `slot`."""
    text = condition.sql.replace("{alias}", alias)
    return _SLOT.sub(lambda match: f"?{slot + int(match.group(1))}", text)


def predicate(scope: Scope, archived: Archived = "as asked") -> Predicate:
    """The conditions of a scope. With "only", the same axes over archived memories alone (RETRIEVAL 9)."""
    conditions: list[Condition] = []
    if archived == "only":
        conditions.append(Condition("archived", "{alias}.archived = 1"))
    elif scope.as_of:
        conditions.append(Condition("as-of", _AS_OF, (scope.as_of,)))
    elif not scope.include_archived:
        conditions.append(Condition("archived", "{alias}.archived = 0"))
    conditions.append(_types(scope))
    if scope.workspace:
        conditions.append(Condition("ws", "{alias}.workspace = {0}", (scope.workspace,)))
    tags = usable_tags(scope)
    if tags:
        conditions.append(
            Condition("tag", f"{_semi_join('file_tags')} WHERE tag IN ({_slots(len(tags))}))", tags)
        )
    if scope.entity:
        folded = ascii_lower(js_trim(scope.entity))
        conditions.append(
            Condition("entity", f"{_semi_join('file_entities')} WHERE folded = {{0}})", (folded,))
        )
    for name, values in facet_groups(scope.facets).items():
        sql = f"{_semi_join('file_facets')} WHERE name = {{0}} AND value IN ({_slots(len(values), start=1)}))"
        conditions.append(Condition("facet", sql, (name, *values)))
    return Predicate(tuple(conditions))


def narrows(scope: Scope) -> bool:
    """True when an empty answer may be the scope's doing (RETRIEVAL 3); archived and as-of never count."""
    return bool(
        scope.memory_types
        or scope.workspace
        or usable_tags(scope)
        or scope.entity
        or facet_groups(scope.facets)
    )


def known_types(scope: Scope) -> tuple[str, ...]:
    """The named types that exist, in the order given, once each."""
    return tuple(dict.fromkeys(name for name in scope.memory_types if name in TYPES))


def usable_tags(scope: Scope) -> tuple[str, ...]:
    """The tags that are not blank, untrimmed, once each."""
    return tuple(dict.fromkeys(tag for tag in scope.tags if js_trim(tag)))


def facet_groups(facets: Iterable[FacetFilter]) -> dict[str, tuple[str, ...]]:
    """Values by facet name, both trimmed; a pair with a blank half is left out."""
    groups: dict[str, dict[str, None]] = {}
    for facet in facets:
        name, value = js_trim(facet.name), js_trim(facet.value)
        if name and value:
            groups.setdefault(name, {})[value] = None
    return {name: tuple(values) for name, values in groups.items()}


def parse_facet(text: str) -> FacetFilter | None:
    """`name=value` split at the first `=`; None without one, with one at the start, or with a blank half."""
    name, sign, value = text.partition("=")
    name, value = js_trim(name), js_trim(value)
    return FacetFilter(name, value) if sign and name and value else None


def ascii_lower(text: str) -> str:
    """Lower case of A to Z alone, as SQLite's `lower` has it: `Ö` and `ö` stay two letters."""
    return re.sub("[A-Z]+", lambda match: match.group().lower(), text)


_AS_OF = (
    "coalesce({alias}.valid_from, {alias}.event_at, {alias}.created_at) <= {0} "
    "AND ({alias}.valid_until IS NULL OR {alias}.valid_until > {0})"
)


def _types(scope: Scope) -> Condition:
    names = known_types(scope)
    if not names:
        return Condition("type", f"{{alias}}.memory_type <> '{TASK}'")
    return Condition("type", f"{{alias}}.memory_type IN ({_slots(len(names))})", names)


def _semi_join(table: str) -> str:
    return f"{{alias}}.id IN (SELECT file_id FROM {table}"


def _slots(count: int, start: int = 0) -> str:
    return ", ".join(f"{{{start + place}}}" for place in range(count))
