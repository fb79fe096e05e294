"""Counts of the scope builder equal a brute-force count, over random stores and scopes."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from pathlib import Path

from hypothesis import given, settings

from memhtml_core.browse.facets import ScopeCounter, removed_by, scope_counts
from memhtml_core.browse.listing import count_in_scope
from memhtml_core.index.database import Database, connect
from memhtml_core.rank.request import FacetFilter, Scope
from memhtml_core.rank.typed import parse_scope
from tests.counts import count
from tests.made_index import Row, make_index
from tests.unit.browse.scopes import SCOPES, conditions, stores, under, with_index

EXAMPLES = count(30, 1_500)


def most_first(values: list[str]) -> list[tuple[str, int]]:
    return sorted(Counter(values).items(), key=lambda item: (-item[1], item[0]))


def folded(rows: list[Row]) -> Counter[str]:
    """Memories per entity, upper and lower case taken for one."""
    return Counter(name for row in rows for name in {f"{k}:{n}".lower() for k, n in row.entities})


@given(stores(), SCOPES)
@settings(max_examples=EXAMPLES, deadline=None)
def test_counts_equal_brute_force(rows: list[Row], scope: Scope) -> None:
    def check(database: Database) -> None:
        counts = scope_counts(database, scope)
        assert counts.total == len(under(rows, scope))
        types = [row.memory_type for row in under(rows, scope, "type")]
        assert list(counts.types.items()) == most_first(types)
        places = [row.workspace for row in under(rows, scope, "ws") if row.workspace]
        assert list(counts.workspaces.items()) == most_first(places)
        tags = [tag for row in under(rows, scope, "tag") for tag in row.tags if tag.strip()]
        assert list(counts.tags.items()) == most_first(tags)
        sides = ["yes" if row.archived else "no" for row in under(rows, scope, "archived")]
        assert list(counts.archived.items()) == most_first(sides)
        entities = folded(under(rows, scope, "entity"))
        entities.pop("team:end ", None)
        assert {name.lower(): number for name, number in counts.entities.items()} == dict(entities)
        numbers = list(counts.entities.values())
        assert numbers == sorted(numbers, reverse=True)
        names = ("tier", "owner", "port")
        for name in names:
            rest = under(rows, scope, f"facet:{name}")
            values = [v for row in rest for n, v in row.facets if n == name and v.strip() == v != ""]
            assert list(counts.facets.get(name, {}).items()) == most_first(values)
        assert list(counts.facets) == sorted(counts.facets)
        assert set(counts.facets) <= set(names)

    with_index(rows, check)


@given(stores(), SCOPES)
@settings(max_examples=EXAMPLES, deadline=None)
def test_a_count_is_what_choosing_the_value_gives(rows: list[Row], scope: Scope) -> None:
    def check(database: Database) -> None:
        counter = ScopeCounter(database)
        counts = counter.counts(scope)
        chosen = [
            *((replace(scope, memory_types=(value,)), n) for value, n in counts.types.items()),
            *((replace(scope, workspace=value), n) for value, n in counts.workspaces.items()),
            *((replace(scope, tags=(value,)), n) for value, n in counts.tags.items()),
            *((replace(scope, entity=value), n) for value, n in counts.entities.items()),
        ]
        for name, values in counts.facets.items():
            others = tuple(f for f in scope.facets if f.name.strip() != name)
            chosen += [
                (replace(scope, facets=(*others, FacetFilter(name, value))), n) for value, n in values.items()
            ]
        for narrowed, number in chosen:
            assert count_in_scope(database, narrowed) == number == counter.counts(narrowed).total

    with_index(rows, check)


@given(stores(), SCOPES)
@settings(max_examples=EXAMPLES, deadline=None)
def test_what_each_condition_removes(rows: list[Row], scope: Scope) -> None:
    def check(database: Database) -> None:
        total = len(under(rows, scope))
        expected = {
            axis: (sum(not test(row) for row in rows), len(under(rows, scope, axis)) - total)
            for axis, test in conditions(scope).items()
        }
        found = removed_by(database, scope)
        keys = [f"facet:{one.name}" if one.axis == "facet" else one.axis for one in found]
        assert dict(zip(keys, [(one.alone, one.beyond) for one in found], strict=True)) == expected
        for one in found:
            assert one.stated == bool(one.words)

    with_index(rows, check)


def test_the_words_of_a_condition_and_the_defaults(tmp_path: Path) -> None:
    rows = [Row("areas/1.html"), Row("areas/2.html", archived=True), Row("areas/3.html", memory_type="task")]
    with make_index(tmp_path / "index.db", rows) as database:
        found = removed_by(database, parse_scope("tag:a tag:b facet:tier=1 facet:tier=2 facet:x=y"))
    assert [(one.words, one.stated, one.alone) for one in found] == [
        ("", False, 1),
        ("", False, 1),
        ("tag:a or tag:b", True, 3),
        ("facet:tier=1 or facet:tier=2", True, 3),
        ("facet:x=y", True, 3),
    ]


def test_an_entity_is_shown_in_its_most_frequent_spelling(tmp_path: Path) -> None:
    rows = [
        Row("areas/1.html", entities=[("svc", "one"), ("svc", "One")]),
        Row("areas/2.html", entities=[("svc", "One")]),
        Row("areas/3.html", entities=[("svc", "ONE")]),
    ]
    with make_index(tmp_path / "index.db", rows) as database:
        assert scope_counts(database).entities == {"svc:One": 3}


def test_a_counter_notices_that_the_index_has_changed(tmp_path: Path) -> None:
    path = tmp_path / "index.db"
    with make_index(path, [Row("areas/1.html", tags=["a"])]) as writer:
        writer.seal()
        with connect(path, readonly=True) as reader:
            counter = ScopeCounter(reader)
            assert counter.counts().tags == {"a": 1}
            writer.run("INSERT INTO file_tags VALUES (1, 'b')")
            assert counter.counts().tags == {"a": 1, "b": 1}
            writer.run("DELETE FROM files")
            assert counter.counts().total == 0
            assert counter.counts().types == {}
