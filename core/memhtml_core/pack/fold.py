"""Folds an order of memories into one budget, in two passes: whole texts first, claims with what is left.

The full pass is the reference's (RETRIEVAL 10, seed section 8); the disclosure pass and the three tiers are
DESIGN 6.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from memhtml_core.pack.entries import Envelope, EnvelopeName, Material, PackEntry, Tier, TierReason
from memhtml_core.store.text import utf16_length


@dataclass(frozen=True, slots=True)
class _Quote:
    """What the full pass decided on one memory."""

    reason: TierReason
    needs: int
    left: int
    cap_entity: str | None
    cap_holders: tuple[str, ...]


def fold(materials: Sequence[Material], budget: int, per_entity: int, name: EnvelopeName) -> Envelope:
    """The envelope that `materials`, taken in their order, make of `budget` UTF-16 units.

    `per_entity` is how many full texts one entity name may have. Every memory comes out as exactly one
    entry, in the order given; a budget of 0 or below is taken as given and then fits nothing (0 still fits
    an empty text). Content never exceeds `max(0, budget)`.
    """
    quotes, full_spent = _full_pass(materials, budget, per_entity)
    left = budget - full_spent
    entries = []
    for place, (material, quote) in enumerate(zip(materials, quotes, strict=True), start=1):
        entry = _entry(place, material, quote, left)
        if entry.tier == "disclosure":
            left -= entry.cost
        entries.append(entry)
    return Envelope(name, budget, tuple(entries), full_spent, budget - full_spent - left)


def _full_pass(materials: Sequence[Material], budget: int, per_entity: int) -> tuple[list[_Quote], int]:
    holders: dict[str, list[str]] = {}
    spent = 0
    quotes = []
    for material in materials:
        names = tuple(dict.fromkeys(material.entity_names))
        needs, left = utf16_length(material.disclosure_text), budget - spent
        capped = next((n for n in names if len(holders.get(n, ())) >= per_entity), None)
        if capped is not None:
            quotes.append(_Quote(TierReason.CAPPED, needs, left, capped, tuple(holders.get(capped, ()))))
        elif needs > left:
            quotes.append(_Quote(TierReason.NEEDS_MORE, needs, left, None, ()))
        else:
            quotes.append(_Quote(TierReason.QUOTED, needs, left, None, ()))
            spent += needs
            for entity in names:
                holders.setdefault(entity, []).append(material.path)
    return quotes, spent


def _entry(place: int, material: Material, quote: _Quote, left: int) -> PackEntry:
    if quote.reason is TierReason.QUOTED:
        return _made(place, material, quote, "full", material.disclosure_text, quote.needs, None, (0, 0))
    if not material.gist:
        return _made(place, material, quote, "index", "", 0, TierReason.NO_CLAIM, (0, 0))
    needs = utf16_length(material.gist)
    if quote.reason is TierReason.CAPPED and material.gist == material.disclosure_text:
        return _made(place, material, quote, "index", "", 0, TierReason.CLAIM_IS_TEXT, (needs, left))
    if needs > left:
        return _made(place, material, quote, "index", "", 0, TierReason.NEEDS_MORE, (needs, left))
    return _made(place, material, quote, "disclosure", material.gist, needs, TierReason.QUOTED, (needs, left))


def _made(
    place: int,
    material: Material,
    quote: _Quote,
    tier: Tier,
    text: str,
    cost: int,
    line_reason: TierReason | None,
    line: tuple[int, int],
) -> PackEntry:
    return PackEntry(
        place=place,
        path=material.path,
        title=material.title,
        gist=material.gist,
        memory_type=material.memory_type,
        tier=tier,
        text=text,
        cost=cost,
        full_reason=quote.reason,
        line_reason=line_reason,
        needs=quote.needs,
        left=quote.left,
        cap_entity=quote.cap_entity,
        cap_holders=quote.cap_holders,
        line_needs=line[0],
        line_left=line[1],
    )
