"""The switch panel's outages: each a name, a few words, and what it does to a request (DESIGN 5).

An outage of something that arms need (embedder, texts, state plane) is played by `Request.simulated`, so that
it looks like the real one but for the word *simulated*; an arm is switched off by `Ranking.off`. One cause a
need at a time: of two embedder outages the later one counts.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

from memhtml_core.errors import UsageError
from memhtml_core.rank.arms import ARMS, Arm, Need
from memhtml_core.rank.outcome import MissingReason, Outcome
from memhtml_core.rank.readiness import NEED_OF_REASON
from memhtml_core.rank.request import Request

Fate = Literal["came", "went", "moved", "stayed"]


@dataclass(frozen=True, slots=True)
class Simulation:
    """One switch. Either `reason` says what is down, or `arm` names the arm that is switched off."""

    name: str
    label: str
    reason: MissingReason | None = None
    arm: str = ""

    @property
    def need(self) -> Need | None:
        """What the outage leaves unmet; None for an arm that is switched off."""
        return NEED_OF_REASON[self.reason] if self.reason else None


OUTAGES: tuple[Simulation, ...] = (
    Simulation("embedder-off", "no embedder configured", MissingReason.EMBEDDER_OFF),
    Simulation("embedder-failing", "the embedder fails", MissingReason.EMBEDDER_FAILED),
    Simulation("embedder-slow", "the embedder is too slow", MissingReason.EMBEDDER_TIMED_OUT),
    Simulation("wrong-space", "the embedder has another vector space", MissingReason.SPACE_UNASKABLE),
    Simulation("bad-vector", "the embedder answers with a useless vector", MissingReason.BAD_QUERY_VECTOR),
    Simulation("no-vectors", "no vectors yet", MissingReason.NO_VECTORS),
    Simulation("low-coverage", "vector coverage below the floor", MissingReason.COVERAGE_BELOW_FLOOR),
    Simulation(
        "no-vector-function", "no distance function in SQLite", MissingReason.VECTOR_FUNCTION_UNAVAILABLE
    ),
    Simulation("text-index-damaged", "the text index is damaged", MissingReason.TEXT_INDEX_DAMAGED),
    Simulation("no-state-plane", "the state plane is missing", MissingReason.NO_STATE_PLANE),
)
"""The outages that can be played, in the order in which a panel shows them."""


def simulations(arms: Sequence[Arm] = ARMS) -> tuple[Simulation, ...]:
    """Every switch: the outages that concern one of these arms, then each arm off."""
    needed = {need for arm in arms for need in arm.needs}
    outages = tuple(outage for outage in OUTAGES if outage.need in needed)
    return outages + tuple(
        Simulation(f"{arm.name}-off", f"{arm.label} arm off", arm=arm.name) for arm in arms
    )


def switched(request: Request, name: str, on: bool = True, arms: Sequence[Arm] = ARMS) -> Request:
    """The request with one switch turned. Raises `UsageError` for a name that is no switch."""
    chosen = next((each for each in simulations(arms) if each.name == name), None)
    if chosen is None:
        names = ", ".join(each.name for each in simulations(arms))
        raise UsageError("no such simulation", subject=name, remedy=f"There are: {names}")
    if chosen.reason is None:
        off = request.ranking.off | {chosen.arm} if on else request.ranking.off - {chosen.arm}
        return replace(request, ranking=replace(request.ranking, off=frozenset(off)))
    played = dict(request.simulated)
    for arm in arms:
        if chosen.need in arm.needs:
            if on:
                played[arm.name] = chosen.reason.value
            elif played.get(arm.name) == chosen.reason.value:
                del played[arm.name]
    return replace(request, simulated=played)


def active(request: Request, arms: Sequence[Arm] = ARMS) -> tuple[Simulation, ...]:
    """The switches that are on in a request, in their order."""
    return tuple(
        each
        for each in simulations(arms)
        if each.arm in request.ranking.off
        or any(each.reason and wording == each.reason.value for wording in request.simulated.values())
    )


def unswitched(request: Request) -> Request:
    """The full run beside a reduced one: no outage played, no arm off."""
    return replace(request, simulated={}, ranking=replace(request.ranking, off=frozenset()))


@dataclass(frozen=True, slots=True)
class Move:
    """One memory in two answers: its place in either, from 1, None where it is not in that one."""

    path: str
    title: str
    before: int | None
    after: int | None

    @property
    def fate(self) -> Fate:
        """What became of it."""
        if self.before is None:
            return "came"
        if self.after is None:
            return "went"
        return "stayed" if self.before == self.after else "moved"

    @property
    def by(self) -> int:
        """How many places it went up; 0 where it is not in both."""
        return self.before - self.after if self.before and self.after else 0


def moved(full: Outcome, reduced: Outcome) -> tuple[Move, ...]:
    """Every memory of two answers: the reduced one's in its order, then those that went, in the full one's.

    Compared are the hits of a search, and the pool of a recall in the order after polarity.
    """
    before, after = _places(full), _places(reduced)
    paths = [*after, *(path for path in before if path not in after)]
    cards = {**full.cards, **reduced.cards}
    return tuple(
        Move(path, cards[path].title if path in cards else "", before.get(path), after.get(path))
        for path in paths
    )


def _places(outcome: Outcome) -> dict[str, int]:
    if outcome.request.kind == "search":
        return {hit.path: hit.place for hit in outcome.hits}
    return {path: place for place, (path, _) in enumerate(outcome.pool, start=1)}
