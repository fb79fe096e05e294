"""Vectors: fetched where missing, kept whatever happens, never mixed between spaces."""

from __future__ import annotations

import struct
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from memhtml_core.embed.protocol import Space
from memhtml_core.errors import BadVector, EmbedTimeout
from memhtml_core.index import vectors
from memhtml_core.index.build import build
from memhtml_core.index.database import Database
from memhtml_core.index.location import Location
from memhtml_core.index.progress import Progress
from memhtml_core.store.tree import Tree
from tests.unit.index.stores import page, put

SPACE = Space("toy@2", 2, "made of wood")
FILES = 200


def blob(*values: float) -> bytes:
    return struct.pack(f"<{len(values)}f", *values)


class Toy:
    """An embedder that can fail at a batch, refuse a text, or answer nonsense."""

    label = "toy"

    def __init__(
        self, space: Space = SPACE, *, fail_at: int = 0, refuse: str = "", answer: bytes = b""
    ) -> None:
        self.space, self.batches = space, [0][:0]
        self._fail_at, self._refuse, self._answer = fail_at, refuse, answer

    def embed_documents(self, texts: Sequence[str], *, deadline: float | None = None) -> list[bytes]:
        self.batches.append(len(texts))
        if self._fail_at and len(self.batches) >= self._fail_at:
            raise EmbedTimeout("the embedder gave no answer")
        if self._refuse and any(self._refuse in text for text in texts):
            raise BadVector("zero")
        return [self._answer or blob(*(1.0,) * self.space.dim)] * len(texts)

    def embed_query(self, text: str, *, deadline: float | None = None) -> bytes:
        return self.embed_documents([text])[0]


@pytest.fixture
def store(root: Path, location: Location) -> Path:
    for number in range(FILES):
        put(root, f"areas/{number:03}.html", page(f"Claim number {number:03} holds."))
    build(Tree(root), location)
    return root


@pytest.fixture
def database(store: Path, location: Location) -> Iterator[Database]:
    with location.open("tree", readonly=False) as opened:
        yield opened


def test_batches_of_96_are_told_and_nothing_is_fetched_twice(database: Database) -> None:
    told: list[Progress] = []
    toy = Toy()
    report = vectors.embed_missing(database, toy, told.append)
    assert toy.batches == [96, 96, FILES - 192]
    assert (report.written, report.left, report.refused, report.problem) == (FILES, 0, 0, "")
    assert (told[-1].done, told[-1].total, told[-1].phase) == (FILES, FILES, "embed")
    assert vectors.coverage(database, SPACE).ratio == 1.0
    assert vectors.embed_missing(database, toy).written == 0
    assert len(toy.batches) == 3


def test_a_failing_embedder_leaves_what_it_gave(database: Database) -> None:
    report = vectors.embed_missing(database, Toy(fail_at=2))
    assert (report.written, report.left, report.problem) == (96, FILES - 96, "the embedder gave no answer")
    assert vectors.coverage(database, SPACE).have == 96
    assert vectors.embed_missing(database, Toy()).written == FILES - 96


def test_a_cancelled_run_leaves_what_it_gave(database: Database) -> None:
    toy = Toy()
    report = vectors.embed_missing(database, toy, cancel=lambda: len(toy.batches) == 1)
    assert (report.written, report.cancelled, report.left) == (96, True, FILES - 96)
    assert vectors.coverage(database, SPACE).have == 96


def test_a_refused_text_costs_only_itself(database: Database) -> None:
    report = vectors.embed_missing(database, Toy(refuse="number 100"))
    assert (report.written, report.refused, report.problem) == (FILES - 1, 1, "")


@pytest.mark.parametrize(
    "answer", [blob(1.0), blob(0.0, 0.0), blob(float("nan"), 1.0), blob(float("inf"), 1.0)]
)
def test_vectors_that_are_none_never_come_in(database: Database, answer: bytes) -> None:
    report = vectors.embed_missing(database, Toy(answer=answer))
    assert (report.written, report.refused) == (0, FILES)
    assert vectors.coverage(database, SPACE).have == 0


def test_spaces_stand_side_by_side_and_never_mix(database: Database) -> None:
    vectors.embed_missing(database, Toy())
    other = Space("toy@3", 3, "d")
    assert vectors.coverage(database, other).have == 0
    assert vectors.space_ids(database, other) == ()
    vectors.embed_missing(database, Toy(other))
    assert vectors.coverage(database, other).ratio == vectors.coverage(database, SPACE).ratio == 1.0
    assert not {*vectors.space_ids(database, other)} & {*vectors.space_ids(database, SPACE)}
    remade = Space("toy@2", 2, "made of tin")
    assert vectors.coverage(database, remade).have == 0, (
        "the same name made of something else is another space"
    )


def _peers(database: Database, limit: int) -> list[tuple[str, str, int, bytes, str]]:
    keys = database.rows(f"SELECT chunk_key FROM chunks ORDER BY id LIMIT {limit}")
    return [(key, "toy@2", 2, blob(0.0, 1.0), "2024-01-01T00:00:00Z") for (key,) in keys]


def test_unverified_vectors_count_until_a_verified_one_takes_their_place(database: Database) -> None:
    assert vectors.take(database, _peers(database, 100)) == (100, 0)
    assert vectors.coverage(database, SPACE).have == 100
    toy = Toy()
    vectors.embed_missing(database, toy)
    assert sum(toy.batches) == FILES - 100, "what a peer made counts as there"
    assert vectors.coverage(database, SPACE).have == FILES
    assert len(vectors.space_ids(database, SPACE)) == 2
    vectors.take(database, _peers(database, 150))
    vectors.drop_shadowed(database)
    assert vectors.coverage(database, SPACE).have == FILES, "one vector per chunk, whoever made it"
    assert vectors.coverage(database, Space("toy@2", 2)).have == FILES
    assert vectors.take(
        database, [("no such chunk", "toy@2", 2, blob(1, 1), ""), (*_peers(database, 1)[0][:3], b"x", "")]
    ) == (0, 1)


def test_a_full_build_and_a_change_of_source_carry_vectors_over(
    store: Path, database: Database, location: Location
) -> None:
    vectors.embed_missing(database, Toy())
    (store / "areas/000.html").rename(store / "areas/moved.html")
    (store / "areas/001.html").unlink()
    put(store, "areas/new.html", page("Quite new."))
    report = build(Tree(store), location, full=True)
    assert report.vectors == FILES - 1
    with location.open("tree", readonly=False) as rebuilt:
        toy = Toy()
        vectors.embed_missing(rebuilt, toy)
        assert toy.batches == [1]


def test_an_index_without_chunks_is_covered(root: Path, location: Location) -> None:
    build(Tree(root), location)
    with location.open("tree") as empty:
        assert vectors.coverage(empty, SPACE).ratio == 1.0
        assert vectors.stored_space(empty) is None
