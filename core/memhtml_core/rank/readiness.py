"""Which arms can run, and for each that cannot, the one reason from the closed list (DESIGN 5).

Needs are unmet for a cause, real or simulated; an arm is missing when it is switched off or a need of it is
unmet.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches

from memhtml_core.errors import UsageError
from memhtml_core.rank.arms import Arm, Need
from memhtml_core.rank.outcome import MissingArm, MissingReason
from memhtml_core.rank.request import Ranking, Request

NEED_OF_REASON: Mapping[MissingReason, Need] = {
    MissingReason.EMBEDDER_OFF: "vector",
    MissingReason.EMBEDDER_FAILED: "vector",
    MissingReason.EMBEDDER_TIMED_OUT: "vector",
    MissingReason.BAD_QUERY_VECTOR: "vector",
    MissingReason.SPACE_UNASKABLE: "vector",
    MissingReason.NO_VECTORS: "vector",
    MissingReason.COVERAGE_BELOW_FLOOR: "vector",
    MissingReason.VECTOR_FUNCTION_UNAVAILABLE: "vector",
    MissingReason.NO_QUERY_TERMS: "terms",
    MissingReason.TEXT_INDEX_DAMAGED: "terms",
    MissingReason.NO_STATE_PLANE: "usage",
}
"""The need that each reason leaves unmet; *switched off* concerns one arm and no need."""


@dataclass(frozen=True, slots=True)
class Cause:
    """Why a need is unmet. `detail` holds the cause's own words (untrusted)."""

    reason: MissingReason
    detail: str = ""
    simulated: bool = False


@dataclass(slots=True)
class Readiness:
    """The arms of a request and what they lack so far; the first cause of a need stays."""

    arms: Sequence[Arm]
    ranking: Ranking
    unmet: dict[Need, Cause] = field(default_factory=dict)

    def lacks(self, need: Need, cause: Cause) -> None:
        """Record that a need is unmet."""
        self.unmet.setdefault(need, cause)

    def wants(self, need: Need) -> bool:
        """Whether an arm that is not switched off needs this, and nothing stands against it so far."""
        return need not in self.unmet and any(
            need in arm.needs and arm.name not in self.ranking.off for arm in self.arms
        )

    def active(self) -> tuple[Arm, ...]:
        """The arms that run, in the order of the registry."""
        return tuple(arm for arm in self.arms if self._cause(arm) is None)

    def missing(self) -> tuple[MissingArm, ...]:
        """The arms that do not run, each with its reason, in the order of the registry."""
        causes = ((arm, self._cause(arm)) for arm in self.arms)
        return tuple(
            MissingArm(arm.name, c.reason, c.detail, c.simulated) for arm, c in causes if c is not None
        )

    def _cause(self, arm: Arm) -> Cause | None:
        if arm.name in self.ranking.off:
            return Cause(MissingReason.SWITCHED_OFF)
        lacking = [need for need in self.unmet if need in arm.needs]
        return self.unmet[lacking[0]] if lacking else None


def readiness(request: Request, arms: Sequence[Arm]) -> Readiness:
    """Start from the outages that a request simulates. Raises `UsageError` for a senseless request."""
    _check_numbers(request.ranking)
    by_name = {arm.name: arm for arm in arms}
    if len(by_name) < len(arms):
        raise UsageError("two arms have one name", subject=", ".join(arm.name for arm in arms))
    for given in (request.ranking.weights, request.ranking.off, request.simulated):
        _check_names(given, by_name)
    ready = Readiness(arms, request.ranking)
    for name, wording in request.simulated.items():
        cause = Cause(_reason(wording), simulated=True)
        need = NEED_OF_REASON.get(cause.reason)
        if need is None or need not in by_name[name].needs:
            raise UsageError(
                f"the {name} arm cannot be missing for this reason",
                subject=wording,
                remedy="Switch it off instead, or name an outage of something that it needs",
            )
        ready.lacks(need, cause)
    return ready


def weights_of(arms: Iterable[Arm], ranking: Ranking) -> dict[str, float]:
    """The weight of every arm: the request's, else the registry's."""
    return {arm.name: float(ranking.weights.get(arm.name, arm.weight)) for arm in arms}


def _reason(wording: str) -> MissingReason:
    try:
        return MissingReason(wording)
    except ValueError:
        raise UsageError(
            "not a reason for which an arm can be missing",
            subject=wording,
            remedy=_nearest(wording, NEED_OF_REASON),
        ) from None


def _check_names(given: Iterable[str], known: Mapping[str, Arm]) -> None:
    for name in given:
        if name not in known:
            raise UsageError("no such arm", subject=name, remedy=_nearest(name, known))


def _nearest(wrong: str, right: Iterable[str]) -> str:
    names = [str(getattr(name, "value", name)) for name in right]
    close = get_close_matches(wrong, names, n=1)
    return f"Did you mean {close[0]}?" if close else "There are: " + ", ".join(names)


def _check_numbers(ranking: Ranking) -> None:
    for name, weight in ranking.weights.items():
        if not math.isfinite(weight) or weight < 0:
            raise UsageError("a weight must be a finite number of 0 or more", subject=f"{name}={weight}")
    counts = {
        "k": ranking.k,
        "arm limit": ranking.arm_limit,
        "pool factor": ranking.pool_factor,
        "recall pool": ranking.recall_pool,
    }
    for name, number in counts.items():
        if number < 0:
            raise UsageError(f"{name} must not be negative", subject=str(number))
    shares = {
        "lambda": ranking.mmr_lambda,
        "twin cosine": ranking.twin_cosine,
        "demotion": ranking.demotion,
        "coverage floor": ranking.coverage_floor,
    }
    for name, share in shares.items():
        if not math.isfinite(share):
            raise UsageError(f"{name} must be a finite number", subject=str(share))
