"""A question to the ranker: scope, constants and the one instant at which it is asked.

All values are frozen; a change is a new `Request` (`dataclasses.replace`). Sources: seed sections 2 to 8,
DESIGN 5 and 6, RETRIEVAL 1 and 3.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Literal

Kind = Literal["search", "recall"]
PackOrder = Literal["fused", "diversified"]

DEFAULT_WEIGHTS: Mapping[str, float] = MappingProxyType({})
"""Weights that differ from the registry's own (`arms.Arm.weight`); an arm not named keeps its own."""


@dataclass(frozen=True, slots=True)
class FacetFilter:
    """One `name=value` pair. Values of one name join with "or", names with "and" (seed section 6)."""

    name: str
    value: str


@dataclass(frozen=True, slots=True)
class Scope:
    """Which memories may answer, as stated by the caller; nothing here is normalised (RETRIEVAL 3).

    `memory_types` empty means every type but `task`. `workspace` and `entity` "" mean unset. `as_of` is an
    instant in the store's own grammar; when set it replaces the archived condition.
    """

    memory_types: tuple[str, ...] = ()
    workspace: str = ""
    tags: tuple[str, ...] = ()
    entity: str | None = None
    facets: tuple[FacetFilter, ...] = ()
    include_archived: bool = False
    as_of: str = ""


@dataclass(frozen=True, slots=True)
class Ranking:
    """Every constant of the ranking. The defaults are the seed's.

    Budgets are UTF-16 units, `arm_limit` and pools are memories, `mmr_lambda`, `twin_cosine` and
    `coverage_floor` lie in 0 to 1. A weight of 0 keeps an arm in the trace; a name in `off` drops the arm
    (*switched off*).
    """

    weights: Mapping[str, float] = field(default_factory=lambda: DEFAULT_WEIGHTS)
    k: int = 60
    arm_limit: int = 40
    pool_factor: int = 3
    recall_pool: int = 30
    mmr_lambda: float = 0.5
    twin_cosine: float = 0.9
    demotion: float = 0.5
    coverage_floor: float = 0.95
    arcs_budget: int = 9_000
    memories_budget: int = 16_000
    per_entity: int = 2
    off: frozenset[str] = frozenset()
    polarity: bool = True
    mmr: bool = True
    pack_order: PackOrder = "fused"


@dataclass(frozen=True, slots=True)
class Request:
    """One question. `now` is seconds since 1970 UTC: the one instant that recency of use is measured from."""

    query: str
    now: float
    kind: Kind = "search"
    scope: Scope = field(default_factory=Scope)
    limit: int = 10
    ranking: Ranking = field(default_factory=Ranking)
    simulated: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    """Outages to play: arm name -> `MissingReason` value. They look like real ones, marked *simulated*."""
    like: str = ""
    """A path whose stored vector stands in for the query's: no embedder is asked. "" means none."""
