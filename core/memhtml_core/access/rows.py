"""Rows of the state plane and the answer of a reinforcement (STORE_FORMAT 8, RETRIEVAL 11)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Signal = Literal["neutral", "positive", "negative"]


@dataclass(frozen=True, slots=True)
class AccessRow:
    """How one memory proved itself in use. Instants are the store's own strings; scores lie in -1 to 1."""

    path: str
    access_count: int
    reinforcement_count: int
    outcome_score: float
    last_accessed_at: str | None
    last_reinforced_at: str | None
    updated_at: str


@dataclass(frozen=True, slots=True)
class Reinforced:
    """Which paths were counted and which had to wait out the cooldown, both in the order given."""

    bumped: tuple[str, ...]
    cooled_down: tuple[str, ...]
