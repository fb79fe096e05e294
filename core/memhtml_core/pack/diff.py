"""What lies between two packs: which memories changed their tier, came into a pack, or left it (DESIGN 6).

The two packs may differ in anything: budget, cap, order, scope, weights, or the store itself.
"""

from __future__ import annotations

from dataclasses import dataclass

from memhtml_core.pack.entries import Envelope, EnvelopeName, Pack, PackEntry, Tier


@dataclass(frozen=True, slots=True)
class TierChange:
    """One memory whose tier differs. `before` is None where it came into the pack, `after` where it left.

    Places count from 1 within the envelope, None where the memory is not in that pack.
    """

    path: str
    title: str
    before: Tier | None
    after: Tier | None
    place_before: int | None
    place_after: int | None


@dataclass(frozen=True, slots=True)
class EnvelopeDiff:
    """The changes of one envelope: first those in the pack after, in its order, then those that left.

    Budgets and `spent` are UTF-16 units of content. `moved` counts memories that keep their tier at another
    place.
    """

    name: EnvelopeName
    budget_before: int
    budget_after: int
    spent_before: int
    spent_after: int
    changes: tuple[TierChange, ...]
    moved: int

    @property
    def came(self) -> tuple[TierChange, ...]:
        """Memories that only the pack after holds."""
        return tuple(change for change in self.changes if change.before is None)

    @property
    def left(self) -> tuple[TierChange, ...]:
        """Memories that only the pack before holds."""
        return tuple(change for change in self.changes if change.after is None)

    @property
    def turned(self) -> tuple[TierChange, ...]:
        """Memories of both packs, in another tier."""
        return tuple(change for change in self.changes if change.before and change.after)


@dataclass(frozen=True, slots=True)
class PackDiff:
    """Both envelopes compared. A memory that became an arc, or was one, came in one and left the other."""

    arcs: EnvelopeDiff
    memories: EnvelopeDiff

    @property
    def any(self) -> bool:
        """Whether any memory changed its tier, came or left."""
        return bool(self.arcs.changes or self.memories.changes)


def diff_packs(before: Pack, after: Pack) -> PackDiff:
    """The way from one pack to another."""
    return PackDiff(diff_envelopes(before.arcs, after.arcs), diff_envelopes(before.memories, after.memories))


def diff_envelopes(before: Envelope, after: Envelope) -> EnvelopeDiff:
    """The way from one envelope to another of the same name."""
    old = {entry.path: entry for entry in before.entries}
    new = {entry.path: entry for entry in after.entries}
    pairs = [(old.get(entry.path), entry) for entry in after.entries]
    gone = [(entry, None) for entry in before.entries if entry.path not in new]
    return EnvelopeDiff(
        name=after.name,
        budget_before=before.budget,
        budget_after=after.budget,
        spent_before=before.spent,
        spent_after=after.spent,
        changes=tuple(_change(one, other) for one, other in [*pairs, *gone] if _tier(one) != _tier(other)),
        moved=sum(
            one is not None and one.tier == other.tier and one.place != other.place for one, other in pairs
        ),
    )


def _tier(entry: PackEntry | None) -> Tier | None:
    return entry.tier if entry else None


def _change(before: PackEntry | None, after: PackEntry | None) -> TierChange:
    shown = after or before
    assert shown is not None
    return TierChange(
        path=shown.path,
        title=shown.title,
        before=_tier(before),
        after=_tier(after),
        place_before=before.place if before else None,
        place_after=after.place if after else None,
    )
