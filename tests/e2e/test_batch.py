"""`batch`: one answer a line, whatever the line is; the answers themselves are judged by the parity tests."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.conftest import Run

NO_REQUEST: list[tuple[bytes, object]] = [
    (b"", None),
    (b"not json", None),
    (b"[1, 2]", None),
    (b"null", None),
    (b"3", None),
    (b"\xff\xfe", None),
    (b"[" * 100_000, None),
    (b'{"id": 1}', 1),
    (b'{"id": 2, "query": 3}', 2),
    (b'{"id": 3, "query": "x", "kind": "browse"}', 3),
    (b'{"id": 4, "query": "x", "kind": ["search"]}', 4),
    (b'{"id": 5, "query": "x", "mode": "psychic"}', 5),
    (b'{"id": 6, "query": "x", "limit": "ten"}', 6),
    (b'{"id": 7, "query": "x", "limit": true}', 7),
    (b'{"id": 8, "query": "x", "limit": 1e400}', 8),
    (b'{"id": 9, "query": "x", "limit": 99999999999999999999}', 9),
    (b'{"id": 10, "query": "x", "floor": NaN}', 10),
    (b'{"id": 11, "query": "x", "now": "soon"}', 11),
    (b'{"id": 12, "query": "x", "now": [1]}', 12),
    (b'{"id": 13, "query": "x", "scope": []}', 13),
    (b'{"id": 14, "query": "x", "scope": {"tags": "boiler"}}', 14),
    (b'{"id": 15, "query": "x", "scope": {"tags": [1]}}', 15),
    (b'{"id": 16, "query": "x", "scope": {"facets": [{"name": "tier"}]}}', 16),
    (b'{"id": 17, "query": "x", "scope": {"facets": ["tier=1"]}}', 17),
    (b'{"id": 18, "query": "x", "scope": {"includeArchived": 1}}', 18),
    (b'{"id": [19, {"a": null}], "query": null}', [19, {"a": None}]),
]


def ask(run: Run, store: Path, lines: list[bytes], *words: str) -> list[dict[str, Any]]:
    done = run("batch", "--store", store, "--embedder", "off", *words, feed=b"\n".join(lines) + b"\n")
    assert done.returncode == 0, done.stderr
    assert done.stdout.isascii()
    return [json.loads(line) for line in done.stdout.splitlines()]


def test_a_line_that_is_no_request_is_answered_and_the_loop_goes_on(run: Run, store: Path) -> None:
    good = b'{"id": "good", "query": "drain", "mode": "lexical"}'
    answers = ask(run, store, [line for wrong, _ in NO_REQUEST for line in (wrong, good)])
    assert len(answers) == 2 * len(NO_REQUEST)
    for (line, ident), wrong, fine in zip(NO_REQUEST, answers[::2], answers[1::2], strict=True):
        assert set(wrong) == {"id", "error"}, line
        assert wrong["id"] == ident, line
        assert "fault in" not in wrong["error"], line
        assert "error" not in fine
        assert fine["id"] == "good"


ODD_QUERIES = [
    "",
    " ",
    '"',
    "\x00",
    "\ud800",
    "'; DROP TABLE files; --",
    "a" * 20_000,
    "AND OR NOT NEAR(",
    "🚢\u200d",
]


@pytest.mark.parametrize("kind", ["search", "recall"])
def test_every_query_is_a_request(run: Run, store: Path, kind: str) -> None:
    lines = [
        json.dumps({"query": query, "kind": kind, "id": None, "later": 1}).encode() for query in ODD_QUERIES
    ]
    for query, answer in zip(ODD_QUERIES, ask(run, store, lines), strict=True):
        assert "error" not in answer, (query[:20], answer)
        assert answer["result"]["degraded"] is True


def test_defaults_nulls_and_our_own_parts(run: Run, store: Path) -> None:
    nulls = {
        "kind": None,
        "mode": None,
        "scope": None,
        "limit": None,
        "budget": None,
        "floor": None,
        "now": None,
    }
    lines = [
        json.dumps(request).encode()
        for request in (
            {"id": "a", "query": "drain"},
            {"id": "b", "query": "drain", **nulls},
            {"id": "c", "query": "drain", "kind": "recall", "budget": -5},
            {"id": "d", "query": "drain", "limit": 0, "scope": {"tags": ["boiler"]}},
        )
    ]
    plain, nulled, recall, none = ask(run, store, lines, "--now", "2024-03-02")
    assert {**plain, "id": "b"} == nulled
    parts = "id forms matchUsed armRanks fused polarity result missing"
    assert set(plain) == {*parts.split()}
    fields = "hits degraded vectorCoverage arms entityScope scopeEmpty archivedMatches archived"
    assert set(plain["result"]) == {*fields.split()}
    assert [each["arm"] for each in plain["missing"]] == ["vector", "salience"]
    assert recall["result"]["memories"]["disclosed"] == []
    assert recall["result"]["memories"]["spentChars"] == 0
    assert recall["pack"]["memories"]["budget"] == -5
    assert none["result"]["hits"] == []
    assert none["result"]["scopeEmpty"] is True


def test_a_line_beyond_all_bounds_is_refused_unread(run: Run, store: Path) -> None:
    long = b'{"query": "' + b"x" * 5_000_000 + b'"}'
    answers = ask(run, store, [long, b'{"id": 1, "query": "x"}'])
    assert "longer" in answers[0]["error"]
    assert answers[1]["id"] == 1
