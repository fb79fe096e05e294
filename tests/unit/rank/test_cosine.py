"""Cosines: to the last bit those of sequential sums in doubles, and products close enough to trust."""

from __future__ import annotations

import math
import random
import struct

from hypothesis import given
from hypothesis import strategies as st

from memhtml_core.rank.cosine import Cosines, exact
from tests.unit.rank.corpus import blob
from tests.unit.rank.proof import proof


def sequential(left: bytes, right: bytes) -> float:
    a, b = (struct.unpack(f"<{len(vector) // 4}f", vector) for vector in (left, right))
    dot = first = second = 0.0
    for x, y in zip(a, b, strict=True):
        dot += x * y
        first += x * x
        second += y * y
    return max(-1.0, min(1.0, dot / (math.sqrt(first) * math.sqrt(second))))


def test_exact_is_the_sequential_sum() -> None:
    dice = random.Random(3)
    for dim in (1, 2, 3, 7, 255, 256, 1_024, 1_536):
        for _ in range(10):
            left, right = (blob(dice.gauss(0, 1) for _ in range(dim)) for _ in "ab")
            assert exact(left, right) == sequential(left, right)


def test_what_has_no_direction_is_like_nothing() -> None:
    east = blob([1.0, 0.0])
    for odd in ([0.0, 0.0], [math.inf, 1.0], [math.nan, 1.0], [-math.inf, math.inf]):
        assert exact(east, blob(odd)) == exact(blob(odd), east) == 0.0
    assert exact(b"", east) == 0.0


@proof
@given(st.lists(st.lists(st.floats(width=32), min_size=3, max_size=3), min_size=2, max_size=6))
def test_products_are_within_a_tie_of_the_exact_cosine(vectors: list[list[float]]) -> None:
    packed = [struct.pack("<3f", *vector) for vector in vectors]
    cosines = Cosines([*packed, None])
    for left in range(len(packed)):
        row = cosines.rough(left)
        assert row[len(packed)] == 0.0
        for right in range(len(packed)):
            assert abs(row[right] - exact(packed[left], packed[right])) <= 1e-9
            assert -1.0 <= cosines.exact(left, right) <= 1.0


def test_odd_lengths_compare_over_the_shorter() -> None:
    cosines = Cosines([blob([3, 4]), blob([3, 4, 100]), b""])
    assert cosines.rough(0)[1] == cosines.exact(0, 1) == 1.0
    assert cosines.rough(0)[2] == cosines.exact(2, 2) == 0.0
