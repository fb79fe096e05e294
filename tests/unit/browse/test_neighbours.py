"""Nearest neighbours equal a brute-force measurement, and a search like a memory needs no embedder."""

from __future__ import annotations

import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memhtml_core.browse.neighbours import like_request, neighbours
from memhtml_core.rank.cosine import exact
from memhtml_core.rank.outcome import MissingArm, MissingReason
from memhtml_core.rank.request import Ranking, Request, Scope
from memhtml_core.rank.search import search
from tests.counts import count
from tests.unit.rank.corpus import SPACE, Row, blob, fill

PARTS = st.sampled_from([-1.0, 0.0, 0.5, 1.0, 3.0])
VECTORS = st.lists(PARTS, min_size=4, max_size=4).map(tuple)
CHUNKS = st.lists(st.none() | VECTORS, max_size=3).map(tuple)


@given(st.lists(CHUNKS, min_size=1, max_size=8), st.integers(0, 6))
@settings(max_examples=count(40, 1_500), deadline=None)
def test_neighbours_equal_a_measurement_of_all(
    chunks: list[tuple[tuple[float, ...] | None, ...]], limit: int
) -> None:
    rows = [
        Row(f"areas/{n}.html", vectors=each, archived=n % 3 == 2, memory_type="task" if n % 4 == 3 else "arc")
        for n, each in enumerate(chunks)
    ]
    stored = {row.path: [blob(each) for each in row.vectors if each is not None] for row in rows}
    with tempfile.TemporaryDirectory() as folder, fill(Path(folder) / "index.db", rows) as database:
        for path, own in stored.items():
            found = neighbours(database, path, SPACE, limit)
            if not own:
                assert found.rows == ()
                assert found.missing == MissingArm(
                    "vector", MissingReason.NO_VECTORS, f"{path} has none in this space"
                )
                continue
            measured = sorted(
                (min(1.0 - exact(own[0], each) for each in vectors), other)
                for other, vectors in stored.items()
                if vectors and other != path
            )
            assert found.missing is None
            assert [(1.0 - d, other) for d, other in measured[:limit]] == [
                (row.cosine, row.card.path) for row in found.rows
            ]


ROWS = [
    Row("areas/a.html", "fuel pump", vectors=((1, 0, 0, 0),)),
    Row("areas/b.html", "harbour", vectors=((1, 0.2, 0, 0),)),
    Row("areas/c.html", "mast", vectors=((0, 0, 1, 0),)),
    Row("areas/d.html", "no vector"),
]


def test_a_search_like_a_memory_needs_no_embedder(tmp_path: Path) -> None:
    base = Request("pump", 0.0, scope=Scope(tags=("x",)), limit=3, ranking=Ranking(coverage_floor=0.5))
    request = like_request("areas/a.html", base)
    assert (request.query, request.scope, request.limit) == ("", Scope(), 3)
    assert like_request("areas/a.html", base, keep_scope=True).scope == base.scope
    with fill(tmp_path / "index.db", ROWS) as database:
        refused = MissingArm("vector", MissingReason.SPACE_UNASKABLE)
        for given_vector in (None, refused):
            outcome = search(
                database, request, embedder=None, space=SPACE, usage=True, query_vector=given_vector
            )
            run = next(run for run in outcome.arms if run.name == "vector")
            assert [entry.path for entry in run.entries] == ["areas/a.html", "areas/b.html", "areas/c.html"]
            assert not outcome.degraded
            assert [missing.reason for missing in outcome.missing] == [MissingReason.NO_QUERY_TERMS]


@pytest.mark.parametrize("path", ["areas/d.html", "areas/gone.html"])
def test_a_memory_without_a_vector_puts_the_arm_out(tmp_path: Path, path: str) -> None:
    with fill(tmp_path / "index.db", ROWS) as database:
        request = like_request(path, Request("", 0.0, ranking=Ranking(coverage_floor=0.5)))
        outcome = search(database, request, embedder=None, space=SPACE, usage=True)
        assert outcome.degraded
        assert outcome.missing[1].reason is MissingReason.NO_VECTORS
        assert path in outcome.missing[1].detail
        assert neighbours(database, "areas/a.html", None).missing is not None
