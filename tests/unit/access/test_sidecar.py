"""The committed export is read and written as the reference does it, and merged without losing usage."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memhtml_core.access.rows import AccessRow
from memhtml_core.access.sidecar import format_rows, merge, parse, read_export, rounded_score
from memhtml_core.errors import AccessError
from tests.counts import count
from tests.shared import shared

NAMES = {
    "path": "path",
    "accessCount": "access_count",
    "reinforcementCount": "reinforcement_count",
    "outcomeScore": "outcome_score",
    "lastAccessedAt": "last_accessed_at",
    "lastReinforcedAt": "last_reinforced_at",
    "updatedAt": "updated_at",
}


def golden(group: str) -> list[dict[str, Any]]:
    cases = json.loads(shared("parity/goldens_units.json").read_text("utf-8"))[group]
    assert isinstance(cases, list)
    assert cases
    return cases


def test_rows_are_written_as_in_the_goldens() -> None:
    for case in golden("sidecar"):
        assert format_rows(AccessRow(**row) for row in case["in"]["rows"]) == case["out"]


def test_texts_are_read_as_in_the_goldens() -> None:
    for case in golden("sidecar_parse"):
        parsed = parse(case["in"])
        entries = [{name: getattr(entry, ours) for name, ours in NAMES.items()} for entry in parsed.entries]
        assert {"entries": entries, "skipped": parsed.skipped} == case["out"]


def test_the_export_of_the_small_store_is_reproduced_byte_for_byte(small: Path) -> None:
    text = (small / ".memhtml" / "state" / "access.jsonl").read_text("utf-8")
    parsed = parse(text)
    assert parsed.skipped == 0
    assert format_rows(merge(parsed.entries)) == text


@pytest.mark.parametrize(
    "line",
    [
        "[]", "null", "3", '"text"', "{", '{"path":7}', '{"path":"a","accessCount":NaN}', "[" * 50_000,
        '{"path":"a","outcomeScore":Infinity}', '{"accessCount":3}',
    ],
)  # fmt: skip
def test_a_line_that_is_no_row_is_skipped_alone(line: str) -> None:
    parsed = parse(f'{line}\n{{"path":"kept"}}\n\n')
    assert [entry.path for entry in parsed.entries] == ["kept"]
    assert parsed.skipped == 1


def test_values_of_the_wrong_kind_count_as_missing() -> None:
    line = '{"path":"a","accessCount":true,"reinforcementCount":1e999,"outcomeScore":"1","lastAccessedAt":5}'
    assert parse(line).entries == (AccessRow("a", 0, 0, 0.0, None, None, ""),)


def test_half_a_pair_becomes_the_replacement_character() -> None:
    assert parse('{"path":"a\\ud83d.html"}').entries[0].path == "a\ufffd.html"


@pytest.mark.parametrize(
    ("value", "rounded"),
    [
        (0.00005, 0.0001),
        (-0.00005, 0.0),
        (-0.00015, -0.0001),
        (0.123456, 0.1235),
        (0.49995, 0.5),
        (float("nan"), 0.0),
    ],
)
def test_scores_are_rounded_half_up(value: float, rounded: float) -> None:
    assert rounded_score(value) == rounded
    assert str(rounded_score(value)) != "-0.0"


def test_lines_of_one_path_are_merged() -> None:
    lines = [
        AccessRow("b", 5, 1, 0.5, "2024-02-01", None, "2024-02-01"),
        AccessRow("a", 1, 0, 0.0, None, None, ""),
        AccessRow("b", 2, 4, -0.25, "2024-01-01", "2024-01-01", "2024-01-01"),
        AccessRow("a", 2, 0, 0.0, None, None, "2024-01-01"),
    ]
    assert merge(lines) == [
        AccessRow("a", 2, 0, 0.0, None, None, "2024-01-01"),
        AccessRow("b", 5, 4, -0.25, "2024-02-01", "2024-01-01", "2024-01-01"),
    ]


ROWS = st.builds(
    AccessRow,
    st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=6),
    st.integers(0, 2**53 - 1),
    st.integers(0, 2**53 - 1),
    st.floats(-1, 1).map(rounded_score),
    st.none() | st.text(st.characters(exclude_categories=["Cs"]), max_size=8),
    st.none() | st.just("2024-01-01T00:00:00Z"),
    st.text(st.characters(exclude_categories=["Cs"]), max_size=8),
)


@settings(max_examples=count(200, 3_000), deadline=None)
@given(st.lists(ROWS, unique_by=lambda row: row.path, max_size=6))
def test_what_is_written_is_read_back(rows: list[AccessRow]) -> None:
    parsed = parse(format_rows(rows))
    assert parsed.skipped == 0
    assert merge(parsed.entries) == merge(rows)
    assert sorted(parsed.entries, key=lambda row: row.path) == sorted(rows, key=lambda row: row.path)


def test_an_export_that_cannot_be_read_says_so(root: Path) -> None:
    assert read_export(root) is None
    (root / ".memhtml" / "state" / "access.jsonl").mkdir()
    with pytest.raises(AccessError, match="not a plain file"):
        read_export(root)
