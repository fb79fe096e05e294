"""The scope predicate against a reading of the same rules in Python, row by row."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memhtml_core.index.database import Database
from memhtml_core.rank.fusion import bound
from memhtml_core.rank.request import FacetFilter, Scope
from memhtml_core.rank.scope import FIRST_SLOT, ascii_lower, narrows, parse_facet, placed, predicate
from tests.unit.rank.corpus import Row, fill
from tests.unit.rank.proof import proof

TYPES = ("semantic", "task", "verdict", "arc")
INSTANTS = ("2023-01-01", "2024-01-01T00:00:00Z", "2024-06-01T12:00:00Z", "2025-01-01T00:00:00Z")
TAGS = ("fuel", "Fuel", " fuel", "night shift")
ENTITIES = (("person", "Zoë"), ("person", "ZOË"), ("place", "dry:dock"), ("unknown", "hull"))
FACETS = (("tier", "1"), ("tier", "2"), ("Tier", "1"), ("day", "a=b"))


def some_rows(dice: random.Random) -> list[Row]:
    def maybe(values: tuple[str, ...]) -> str | None:
        return dice.choice((None, *values))

    return [
        Row(
            path=f"areas/{number:03}.html",
            memory_type=dice.choice(TYPES),
            archived=dice.random() < 0.3,
            workspace=maybe(("ws", "Ws")),
            created_at=dice.choice(INSTANTS),
            event_at=maybe(INSTANTS),
            valid_from=maybe(INSTANTS),
            valid_until=maybe(INSTANTS),
            tags=tuple(dice.sample(TAGS, dice.randrange(3))),
            entities=tuple(dice.sample(ENTITIES, dice.randrange(3))),
            facets=tuple(dice.sample(FACETS, dice.randrange(4))),
        )
        for number in range(150)
    ]


ROWS = some_rows(random.Random(7))


@pytest.fixture(scope="module")
def database(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Database]:
    with fill(tmp_path_factory.mktemp("scope") / "index.db", ROWS) as opened:
        yield opened


def holds(row: Row, scope: Scope) -> bool:
    """RETRIEVAL 3, read line by line."""
    if scope.as_of:
        start = row.valid_from or row.event_at or row.created_at
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
    if scope.entity:
        wanted = ascii_lower(scope.entity.strip())
        if wanted not in {ascii_lower(f"{kind}:{name}") for kind, name in row.entities}:
            return False
    pairs = [(f.name.strip(), f.value.strip()) for f in scope.facets if f.name.strip() and f.value.strip()]
    return all(any((name, value) in row.facets for n, value in pairs if n == name) for name, _ in pairs)


SCOPES = st.builds(
    Scope,
    memory_types=st.lists(st.sampled_from([*TYPES, "nonsense"]), max_size=3).map(tuple),
    workspace=st.sampled_from(["", "", "ws", "Ws", " ws"]),
    tags=st.lists(st.sampled_from([*TAGS, "", "  ", "none"]), max_size=2).map(tuple),
    entity=st.sampled_from(
        [None, None, "", "  ", "PERSON:zoË", " person:Zoë ", "place:dry:dock", "person:zoe"]
    ),
    facets=st.lists(
        st.builds(
            FacetFilter,
            st.sampled_from(["tier", " tier ", "Tier", "day", " "]),
            st.sampled_from(["1", " 2", "a=b", ""]),
        ),
        max_size=3,
    ).map(tuple),
    include_archived=st.booleans(),
    as_of=st.sampled_from(["", "", *INSTANTS]),
)


def matching(database: Database, scope: Scope, archived: bool = False) -> set[str]:
    chosen = predicate(scope, "only" if archived else "as asked")
    sql = f"SELECT f.path FROM files f WHERE {chosen.where()}"
    return {path for (path,) in database.rows(sql, bound(sql, (None,) * 4, chosen.values))}


@proof
@given(SCOPES)
def test_predicate_equals_the_rules(database: Database, scope: Scope) -> None:
    assert matching(database, scope) == {row.path for row in ROWS if holds(row, scope)}


@proof
@given(SCOPES)
def test_the_pointer_flips_archived_alone(database: Database, scope: Scope) -> None:
    plain = replace(scope, as_of="", include_archived=True)
    expected = {row.path for row in ROWS if row.archived and holds(row, plain)}
    assert matching(database, scope, archived=True) == expected


@proof
@given(SCOPES)
def test_conditions_hold_one_by_one(database: Database, scope: Scope) -> None:
    found = {row.path for row in ROWS}
    for condition in predicate(scope).conditions:
        sql = f"SELECT x.path FROM files x WHERE {placed(condition, 'x', FIRST_SLOT)}"
        found &= {path for (path,) in database.rows(sql, bound(sql, (None,) * 4, condition.values))}
    assert found == matching(database, scope)


@proof
@given(SCOPES)
def test_only_a_stated_restriction_narrows(scope: Scope) -> None:
    axes = {condition.axis for condition in predicate(scope).conditions}
    assert narrows(scope) == bool(scope.memory_types or axes - {"archived", "as-of", "type"})


@pytest.mark.parametrize(
    ("text", "pair"),
    [
        ("a=b=c", ("a", "b=c")),
        (" a = b ", ("a", "b")),
        ("=b", None),
        (" =b", None),
        ("a=\u00a0", None),
        ("a", None),
    ],
)
def test_facet_text(text: str, pair: tuple[str, str] | None) -> None:
    assert parse_facet(text) == (None if pair is None else FacetFilter(*pair))
