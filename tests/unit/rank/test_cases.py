"""Public fault reports on the search line and the order (../shared/cases/bug-reports.md, by number)."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from memhtml_core.index.database import Database
from memhtml_core.rank.outcome import MissingReason, Outcome
from memhtml_core.rank.request import Request, Scope
from memhtml_core.rank.search import search
from memhtml_core.rank.typed import split_line
from tests.shared import shared
from tests.unit.rank.corpus import Row, fill

NOW = 1_720_000_000.0
ROWS = [
    Row("areas/water.html", "Don't water plot 12 in the rain."),
    Row("areas/robin.html", "Robin Hale waters on Sundays.", entities=(("person", "Robin Hale"),)),
    Row("areas/bench.html", "Order BENCH-100821 has come."),
    Row("notes/2026/plan.html", "The plan is in notes/2026/plan.html for now."),
    Row("areas/new.html", "Runs on Ubuntu 20.04 alone."),
    Row("areas/old.html", "Twenty, that is 20, of them."),
    Row("areas/marks.html", "It is 100% of A_B, never less."),
    Row(
        "areas/future.html",
        "Seen tomorrow.",
        updated_at="2099-01-01T00:00:00Z",
        access=(1, 0.0, "2099-01-01"),
    ),
    Row("areas/odd.html", "No such day.", updated_at="soon"),
]


@pytest.fixture(scope="module")
def database(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Database]:
    with fill(tmp_path_factory.mktemp("cases") / "index.db", ROWS) as opened:
        yield opened


def ask(database: Database, query: str, scope: Scope | None = None) -> Outcome:
    request = Request(query, NOW, scope=scope or Scope())
    return search(database, request, embedder=None, space=None, usage=True)


def by_words(outcome: Outcome) -> list[str]:
    return [entry.path for run in outcome.arms if run.name == "fts" for entry in run.entries]


@pytest.mark.parametrize(
    ("number", "query", "first"),
    [
        (1, "don't water plot 12", "areas/water.html"),
        (2, "person:robin hale", "areas/robin.html"),
        (3, "BENCH-100821", "areas/bench.html"),
        (3, "-100821", "areas/bench.html"),
        (4, "notes/2026/plan.html", "notes/2026/plan.html"),
        (5, "ubuntu 20.04", "areas/new.html"),
        (6, "100% of A_B", "areas/marks.html"),
        (8, "bench\x00 \x00100821", "areas/bench.html"),
    ],
)
def test_what_is_stored_is_found(database: Database, number: int, query: str, first: str) -> None:
    assert by_words(ask(database, query))[0] == first


def test_a_version_number_does_not_match_its_first_half_alone(database: Database) -> None:
    assert by_words(ask(database, "20.04")) == ["areas/new.html"]


def test_a_colon_is_words_in_the_line_and_an_entity_in_the_scope(database: Database) -> None:
    assert split_line("person:robin hale").query == "person:robin hale"
    taken = split_line('entity:"person:robin hale"')
    assert taken.query == ""
    assert [hit.path for hit in ask(database, "", taken.scope).hits] == ["areas/robin.html"]


@pytest.mark.parametrize("query", ["", "  ", "?!%", "\x00"])
def test_marks_alone_ask_for_no_words(database: Database, query: str) -> None:
    outcome = ask(database, query)
    assert next(one.reason for one in outcome.missing if one.arm == "fts") is MissingReason.NO_QUERY_TERMS
    assert len(outcome.hits) == len(ROWS)


def test_odd_dates_neither_fail_nor_hide_a_memory(database: Database) -> None:
    runs = {run.name: run.entries for run in ask(database, "day").arms}
    assert {entry.path for entry in runs["recency"]} == {row.path for row in ROWS}
    assert runs["salience"][0].path == "areas/future.html"
    last = runs["salience"][-1]
    assert (last.path, last.value) == ("areas/odd.html", None)


@pytest.mark.shared
def test_no_query_is_an_error(database: Database) -> None:
    folder = shared("cases/inputs/queries")
    lines = [json.loads(line) for line in (folder / "queries.jsonl").read_text("utf-8").splitlines()]
    queries: list[Any] = [line["query"] for line in lines]
    queries.append((folder / "paste.txt").read_text("utf-8"))
    for query in queries:
        taken = split_line(query)
        for text, scope in ((query, Scope()), (taken.query, taken.scope)):
            outcome = ask(database, text, scope)
            assert "text index damaged" not in {one.reason.value for one in outcome.missing}, query
            assert bool(outcome.forms.any) == ("fts" in {run.name for run in outcome.arms})


def test_equal_scores_go_by_path_whatever_was_written_first(tmp_path: Path) -> None:
    """Case 15."""
    answers = []
    for place, rows in enumerate((ROWS, ROWS[::-1])):
        with fill(tmp_path / f"{place}.db", rows) as database:
            answers.append([(line.path, line.fused) for line in ask(database, "20 water").candidates])
    assert answers[0] == answers[1]
