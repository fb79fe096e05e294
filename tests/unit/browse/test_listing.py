"""Lists and counts against a second writing of the scope rules, over random stores and scopes."""

from __future__ import annotations

import tempfile
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memhtml_core.browse.counts import count_values
from memhtml_core.browse.listing import count_in_scope, list_memories
from memhtml_core.errors import UsageError
from memhtml_core.index.database import Database
from memhtml_core.rank.request import FacetFilter, Scope
from memhtml_core.store.vocabulary import TYPES
from tests.counts import count
from tests.made_index import Row, make_index

TYPE = st.sampled_from(["semantic", "task", "arc", "verdict"])
DAY = st.sampled_from(["2024-01-01", "2024-01-02", "2024-01-03T10:00:00Z", "2024-01-04"])
TAG = st.sampled_from(["t1", "t2", "T1"])
ENTITY = st.sampled_from([("svc", "One"), ("svc", "one"), ("team", "two")])
FACET = st.sampled_from([("tier", "1"), ("tier", "2"), ("owner", "ada"), ("owner", "")])


@st.composite
def stores(draw: st.DrawFn) -> list[Row]:
    return [
        Row(
            path=f"areas/{number}.html",
            title=draw(st.sampled_from(["b", "A", "a", "Z"])),
            memory_type=draw(TYPE),
            archived=draw(st.integers(0, 3)) == 0,
            workspace=draw(st.sampled_from([None, "w1", "w2"])),
            created=draw(DAY),
            updated=draw(DAY),
            event=draw(st.none() | DAY),
            due=draw(st.none() | DAY),
            valid_from=draw(st.none() | DAY),
            valid_until=draw(st.none() | DAY),
            tags=draw(st.lists(TAG, unique=True, max_size=2)),
            entities=draw(st.lists(ENTITY, unique=True, max_size=2)),
            facets=draw(st.lists(FACET, unique=True, max_size=3)),
        )
        for number in range(draw(st.integers(0, 8)))
    ]


SCOPES = st.builds(
    Scope,
    memory_types=st.lists(TYPE | st.just("nonsense"), max_size=2).map(tuple),
    workspace=st.sampled_from(["", "w1", "w3"]),
    tags=st.lists(TAG | st.just(" "), max_size=2).map(tuple),
    entity=st.sampled_from([None, "", "SVC:one", "team:two", " "]),
    facets=st.lists(FACET.map(lambda pair: FacetFilter(*pair)), max_size=3).map(tuple),
    include_archived=st.booleans(),
    as_of=st.sampled_from(["", "2024-01-02", "2024-01-03"]),
)


def inside(row: Row, scope: Scope) -> bool:
    """RETRIEVAL 3, written as one plain condition per axis."""
    if scope.as_of:
        start = row.valid_from or row.event or row.created
        if not (start <= scope.as_of and (row.valid_until is None or row.valid_until > scope.as_of)):
            return False
    elif row.archived and not scope.include_archived:
        return False
    known = [name for name in scope.memory_types if name in TYPES]
    if row.memory_type not in known if known else row.memory_type == "task":
        return False
    if scope.workspace and row.workspace != scope.workspace:
        return False
    tags = [tag for tag in scope.tags if tag.strip()]
    if tags and not set(tags) & set(row.tags):
        return False
    if scope.entity and scope.entity.strip().lower() not in [f"{k}:{n}".lower() for k, n in row.entities]:
        return False
    asked = [(f.name, f.value) for f in scope.facets if f.name and f.value]
    return all(any((name, value) in row.facets for n, value in asked if n == name) for name, _ in asked)


def with_index(rows: list[Row], check: Callable[[Database], None]) -> None:
    with tempfile.TemporaryDirectory() as folder, make_index(Path(folder) / "index.db", rows) as database:
        check(database)


def most_first(values: list[str]) -> list[tuple[str, int]]:
    return sorted(Counter(values).items(), key=lambda item: (-item[1], item[0]))


