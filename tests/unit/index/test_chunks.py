"""The chunk rule against the reference's own answers, and against itself on made-up text."""

from __future__ import annotations

import hashlib
import json
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from memhtml_core.index.chunks import CHUNK_UNITS, chunk_key, split
from memhtml_core.store.text import JS_WHITESPACE, js_split, js_trim, utf16_length, utf16_slice
from tests.shared import shared

PARTS = st.sampled_from(
    ["wo", "é", "\U0001f600", ".", "?", " ", "\n", "\u00a0", "\ufeff", "\x85", "x" * 700, "\U0001f600" * 901]
)


def _written(text: str) -> Any:
    """A text as the goldens write it down: long ones as head, tail and digest of their UTF-8."""
    if utf16_length(text) <= 120:
        return text
    length = utf16_length(text)
    return {
        "head": utf16_slice(text, 0, 60),
        "sha256": hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest(),
        "tail": utf16_slice(text, length - 60, length),
    }


def test_the_reference_cuts_the_same_chunks() -> None:
    cases = json.loads(shared("parity/goldens_units.json").read_text("utf-8"))["chunks"]
    assert len(cases) == 17
    for case in cases:
        content_hash = "sha256:" + hashlib.sha256(case["in"].encode()).hexdigest()
        assert [
            {
                "char_count": chunk.char_count,
                "chunk_id": chunk_key(content_hash, chunk.ordinal),
                "ordinal": chunk.ordinal,
                "text": _written(chunk.text),
            }
            for chunk in split(case["in"])
        ] == case["out"]


@given(st.lists(PARTS, max_size=60).map("".join))
def test_chunks_hold_every_word_once_and_no_more_than_the_limit(text: str) -> None:
    chunks = split(text)
    assert [chunk.ordinal for chunk in chunks] == list(range(len(chunks)))
    for chunk in chunks:
        assert 0 < chunk.char_count == utf16_length(chunk.text) <= CHUNK_UNITS
    halves = "".join(chunk.text for chunk in chunks).encode("utf-16-le", "surrogatepass").decode("utf-16-le")
    assert halves.translate({ord(c): None for c in JS_WHITESPACE}) == "".join(js_split(js_trim(text)))


def test_a_text_of_megabytes_without_a_break_is_cut_in_linear_time() -> None:
    chunks = split("\U0001f600" * 600_000)
    assert len(chunks) == -(-1_200_000 // CHUNK_UNITS)
