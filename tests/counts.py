"""How often a proof runs: a seeded sample in `make test`, the count that the issue states in `make prove`."""

from __future__ import annotations

import os


def count(sample: int, whole: int) -> int:
    """The number of runs: `whole` under MEMHTML_TUI_PROVE=1, `sample` otherwise."""
    return whole if os.environ.get("MEMHTML_TUI_PROVE") == "1" else sample
