"""How often a proof runs: a seeded sample in `make test`, the count that the issue states in `make prove`."""

from __future__ import annotations

import os
from typing import Any

import pytest


def count(sample: int, whole: int) -> int:
    """The number of runs: `whole` under MEMHTML_TUI_PROVE=1, `sample` otherwise."""
    return whole if os.environ.get("MEMHTML_TUI_PROVE") == "1" else sample


def long(*values: Any) -> list[Any]:
    """Values of a parametrized test that `make rest` runs and `make test` leaves out."""
    return [pytest.param(value, marks=pytest.mark.costly) for value in values]


def sizes(first: tuple[int, int], *others: tuple[int, int]) -> list[Any]:
    """Terminal sizes of a costly test: the first one always, the others in `make rest`."""
    return [first, *long(*others)]
