"""The scope builder's model: what is listed, what is chosen, and that it is always the scope itself."""

from __future__ import annotations

import time

from hypothesis import given
from hypothesis import strategies as st

from memhtml_core.browse.facets import Removed, ScopeCounts
from memhtml_core.rank.request import FacetFilter, Scope
from memhtml_core.rank.typed import format_scope, parse_scope, scope_words
from memhtml_core.store.text import js_trim
from memhtml_core.store.vocabulary import TYPES
from memhtml_tui.look import Look
from memhtml_tui.panes.builder import choice_text, removes_text
from memhtml_tui.panes.scope import chip_line
from memhtml_tui.scoping import (
    FIRST,
    FIRST_NAMES,
    Choice,
    chip_groups,
    choices,
    ignored,
    is_chosen,
    sections,
    toggled,
)

LOOK = Look()
WORDS = st.text('abéß \\"=:\n\x1b', min_size=1, max_size=5).map(js_trim).filter(bool)
COUNTED = st.dictionaries(WORDS, st.integers(1, 999), max_size=14)
COUNTS = st.builds(
    ScopeCounts,
    total=st.integers(0, 999),
    types=st.dictionaries(st.sampled_from(TYPES), st.integers(1, 99)),
    workspaces=COUNTED,
    tags=COUNTED,
    entities=st.dictionaries(WORDS.map(lambda name: f"tool:{name}"), st.integers(1, 99), max_size=14),
    facets=st.dictionaries(WORDS, COUNTED, max_size=4),
    archived=st.just({"no": 5, "yes": 3}),
)


def values(lines: list[Choice]) -> list[Choice]:
    return [line for line in lines if line.kind == "value"]


@given(COUNTS, st.lists(st.integers(0, 400), max_size=12))
def test_every_choice_is_in_the_scope_and_in_its_typed_form(counts: ScopeCounts, picks: list[int]) -> None:
    scope = Scope()
    for pick in picks:
        listed = values(choices(sections(counts, scope), scope))
        chosen = listed[pick % len(listed)]
        before = scope
        scope = toggled(scope, chosen.axis, chosen.name, chosen.value)
        assert is_chosen(scope, chosen.axis, chosen.name, chosen.value) != chosen.chosen
        assert parse_scope(format_scope(scope)) == scope
        if chosen.axis != "ws" and chosen.axis != "entity":
            again = toggled(scope, chosen.axis, chosen.name, chosen.value)
            assert set(scope_words(again)) == set(scope_words(before))
        shown = {line.key: line for line in choices(sections(counts, scope), scope)}
        assert shown[chosen.key].chosen != chosen.chosen
    stated = [line for line in values(choices(sections(None, scope), scope)) if line.chosen]
    assert {line.axis for line in stated} == {axis for axis, _ in chip_groups(scope)} | {"archived"}


@given(COUNTS, st.text("ab éß", max_size=3))
def test_narrowing_keeps_what_holds_every_word(counts: ScopeCounts, narrow: str) -> None:
    parts = sections(counts, Scope())
    wanted = narrow.casefold().split()
    brute = [
        (part.axis, part.name, value)
        for part in parts
        for value in part.values
        if all(word in f"{part.label} {value}".casefold() for word in wanted)
    ]
    opened = frozenset((part.axis, part.name) for part in parts) | {("facet", "")}
    listed = values(choices(parts, Scope(), narrow, opened))
    assert [(line.axis, line.name, line.value) for line in listed] == brute


def test_a_long_section_lists_its_first_values_and_the_chosen_ones() -> None:
    counts = ScopeCounts(9, {}, {}, {f"tag-{n:04}": 5000 - n for n in range(5000)}, {}, {}, {})
    scope = Scope(tags=("tag-0002", "tag-4321", "unknown"))
    lines = choices(sections(counts, scope), scope)
    tags = [line for line in lines if line.axis == "tag"]
    shown = [line.value for line in tags if line.kind == "value"]
    assert shown == [f"tag-{n:04}" for n in range(FIRST)] + ["tag-4321", "unknown"]
    assert tags[0].rule == "or"
    assert (tags[-1].kind, tags[-1].count) == ("more", 5001 - FIRST - 2)
    assert next(line for line in tags if line.value == "unknown").count == 0
    everything = choices(sections(counts, scope), scope, opened=frozenset({("tag", "")}))
    assert sum(line.axis == "tag" and line.kind == "value" for line in everything) == 5001


