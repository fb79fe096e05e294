"""From a memory to the scopes that its own values make: its type, workspace, tags, entities and facets."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

from memhtml_core.rank.request import FacetFilter, Scope

if TYPE_CHECKING:
    from memhtml_core.browse.memory import MemoryView

Axis = Literal["type", "workspace", "tag", "entity", "facet"]


@dataclass(frozen=True)
class Hop:
    """One value of a memory. `name` is the facet's name, "" on every other axis."""

    axis: Axis
    value: str
    name: str = ""

    @property
    def words(self) -> str:
        """The value as it is listed."""
        return f"{self.name}={self.value}" if self.axis == "facet" else self.value

    def narrowed(self, scope: Scope) -> Scope:
        """`scope` with this value in place of what it says on the same axis, or on the same facet name.

        Adding a second tag, type or value of a facet would widen it: those join with "or".
        """
        if self.axis == "type":
            return replace(scope, memory_types=(self.value,))
        if self.axis == "workspace":
            return replace(scope, workspace=self.value)
        if self.axis == "tag":
            return replace(scope, tags=(self.value,))
        if self.axis == "entity":
            return replace(scope, entity=self.value)
        others = tuple(facet for facet in scope.facets if facet.name != self.name)
        return replace(scope, facets=(*others, FacetFilter(self.name, self.value)))

    def alone(self) -> Scope:
        """The scope that says nothing but this value."""
        return self.narrowed(Scope())

    def holds(self, scope: Scope) -> bool:
        """Whether the scope says this already, so that narrowing by it changes nothing."""
        return self.narrowed(scope) == scope


def hops_of(view: MemoryView) -> tuple[Hop, ...]:
    """The values of a memory, each once, in the order of the scope's axes. Empty where the file is refused
    and not in the index.
    """
    return tuple(dict.fromkeys(_hops(view)))


def _hops(view: MemoryView) -> Iterator[Hop]:
    memory, card = view.memory, view.card
    kind = card.memory_type if card is not None else memory.memory_type if memory is not None else ""
    workspace = card.workspace if card is not None else memory.workspace if memory is not None else None
    if kind:
        yield Hop("type", kind)
    if workspace:
        yield Hop("workspace", workspace)
    if memory is not None:
        yield from (Hop("tag", tag) for tag in memory.tags)
        yield from (Hop("entity", f"{type_}:{name}") for type_, name in memory.entities)
    elif card is not None:
        yield from (Hop("entity", entity) for entity in card.entities)
    if memory is not None:
        yield from (Hop("facet", facet.value, facet.name) for facet in memory.facets)
