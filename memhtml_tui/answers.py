"""What the session hands to the screen: frozen answers, each with the request it belongs to."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from memhtml_core.access.rows import AccessRow, Reinforced, Signal
    from memhtml_core.browse.health import Health
    from memhtml_core.browse.listing import Listing, Sort
    from memhtml_core.browse.memory import MemoryView
    from memhtml_core.browse.tasks import TaskFacts
    from memhtml_core.browse.timeline import Month
    from memhtml_core.errors import MemhtmlError
    from memhtml_core.pack.build import Materials
    from memhtml_core.pack.entries import Pack
    from memhtml_core.pack.render import Rendered
    from memhtml_core.pack.threshold import PackSteps
    from memhtml_core.rank.outcome import MissingArm, Outcome
    from memhtml_core.rank.request import Request


@dataclass(frozen=True, slots=True)
class StoreFacts:
    """The header's line about the store: where it is, how many memories, from which source, how fresh.

    `arms` is the registry that it is asked with, as (name, letter, label).
    """

    root: str
    memories: int
    source: str
    freshness: str
    problems: int
    embedder: str
    arms: tuple[tuple[str, str, str], ...]


@dataclass(frozen=True, slots=True)
class HealthReport:
    """The store's health with what belongs beside it: `why` its source was taken, the embedder's name, the
    arm that is out for good (None: none), `foreign` where the space is not the agent's, the coverage floor.
    """

    health: Health
    months: tuple[Month, ...]
    freshness: str
    why: str
    embedder: str
    missing: MissingArm | None
    foreign: bool
    floor: float


@dataclass(frozen=True, slots=True)
class Answer:
    """The answer to a search or, with `pack` and what follows from it, to a recall.

    `waiting` is true while the embedder is still being asked: the vector arm may join and the answer be
    refreshed. `materials` is what the pack was folded from, `steps` its next thresholds, `fold_ms` the
    milliseconds of work that folding, rendering and both took.
    """

    generation: int
    request: Request
    outcome: Outcome
    pack: Pack | None
    rendered: Rendered | None
    waiting: bool
    materials: Materials | None = None
    steps: PackSteps | None = None
    fold_ms: float = 0.0


@dataclass(frozen=True, slots=True)
class Page:
    """A page of Browse: rows from `offset` (0-based) in the order `sort`; `tasks` has the facts of those
    rows that are tasks, by path."""

    request: Request
    sort: Sort
    offset: int
    listing: Listing
    tasks: Mapping[str, TaskFacts] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Opened:
    """A memory as it was read.

    A peek has `signal` None. After an open, `result` says whether it was counted, `refusal` why nothing
    could be written, and `before` and `after` are the access row on either side of it (None: no row).
    """

    view: MemoryView
    before: AccessRow | None
    after: AccessRow | None
    signal: Signal | None = None
    result: Reinforced | None = None
    refusal: MemhtmlError | None = None
    at: float = 0.0
