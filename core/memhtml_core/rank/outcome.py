"""The answer to a request: hits and their explanation, from one and the same run.

Everything is frozen and plain, so that a pane, a JSON writer and a test read the same thing. Paths are the
keys; ranks count from 1; a rank that is absent means *not seen*, never *low*.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum

from memhtml_core.rank.request import Request


class MissingReason(str, Enum):
    """Why an arm did not run: the closed list of DESIGN 5. The value is the wording that people see."""

    EMBEDDER_OFF = "embedder off"
    EMBEDDER_FAILED = "embedder failed"
    EMBEDDER_TIMED_OUT = "embedder timed out"
    BAD_QUERY_VECTOR = "bad query vector"
    SPACE_UNASKABLE = "space cannot be asked"
    NO_VECTORS = "no vectors yet"
    COVERAGE_BELOW_FLOOR = "coverage below floor"
    VECTOR_FUNCTION_UNAVAILABLE = "vector function unavailable"
    NO_QUERY_TERMS = "no query terms"
    TEXT_INDEX_DAMAGED = "text index damaged"
    NO_STATE_PLANE = "no state plane"
    SWITCHED_OFF = "switched off"


@dataclass(frozen=True, slots=True)
class MissingArm:
    """An arm that did not run. `detail` holds the cause's own words (untrusted), "" when there are none."""

    arm: str
    reason: MissingReason
    detail: str = ""
    simulated: bool = False


@dataclass(frozen=True, slots=True)
class ArmEntry:
    """One memory in one arm's list. `value` is what the arm sorted by (bm25, distance, instant, salience)."""

    path: str
    rank: int
    value: float | str | None = None


@dataclass(frozen=True, slots=True)
class ArmRun:
    """An arm that ran: its whole list (at most `arm_limit`), best first; empty when it matched nothing."""

    name: str
    letter: str
    label: str
    weight: float
    entries: tuple[ArmEntry, ...]


@dataclass(frozen=True, slots=True)
class Candidate:
    """One memory after fusion: place from 1 in fused order, and whether later stages saw it (`in_pool`)."""

    path: str
    position: int
    fused: float
    ranks: Mapping[str, int]
    contributions: Mapping[str, float]
    in_pool: bool


@dataclass(frozen=True, slots=True)
class PolarityMove:
    """A candidate whose claim disagrees with the query's polarity and has an agreeing twin (RETRIEVAL 7).

    `moved` is false where fusion had already placed it below every agreeing twin. `floor` is the lowest
    agreeing score.
    """

    path: str
    twin: str
    cosine: float
    words: tuple[str, ...]
    floor: float
    score_before: float
    score_after: float
    moved: bool


@dataclass(frozen=True, slots=True)
class MmrStep:
    """One choice of MMR: objective = lambda * score - (1 - lambda) * penalty, which the rival caused."""

    path: str
    score: float
    penalty: float
    objective: float
    rival: str | None


@dataclass(frozen=True, slots=True)
class Card:
    """What a list needs to know of a memory; `entities` are distinct `type:name`, sorted by UTF-16 unit."""

    path: str
    title: str
    gist: str
    memory_type: str
    confidence: float
    updated_at: str
    event_at: str | None
    entities: tuple[str, ...]
    superseded_by: str | None
    archived: bool
    workspace: str | None
    task_status: str | None
    due_at: str | None


@dataclass(frozen=True, slots=True)
class Hit:
    """One line of the answer: place from 1, the score of RETRIEVAL 7 (1/position or demoted), snippet."""

    place: int
    card: Card
    score: float
    snippet: str

    @property
    def path(self) -> str:
        """The memory's path."""
        return self.card.path


@dataclass(frozen=True, slots=True)
class ArchivedPointer:
    """An archived memory under the scope that came back empty, and what superseded it."""

    path: str
    superseded_by: str | None


@dataclass(frozen=True, slots=True)
class MatchForms:
    """The two MATCH texts of a query, and the one that ran ("" when the lexical arm had nothing to ask)."""

    all: str
    any: str
    used: str


@dataclass(frozen=True, slots=True)
class Statement:
    """One SQL statement as it ran, its bound values (vectors as their length), milliseconds of wall time."""

    name: str
    sql: str
    values: tuple[str, ...]
    milliseconds: float


@dataclass(frozen=True, slots=True)
class Outcome:
    """The whole answer, search and recall alike.

    `candidates` is the full fused order (every memory that any arm returned); `pool` the paths and scores
    that later stages saw, in the order after polarity, each with a card. `mmr` holds the choices of a search,
    or the whole pool of a recall whose `pack_order` is "diversified"; empty where MMR did not run. `hits` is
    empty for a recall, whose pack is folded from `pool` by `memhtml_core.pack`.
    """

    request: Request
    space: str
    forms: MatchForms
    arms: tuple[ArmRun, ...]
    missing: tuple[MissingArm, ...]
    degraded: bool
    vector_coverage: float
    candidates: tuple[Candidate, ...]
    pool: tuple[tuple[str, float], ...]
    polarity: tuple[PolarityMove, ...]
    mmr: tuple[MmrStep, ...]
    hits: tuple[Hit, ...]
    cards: Mapping[str, Card]
    scope_empty: bool
    archived_matches: int
    archived: tuple[ArchivedPointer, ...]
    statements: tuple[Statement, ...]
    milliseconds: float

    def candidate(self, path: str) -> Candidate | None:
        """The fused line of a path, or None when no arm returned it."""
        return next((c for c in self.candidates if c.path == path), None)
