"""The scope builder without a screen: a scope and its counts as lines to choose from, and what a choice
makes of the scope.

The builder never keeps a selection of its own: what is chosen is read off the `Scope`, so the typed form and
the builder are two views of one value (DESIGN 9).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from memhtml_core.rank.request import FacetFilter, Scope
from memhtml_core.rank.scope import ascii_lower, facet_groups, known_types, usable_tags
from memhtml_core.rank.typed import scope_words
from memhtml_core.store.text import js_trim

if TYPE_CHECKING:
    from memhtml_core.browse.facets import Removed, ScopeCounts
    from memhtml_core.rank.scope import Axis

FIRST = 10
"""Values of a section that are listed before somebody asks for the rest or narrows."""

FIRST_NAMES = 12
"""Facet names that are listed before somebody asks for the rest or narrows."""

Key = tuple[str, str, str, str]
"""What a line is, whatever its counts: kind, axis, facet name, value."""


@dataclass(frozen=True, slots=True)
class Choice:
    """One line of the builder.

    A "heading" names an axis (`name` is the facet's) and says in `rule` how its values combine; a "value"
    can be chosen, and `count` says how many memories the scope would hold with it (None: not counted yet);
    a "more" line stands for `count` values (of facets without a name: names) that are not listed, and a
    "write" line for a value that has to be typed.
    """

    kind: str
    axis: Axis
    name: str = ""
    value: str = ""
    count: int | None = None
    chosen: bool = False
    rule: str = ""

    @property
    def key(self) -> Key:
        """The identity of the line."""
        return (self.kind, self.axis, self.name, self.value)


@dataclass(frozen=True, slots=True)
class Section:
    """The values of one axis, or of one facet name, most first; `folded` are their texts to narrow by."""

    axis: Axis
    name: str
    label: str
    values: tuple[str, ...]
    counts: Mapping[str, int]
    folded: tuple[str, ...] = field(repr=False, default=())


def sections(counts: ScopeCounts | None, scope: Scope) -> tuple[Section, ...]:
    """Every axis in the order of the scope words, facet names by their memories, most first; what is chosen
    is listed also where nothing has it."""
    found = [
        _section("type", "", "type", counts.types if counts else {}, known_types(scope)),
        _section("ws", "", "workspace", counts.workspaces if counts else {}, _some(scope.workspace)),
        _section("tag", "", "tag", counts.tags if counts else {}, usable_tags(scope)),
        _section("entity", "", "entity", counts.entities if counts else {}, _some(scope.entity)),
    ]
    chosen = facet_groups(scope.facets)
    facets = counts.facets if counts else {}
    held = {name: sum(values.values()) for name, values in facets.items()}
    for name in sorted({*facets, *chosen}, key=lambda name: (-held.get(name, 0), name)):
        found.append(_section("facet", name, name, facets.get(name, {}), chosen.get(name, ())))
    left_out, alone = (counts.archived.get(key, 0) for key in ("no", "yes")) if counts else (0, 0)
    archived = {"no": left_out, "yes": left_out + alone} if counts else {}
    found.append(_section("archived", "", "archived", archived, ()))
    found.append(_section("as-of", "", "as of", {}, _some(scope.as_of)))
    return tuple(found)


def rule(section: Section, scope: Scope) -> str:
    """How the values of a section combine, and what holds where none is chosen."""
    if section.axis == "type":
        return "or" if known_types(scope) else "or; none: all but task"
    if section.axis == "archived" and scope.as_of:
        return "settled by as-of"
    return "or" if section.axis in ("tag", "facet") else "one"


def choices(
    parts: Sequence[Section], scope: Scope, narrow: str = "", opened: frozenset[tuple[str, str]] = frozenset()
) -> list[Choice]:
    """The lines of the builder.

    `narrow` keeps the values that hold all its words (the section's name may hold some), case ignored.
    Unnarrowed, a section lists its first values and the chosen ones; `opened` names the (axis, facet name)
    of those listed in full. A section without a line to show is left out while narrowing.
    """
    words = narrow.casefold().split()
    lines: list[Choice] = []
    every_name = bool(words) or ("facet", "") in opened
    names = left_out = 0
    for part in parts:
        if part.axis == "facet":
            names += 1
            some = any(is_chosen(scope, "facet", part.name, value) for value in part.values)
            if not every_name and names > FIRST_NAMES and not some:
                left_out += 1
                continue
        elif left_out:
            lines.append(Choice("more", "facet", count=left_out))
            left_out = 0
        places = _matching(part, words)
        hidden = 0
        if not words and (part.axis, part.name) not in opened and len(places) > FIRST + 1:
            kept = [n for n in places if n < FIRST or is_chosen(scope, part.axis, part.name, part.values[n])]
            hidden = len(places) - len(kept)
            places = kept
        if words and not places:
            continue
        if part.axis == "facet" and not any(line.axis == "facet" for line in lines[-1:]):
            lines.append(Choice("heading", "facet", value="facets", rule="names join with and"))
        lines.append(Choice("heading", part.axis, part.name, part.label, rule=rule(part, scope)))
        for place in places:
            value = part.values[place]
            count = part.counts.get(value, 0) if part.counts else None
            lines.append(
                Choice(
                    "value",
                    part.axis,
                    part.name,
                    value,
                    count,
                    is_chosen(scope, part.axis, part.name, value),
                )
            )
        if hidden:
            lines.append(Choice("more", part.axis, part.name, count=hidden))
        if part.axis == "as-of" and not part.values:
            lines.append(Choice("write", "as-of"))
    return lines


def is_chosen(scope: Scope, axis: str, name: str, value: str) -> bool:
    """Whether the scope states this value; compared as the ranker compares it."""
    if axis == "type":
        return value in scope.memory_types
    if axis == "ws":
        return value == scope.workspace
    if axis == "tag":
        return value in scope.tags
    if axis == "entity":
        return bool(scope.entity) and _same_entity(scope.entity or "", value)
    if axis == "archived":
        return (value == "yes") == scope.include_archived
    if axis == "as-of":
        return value == scope.as_of
    return any(_is_facet(each, name, value) for each in scope.facets)


def toggled(scope: Scope, axis: str, name: str, value: str) -> Scope:
    """The scope with this value chosen, or without it where it was; one workspace and entity at a time."""
    chosen = is_chosen(scope, axis, name, value)
    if axis == "type":
        kept = tuple(each for each in scope.memory_types if each != value)
        return replace(scope, memory_types=kept if chosen else (*scope.memory_types, value))
    if axis == "ws":
        return replace(scope, workspace="" if chosen else value)
    if axis == "tag":
        kept = tuple(each for each in scope.tags if each != value)
        return replace(scope, tags=kept if chosen else (*scope.tags, value))
    if axis == "entity":
        return replace(scope, entity=None if chosen else value)
    if axis == "archived":
        return replace(scope, include_archived=(value == "yes") != chosen)
    if axis == "as-of":
        return replace(scope, as_of="" if chosen else value)
    facets = tuple(each for each in scope.facets if not _is_facet(each, name, value))
    return replace(scope, facets=facets if chosen else (*scope.facets, FacetFilter(name, value)))


def condition_words(found: Removed) -> str:
    """A condition as its scope words, or as what it does where none states it."""
    if found.stated:
        return found.words
    return "archived left out" if found.axis == "archived" else "tasks left out"


def removed_words(found: Removed) -> str:
    """One condition and what it removes, as a sentence."""
    text = f"-{found.alone:,} {condition_words(found)}"
    return text + (f" ({found.beyond:,} by it alone)" if found.beyond else "")


def ignored(scope: Scope) -> tuple[str, ...]:
    """The scope words that the ranker makes no condition of: types that do not exist, blank values."""
    types = tuple(name for name in scope.memory_types if name not in known_types(scope))
    tags = tuple(tag for tag in scope.tags if tag not in usable_tags(scope))
    facets = tuple(each for each in scope.facets if not facet_groups((each,)))
    return scope_words(Scope(memory_types=types, tags=tags, facets=facets))


def chip_groups(scope: Scope) -> Iterator[tuple[Axis, str]]:
    """Per scope word of `typed.scope_words`, in its order: the axis and the facet name of its condition."""
    yield from (("type", "") for _ in scope.memory_types)
    if scope.workspace:
        yield ("ws", "")
    yield from (("tag", "") for _ in scope.tags)
    if scope.entity:
        yield ("entity", "")
    yield from (("facet", js_trim(each.name)) for each in scope.facets)
    if scope.include_archived:
        yield ("archived", "")
    if scope.as_of:
        yield ("as-of", "")


def _section(axis: Axis, name: str, label: str, counts: Mapping[str, int], chosen: Sequence[str]) -> Section:
    values = list(counts)
    if axis == "archived":
        values = ["no", "yes"]
    elif axis == "entity":
        values += [each for each in chosen if not any(_same_entity(each, value) for value in values)]
    else:
        values += [each for each in chosen if each not in counts]
    folded = tuple(f"{label} {value}".casefold() for value in values)
    if axis == "archived":
        folded = ("archived no", "archived yes")
    return Section(axis, name, label, tuple(values), counts, folded)


def _matching(part: Section, words: Sequence[str]) -> Sequence[int]:
    if not words:
        return range(len(part.values))
    return [n for n, text in enumerate(part.folded) if all(word in text for word in words)]


def _some(value: str | None) -> tuple[str, ...]:
    return (value,) if value else ()


def _same_entity(stated: str, value: str) -> bool:
    return ascii_lower(js_trim(stated)) == ascii_lower(js_trim(value))


def _is_facet(stated: FacetFilter, name: str, value: str) -> bool:
    return (js_trim(stated.name), js_trim(stated.value)) == (name, value)
