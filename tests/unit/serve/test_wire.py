"""What a browser may say, and what it may not."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memhtml_tui.serve.wire import (
    COLUMNS,
    LINES,
    BadFrame,
    Focused,
    Pinged,
    Resized,
    Typed,
    cells,
    read_frame,
)


def test_the_frames_of_the_page() -> None:
    assert read_frame('["stdin", "é\\u001b[A"]') == Typed("é\x1b[A".encode())
    assert read_frame('["resize", {"width": 120, "height": 40}]') == Resized(120, 40)
    assert read_frame('["ping", "1700000000000"]') == Pinged("1700000000000")
    assert read_frame('["focus"]') == Focused(True)
    assert read_frame('["blur"]') == Focused(False)


def test_half_a_character_reaches_the_app_as_a_question_mark() -> None:
    assert read_frame('["stdin", "a\\ud800b"]') == Typed(b"a?b")


def test_a_size_is_drawn_at_the_nearest_possible_one() -> None:
    assert read_frame('["resize", {"width": 1, "height": 1}]') == Resized(COLUMNS[0], LINES[0])
    assert read_frame(json.dumps(["resize", {"width": 10**30, "height": -5}])) == Resized(
        COLUMNS[1], LINES[0]
    )


@pytest.mark.parametrize(
    "text",
    ["", "null", "{}", "[]", '["quit"]', '["stdin"]', '["stdin", 5]', '["stdin", "a", "b"]',
     '["stdin", ["a"]]',
     '["resize", {"width": 1}]', '["resize", {"width": "1", "height": 1}]', '["ping", 5]', '["focus", 1]',
     '["resize", {"width": 1.5, "height": 1}]', '["resize", {"width": NaN, "height": 1}]', '"stdin"',
     '["ping", "' + "9" * 65 + '"]', '["meta", {"type": "deliver_chunk_request"}]', "1" * 5000, "[" * 99_999],
)  # fmt: skip
def test_anything_else_is_no_frame(text: str) -> None:
    with pytest.raises(BadFrame) as caught:
        read_frame(text)
    assert not text or text not in str(caught.value)


@given(st.recursive(st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
                    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner)))  # fmt: skip
def test_any_json_is_a_frame_or_none(value: object) -> None:
    try:
        frame = read_frame(json.dumps(value))
    except BadFrame:
        return
    assert isinstance(frame, Typed | Resized | Pinged | Focused)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("120", 120),
        ("1", 20),
        ("9999", 500),
        (None, 80),
        ("", 80),
        ("-5", 80),
        ("1e9", 80),
        ("²", 80),
        ("9" * 9000, 80),
    ],
)
def test_cells_of_a_query_string(text: str | None, expected: int) -> None:
    assert cells(text, COLUMNS, 80) == expected
