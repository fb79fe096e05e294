"""Random stores and scopes, and the scope rules written a second time, one plain condition per axis."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from pathlib import Path

from hypothesis import strategies as st

from memhtml_core.index.database import Database
from memhtml_core.rank.request import FacetFilter, Scope
from memhtml_core.store.vocabulary import TYPES
from tests.made_index import Row, make_index

TYPE = st.sampled_from(["semantic", "task", "arc", "verdict"])
DAY = st.sampled_from(["2024-01-01", "2024-01-02", "2024-01-03T10:00:00Z", "2024-01-04"])
TAG = st.sampled_from(["t1", "t2", "T1", " "])
ENTITY = st.sampled_from([("svc", "One"), ("svc", "one"), ("svc", "ONE"), ("team", "two"), ("team", "end ")])
FACET = st.sampled_from([("tier", "1"), ("tier", "2"), ("owner", "ada"), ("owner", ""), ("port", " 80")])


@st.composite
def stores(draw: st.DrawFn) -> list[Row]:
    return [
        Row(
            path=f"areas/{number}.html",
            memory_type=draw(TYPE),
            archived=draw(st.integers(0, 3)) == 0,
            workspace=draw(st.sampled_from([None, "w1", "w2"])),
            created=draw(DAY),
            event=draw(st.none() | DAY),
            valid_from=draw(st.none() | DAY),
            valid_until=draw(st.none() | DAY),
            tags=draw(st.lists(TAG, unique=True, max_size=2)),
            entities=draw(st.lists(ENTITY, unique=True, max_size=3)),
            facets=draw(st.lists(FACET, unique=True, max_size=3)),
        )
        for number in range(draw(st.integers(0, 9)))
    ]


SCOPES = st.builds(
    Scope,
    memory_types=st.lists(TYPE | st.just("nonsense"), max_size=2).map(tuple),
    workspace=st.sampled_from(["", "w1", "w3"]),
    tags=st.lists(TAG, max_size=2).map(tuple),
    entity=st.sampled_from([None, "", "SVC:one", "team:two", " "]),
    facets=st.lists(FACET.map(lambda pair: FacetFilter(*pair)), max_size=3).map(tuple),
    include_archived=st.booleans(),
    as_of=st.sampled_from(["", "2024-01-02", "2024-01-03"]),
)


def conditions(scope: Scope) -> dict[str, Callable[[Row], bool]]:
    """RETRIEVAL 3 by axis; a facet name is an axis of its own, `facet:name`."""
    found: dict[str, Callable[[Row], bool]] = {}
    if scope.as_of:
        found["as-of"] = lambda row: (
            (row.valid_from or row.event or row.created) <= scope.as_of
            and (row.valid_until is None or row.valid_until > scope.as_of)
        )
    elif not scope.include_archived:
        found["archived"] = lambda row: not row.archived
    known = [name for name in scope.memory_types if name in TYPES]
    found["type"] = lambda row: row.memory_type in known if known else row.memory_type != "task"
    if scope.workspace:
        found["ws"] = lambda row: row.workspace == scope.workspace
    tags = {tag for tag in scope.tags if tag.strip()}
    if tags:
        found["tag"] = lambda row: bool(tags & set(row.tags))
    if scope.entity:
        wanted = scope.entity.strip().lower()
        found["entity"] = lambda row: wanted in [f"{k}:{n}".lower() for k, n in row.entities]
    groups: dict[str, set[str]] = {}
    for facet in scope.facets:
        if facet.name.strip() and facet.value.strip():
            groups.setdefault(facet.name.strip(), set()).add(facet.value.strip())
    for name, values in groups.items():
        found[f"facet:{name}"] = _has_facet(name, values)
    return found


def _has_facet(name: str, values: set[str]) -> Callable[[Row], bool]:
    return lambda row: any((name, value) in row.facets for value in values)


def under(rows: list[Row], scope: Scope, *lifted: str) -> list[Row]:
    """The rows that fulfil every condition but the lifted ones."""
    tests = [test for axis, test in conditions(scope).items() if axis not in lifted]
    return [row for row in rows if all(test(row) for test in tests)]


def with_index(rows: list[Row], check: Callable[[Database], None]) -> None:
    with tempfile.TemporaryDirectory() as folder, make_index(Path(folder) / "index.db", rows) as database:
        check(database)
