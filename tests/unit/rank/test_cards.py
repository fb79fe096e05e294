"""Cards: what superseded a memory, its entities, and its vector."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from memhtml_core.index.database import Database
from memhtml_core.rank.cards import hydrate, read_claims, split_entities, superseded_by
from tests.unit.rank.corpus import Row, blob, fill

OLD = "archive/2023/areas/old.html"


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    rows = [
        Row("areas/b.html", entities=(("place", "two\nlines"), ("place", "two"), ("concept", "Ö"))),
        Row("areas/a.html", gist=" ", text="words", vectors=(None, (0, 1, 0, 0), (1, 0, 0, 0))),
        Row(OLD, archived=True),
    ]
    with fill(tmp_path / "index.db", rows) as opened:
        yield opened


def supersede(database: Database, by: str, at: str, *, rel: str = "supersedes", derived: int = 0) -> None:
    database.run(
        "INSERT INTO edges VALUES (?1, ?2, ?3, 'memory', ?4, 1, 'authored', NULL, NULL, NULL, ?5)",
        (by, rel, OLD, derived, at),
    )


def test_the_latest_successor_counts_then_the_first_path(database: Database) -> None:
    assert superseded_by(database, [OLD]) == {}
    supersede(database, "areas/derived.html", "2025", derived=1)
    supersede(database, "areas/cites.html", "2025", rel="references")
    assert superseded_by(database, [OLD]) == {}
    supersede(database, "areas/a.html", "2023")
    supersede(database, "areas/c.html", "2024")
    supersede(database, "areas/b.html", "2024")
    assert superseded_by(database, [OLD, "areas/a.html"]) == {OLD: "areas/b.html"}
    assert hydrate(database, [OLD])[OLD].superseded_by == "areas/b.html"


def test_cards_come_in_the_order_given_and_only_for_what_is_there(database: Database) -> None:
    assert list(hydrate(database, ["areas/b.html", "areas/none.html", OLD])) == ["areas/b.html", OLD]
    assert hydrate(database, []) == {}
    assert hydrate(database, ["areas/b.html"])["areas/b.html"].entities == (
        "concept:Ö",
        "lines",
        "place:two",
    )


def test_entities_sort_by_utf16_unit() -> None:
    # U+1F600 begins with unit D83D, which comes before U+FF01 though its code point is higher.
    assert split_entities("b:\uff01\nb:\U0001f600\na:z\na:z") == ("a:z", "b:\U0001f600", "b:\uff01")
    assert split_entities(None) == ()


def test_a_memory_speaks_with_its_first_chunk_that_has_a_vector(database: Database) -> None:
    (claim,) = read_claims(database, ["areas/a.html"], (1,))
    assert (claim.text, claim.vector) == ("words", blob([0, 1, 0, 0]))
    assert read_claims(database, ["areas/a.html"], ())[0].vector is None
    assert read_claims(database, [], (1,)) == []