def test_many_facet_names_are_folded_too_most_first() -> None:
    facets = {f"name-{n:03}": {"v": n + 1} for n in range(60)}
    counts = ScopeCounts(9, {}, {}, {}, {}, facets, {})
    scope = Scope(facets=(FacetFilter("name-000", "v"),))
    lines = [line for line in choices(sections(counts, scope), scope) if line.axis == "facet"]
    names = [line.name for line in lines if line.kind == "heading"]
    assert names == ["", *(f"name-{n:03}" for n in range(59, 59 - FIRST_NAMES, -1)), "name-000"]
    assert lines[0].rule == "names join with and"
    assert (lines[-1].kind, lines[-1].count) == ("more", 60 - FIRST_NAMES - 1)


def test_twenty_thousand_values_are_narrowed_at_once() -> None:
    tags = {f"tag number {n}": 20_000 - n for n in range(20_000)}
    parts = sections(ScopeCounts(1, {}, {}, tags, {}, {}, {}), Scope())
    start = time.process_time()
    listed = choices(parts, Scope(), "number 77")
    spent = time.process_time() - start
    assert len(values(listed)) == sum("77" in f"{n}" for n in range(20_000))
    assert spent < 0.1, f"{spent:.3f} s of processor time"


def test_one_entity_in_any_spelling_and_one_workspace() -> None:
    scope = toggled(Scope(entity=" Tool:SQLite "), "ws", "", "payments")
    assert is_chosen(scope, "entity", "", "tool:sqlite")
    assert toggled(scope, "entity", "", "tool:sqlite").entity is None
    assert toggled(scope, "entity", "", "tool:git").entity == "tool:git"
    assert toggled(scope, "ws", "", "infra").workspace == "infra"
    counts = ScopeCounts(1, {}, {}, {}, {"tool:sqlite": 3}, {}, {})
    found = [line for line in choices(sections(counts, scope), scope) if line.axis == "entity"]
    assert [line.value for line in found if line.kind == "value"] == ["tool:sqlite"]


def test_chips_of_one_condition_stand_together_with_their_joiners() -> None:
    scope = Scope(
        memory_types=("arc", "semantic"),
        facets=(FacetFilter("tier", "1"), FacetFilter("doc", "x"), FacetFilter("tier", "2")),
        tags=("fuel", "fog"),
    )
    removed = (
        Removed("archived", "", "", False, 12, 3),
        Removed("tag", "", "tag:fuel or tag:fog", True, 40, 4),
        Removed("facet", "tier", "facet:tier=1 or facet:tier=2", True, 7, 0),
    )
    words = scope_words(scope)
    line = [(words[place], joiner, number) for place, joiner, number in chip_line(scope, removed)]
    assert line == [
        ("type:arc", "", None),
        ("type:semantic", "or", None),
        ("tag:fuel", "", None),
        ("tag:fog", "or", 40),
        ("facet:tier=1", "", None),
        ("facet:tier=2", "or", 7),
        ("facet:doc=x", "and", None),
    ]


def test_what_is_no_condition_is_said_to_be_ignored() -> None:
    scope = Scope(("arc", "fable"), tags=(" ", "a"), facets=(FacetFilter("tier", ""), FacetFilter("a", "b")))
    assert ignored(scope) == ("type:fable", 'tag:" "', 'facet:tier=""')
    removed = (Removed("type", "", "type:arc", True, 1234, 0), Removed("archived", "", "", False, 12, 3))
    text = removes_text(scope, removed, None).plain.split("\n")
    assert text[:2] == ["-1,234 type:arc", "-12 archived left out (3 by it alone)"]
    assert text[2] == "ignored: type:fable"


@given(st.text(max_size=30), st.integers(1, 60), st.integers(0, 10**9))
def test_a_line_of_the_builder_fits_its_width(value: str, width: int, count: int) -> None:
    for axis in ("tag", "entity", "facet"):
        for kind in ("value", "heading", "more", "write"):
            made = Choice(kind, axis, "name", value, count, True, "or")
            text = choice_text(made, LOOK, width)
            assert text.cell_len <= width
            assert "\n" not in text.plain