@given(stores(), SCOPES)
@settings(max_examples=count(60, 400), deadline=None)
def test_list_and_counts_equal_brute_force(rows: list[Row], scope: Scope) -> None:
    def under(lifted: Scope) -> list[Row]:
        return [row for row in rows if inside(row, lifted)]

    def check(database: Database) -> None:
        expected = [row.path for row in under(scope)]
        listing = list_memories(database, scope)
        assert [card.path for card in listing.rows] == sorted(expected)
        assert listing.total == count_in_scope(database, scope) == len(expected)
        counts = count_values(database, scope)
        assert counts.total == len(expected)
        types = under(replace(scope, memory_types=TYPES))
        assert list(counts.types.items()) == most_first([row.memory_type for row in types])
        places = [row.workspace for row in under(replace(scope, workspace="")) if row.workspace]
        assert list(counts.workspaces.items()) == most_first(places)
        tags = [tag for row in under(replace(scope, tags=())) for tag in row.tags]
        assert list(counts.tags.items()) == most_first(tags)
        entities = [f"{k}:{n}" for row in under(replace(scope, entity=None)) for k, n in row.entities]
        assert list(counts.entities.items()) == most_first(entities)
        for name in ("tier", "owner"):
            rest = tuple(f for f in scope.facets if f.name != name)
            values = [v for row in under(replace(scope, facets=rest)) for n, v in row.facets if n == name]
            assert list(counts.facets.get(name, {}).items()) == most_first(values)

    with_index(rows, check)


@given(
    stores(), st.sampled_from(["path", "title", "updated", "event", "due"]), st.booleans(), st.integers(1, 4)
)
@settings(max_examples=count(40, 200), deadline=None)
def test_pages_are_the_whole_list_in_order(rows: list[Row], sort: str, descending: bool, size: int) -> None:
    keys: dict[str, Callable[[Row], str | None]] = {
        "path": lambda row: row.path,
        "title": lambda row: row.title,
        "updated": lambda row: row.updated,
        "event": lambda row: row.event,
        "due": lambda row: row.due,
    }

    def check(database: Database) -> None:
        every = Scope(memory_types=TYPES, include_archived=True)
        stated = sorted((row for row in rows if keys[sort](row) is not None), key=lambda row: row.path)
        stated.sort(key=lambda row: keys[sort](row) or "", reverse=descending)
        blank = sorted(row.path for row in rows if keys[sort](row) is None)
        listed = []
        for offset in range(0, len(rows) + 1, size):
            page = list_memories(database, every, sort, offset, size, descending=descending)  # type: ignore[arg-type]
            assert (page.total, page.offset) == (len(rows), offset)
            listed += [card.path for card in page.rows]
        assert listed == [row.path for row in stated] + blank

    with_index(rows, check)


def test_opens_come_from_the_state_plane(tmp_path: Path) -> None:
    with make_index(tmp_path / "index.db", [Row(f"areas/{n}.html") for n in range(3)]) as database:
        database.run("ATTACH ':memory:' AS usage")
        database.run("CREATE TABLE usage.access (path TEXT PRIMARY KEY, access_count INTEGER)")
        database.run("INSERT INTO usage.access VALUES ('areas/1.html', 7), ('areas/gone.html', 9)")
        listing = list_memories(database, Scope(), "opens", usage=True)
        assert [card.path for card in listing.rows] == ["areas/1.html", "areas/0.html", "areas/2.html"]
        assert listing.opens == {"areas/1.html": 7}
        assert list_memories(database, Scope()).opens is None
        with pytest.raises(UsageError):
            list_memories(database, Scope(), "opens")


@pytest.mark.parametrize("wrong", [{"sort": "size"}, {"offset": -1}, {"limit": -1}])
def test_what_cannot_be_meant_is_refused(tmp_path: Path, wrong: dict[str, object]) -> None:
    with make_index(tmp_path / "index.db", []) as database, pytest.raises(UsageError):
        list_memories(database, Scope(), **wrong)  # type: ignore[arg-type]
