"""What may reach a terminal: nothing that acts, nothing lost that a person wrote, in linear time."""

from __future__ import annotations

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memhtml_core.plain import clean, one_line
from tests.counts import count

BANNED = {
    *map(chr, range(0x00, 0x09)),
    *map(chr, range(0x0B, 0x20)),
    *map(chr, range(0x7F, 0xA0)),
    *map(chr, range(0xD800, 0xE000)),
    *"\u061c\u200e\u200f\u2028\u2029\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\ufeff",
}


@pytest.mark.parametrize(
    ("stored", "shown"),
    [
        ("a\x1b]0;PWNED\x1b\\b", "ab"),
        ("a\x1b]52;c;aGk=\x07b", "ab"),
        ("a\x1b[5;5Hb\x1b[31mc", "abc"),
        ("a\x9b31mb\x9d0;t\x9cc", "abc"),
        ("a\x1bP+q\x1b\\b\x1b_x\x1b\\c\x1b^x\x1b\\d\x1bXx\x1b\\e", "abcde"),
        ("a\x1b]0;never closed\nnext line", "a0;never closed\nnext line"),
        ("a\x1bcb\x00c\x7f", "a�cb�c�"),
        ("\x1b\x1b[0m[5;5H", "5;5H"),
        ("right\u202eleft\u2066x\u2069", "right�left�x�"),
        ("one\r\ntwo\rthree\ttab", "one\ntwo�three\ttab"),
        ("half \ud83d pair", "half  pair"),
        ("👩\u200d🚀 e\u0301 字 ❤️", "👩\u200d🚀 e\u0301 字 ❤️"),
    ],
)
def test_what_is_shown(stored: str, shown: str) -> None:
    assert clean(stored) == shown


def test_one_line_joins_lines_and_keeps_hard_spaces() -> None:
    assert one_line("  a\n\n b\t c\u00a0d \n") == "a b c\u00a0d"


@given(
    st.text(
        alphabet=st.one_of(st.sampled_from(list("a[]0;m\\PX^_\n\t🚢") + sorted(BANNED)[:80]), st.characters())
    )
)
@settings(max_examples=count(300, 3_000), deadline=None)
def test_nothing_banned_is_left_and_nothing_grows(text: str) -> None:
    shown = clean(text)
    assert not BANNED & set(shown)
    assert clean(shown) == shown
    assert len(shown.encode("utf-16-le")) <= len(text.encode("utf-16-le", "surrogatepass"))


@pytest.mark.parametrize("unit", ["\x9d", "\x1b]", "\x9b", "\x1b[0", "a\x1b]0;t\x07", "\x9dabc"])
def test_time_is_linear(unit: str) -> None:
    def seconds(length: int) -> float:
        text = unit * (length // len(unit))
        best = 1e9
        for _ in range(3):
            start = time.perf_counter()
            clean(text)
            best = min(best, time.perf_counter() - start)
        return best

    assert seconds(200_000) < 40 * max(seconds(20_000), 1e-4)
