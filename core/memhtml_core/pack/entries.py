"""What a folded pack is: entries with tier, cost and reason, in two envelopes (DESIGN 6, seed section 8)."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import Literal

Tier = Literal["full", "disclosure", "index"]
EnvelopeName = Literal["arcs", "memories"]


class TierReason(str, Enum):
    """Why an entry stands in its tier; the value is the wording that people see."""

    QUOTED = "quoted"
    NEEDS_MORE = "needs more than is left"
    CAPPED = "entity already quoted twice"
    CLAIM_IS_TEXT = "claim equals text"
    NO_CLAIM = "no claim"


@dataclass(frozen=True, slots=True)
class Material:
    """What folding needs of one memory, in pack order. Texts are as stored; lengths are UTF-16 units."""

    path: str
    title: str
    gist: str
    memory_type: str
    entity_names: tuple[str, ...]
    disclosure_text: str


@dataclass(frozen=True, slots=True)
class PackEntry:
    """One memory of a pack. `text` is what its tier quotes: disclosure text, gist, or "" for an index line.

    `full_reason` says why it is or is not in the full tier; `line_reason` the same for the disclosure tier
    (None for full entries). `needs` is the length of the whole disclosure text and `left` what the full
    pass had left when it came to this entry; `line_needs` and `line_left` are the same for the claim and
    the disclosure pass (0 and 0 where that pass did not measure it). `left` may be negative: a budget is
    taken as given. `cap_entity` and `cap_holders` name the entity that is used up, and those that used it.
    """

    place: int
    path: str
    title: str
    gist: str
    memory_type: str
    tier: Tier
    text: str
    cost: int
    full_reason: TierReason
    line_reason: TierReason | None
    needs: int
    left: int
    cap_entity: str | None = None
    cap_holders: tuple[str, ...] = ()
    line_needs: int = 0
    line_left: int = 0


@dataclass(frozen=True, slots=True)
class Envelope:
    """One budget and what was folded into it, in pack order. Characters are UTF-16 units of content."""

    name: EnvelopeName
    budget: int
    entries: tuple[PackEntry, ...]
    full_spent: int
    line_spent: int

    @property
    def spent(self) -> int:
        """Content of both tiers."""
        return self.full_spent + self.line_spent

    @property
    def truncated(self) -> bool:
        """True when any entry is not in full, as the reference reports it."""
        return any(e.tier != "full" for e in self.entries)

    def count(self, tier: Tier) -> int:
        """How many entries stand in a tier."""
        return sum(e.tier == tier for e in self.entries)


@dataclass(frozen=True, slots=True)
class Pack:
    """Both envelopes of one recall. Arcs come first when rendered."""

    arcs: Envelope
    memories: Envelope
