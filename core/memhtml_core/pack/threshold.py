"""The next budget, up and down, at which any tier of an envelope changes (DESIGN 6, "Next threshold").

Exact, and read off one fold. Between two thresholds both passes decide every entry alike, so what had been
spent before each entry stays as it is, and the first rejected entry that comes to fit turns the pack. The
full tier is not monotone in the budget (a text that comes to fit may put out others), so a threshold is
shown as the diff of both packs: `Step.diff`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from memhtml_core.pack.build import Materials
from memhtml_core.pack.diff import EnvelopeDiff, diff_envelopes
from memhtml_core.pack.entries import Envelope, EnvelopeName, Material, TierReason
from memhtml_core.pack.fold import fold
from memhtml_core.rank.request import Ranking


@dataclass(frozen=True, slots=True)
class Thresholds:
    """Budgets in UTF-16 units. `up` is the smallest one above the current budget at which a tier differs from
    now, `down` the largest one below it, never below 0; None where there is none.
    """

    up: int | None
    down: int | None


@dataclass(frozen=True, slots=True)
class Step:
    """A threshold, the envelope that it makes, and what changes on the way there.

    `by` is the distance from the current budget, negative for a step down.
    """

    budget: int
    by: int
    envelope: Envelope
    diff: EnvelopeDiff


@dataclass(frozen=True, slots=True)
class NextSteps:
    """The two steps of one envelope from its current budget; None where no budget that way differs."""

    name: EnvelopeName
    up: Step | None
    down: Step | None


@dataclass(frozen=True, slots=True)
class PackSteps:
    """The next steps of both envelopes."""

    arcs: NextSteps
    memories: NextSteps


def thresholds(materials: Sequence[Material], budget: int, per_entity: int, name: EnvelopeName) -> Thresholds:
    """The thresholds of the envelope that `fold` makes of the same arguments."""
    return thresholds_of(fold(materials, budget, per_entity, name))


def thresholds_of(envelope: Envelope) -> Thresholds:
    """The thresholds of a folded envelope; needs no texts, so it costs nothing beside the fold.

    Up: the least of (full spent before it + its length) over rejected entries that no cap holds back, and of
    (all full spent + disclosure spent before it + its claim) over eligible index entries. Down: one below
    what is spent, because a budget of exactly that still makes the same pack.
    """
    needed = [
        entry.needs - entry.left for entry in envelope.entries if entry.full_reason is TierReason.NEEDS_MORE
    ] + [
        entry.line_needs - entry.line_left
        for entry in envelope.entries
        if entry.line_reason is TierReason.NEEDS_MORE
    ]
    return Thresholds(
        up=envelope.budget + min(needed) if needed else None,
        down=envelope.spent - 1 if envelope.spent > 0 else None,
    )


def next_steps(materials: Sequence[Material], budget: int, per_entity: int, name: EnvelopeName) -> NextSteps:
    """Both thresholds with the packs behind them: "312 more characters turn X from disclosure to full"."""
    now = fold(materials, budget, per_entity, name)
    found = thresholds_of(now)

    def step(to: int | None) -> Step | None:
        if to is None:
            return None
        then = fold(materials, to, per_entity, name)
        return Step(to, to - budget, then, diff_envelopes(now, then))

    return NextSteps(name, step(found.up), step(found.down))


def pack_steps(materials: Materials, ranking: Ranking) -> PackSteps:
    """The next steps of a recall's pack, which `materials.fold(ranking)` gives."""
    return PackSteps(
        arcs=next_steps(materials.arcs, ranking.arcs_budget, ranking.per_entity, "arcs"),
        memories=next_steps(materials.memories, ranking.memories_budget, ranking.per_entity, "memories"),
    )
