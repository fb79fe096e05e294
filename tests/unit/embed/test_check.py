"""Only finite vectors of the right length and with a direction come in."""

from __future__ import annotations

import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memhtml_core.embed.check import check, packed
from memhtml_core.errors import BadVector


def blob(*values: float) -> bytes:
    return struct.pack(f"<{len(values)}f", *values)


def test_a_good_vector_passes() -> None:
    check(blob(0.0, -1.0, 1e-20), 3)
    assert packed([0.25, -1], 2) == blob(0.25, -1.0)


@pytest.mark.parametrize(
    ("vector", "dim", "words"),
    [
        (blob(1.0, 2.0), 3, "8 bytes where 3 values"),
        (blob(1.0, 2.0)[:-1], 2, "7 bytes"),
        (b"", 1, "0 bytes"),
        (blob(0.0, 0.0), 2, "zeros"),
        (blob(-0.0, 0.0), 2, "zeros"),
        (blob(1.0, float("nan")), 2, "NaN"),
        (blob(float("inf"), 1.0), 2, "infinity"),
        (blob(-float("inf"), 1.0), 2, "infinity"),
        (b"", 0, "zeros"),
    ],
)
def test_a_bad_vector_is_refused(vector: bytes, dim: int, words: str) -> None:
    with pytest.raises(BadVector, match=words):
        check(vector, dim)


@pytest.mark.parametrize("values", [["a"], [[1.0], [2.0]], [None], [1e400], [1e39], [1.0, [2.0]], [10**400]])
def test_what_is_no_row_of_numbers_is_refused(values: list[object]) -> None:
    with pytest.raises(BadVector):
        packed(values, 1)  # type: ignore[arg-type]


@given(st.lists(st.floats(width=32), min_size=1, max_size=8))
def test_it_refuses_exactly_the_undefined_ones(values: list[float]) -> None:
    finite = all(value == value and abs(value) != float("inf") for value in values)
    usable = finite and sum(value * value for value in values) > 0.0
    try:
        check(blob(*values), len(values))
    except BadVector:
        assert not usable
    else:
        assert usable
