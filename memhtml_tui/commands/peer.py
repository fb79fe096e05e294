"""The answer of the reference to the same request, in its own field set and numbers (RETRIEVAL 9 and 10).

This is what `batch` gives under `result`, so that the recorded answers can be held against it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from memhtml_core.pack.entries import Envelope, Pack, PackEntry
    from memhtml_core.rank.outcome import Hit, Outcome


def search_result(outcome: Outcome) -> dict[str, Any]:
    """The complete answer to a search."""
    return {
        "hits": [_hit(hit) for hit in outcome.hits],
        "degraded": outcome.degraded,
        "vectorCoverage": number(outcome.vector_coverage),
        "arms": [run.name for run in outcome.arms],
        "entityScope": outcome.request.scope.entity or None,
        "scopeEmpty": outcome.scope_empty,
        "archivedMatches": outcome.archived_matches,
        "archived": [{"path": a.path, "supersededBy": a.superseded_by} for a in outcome.archived],
    }


def recall_result(outcome: Outcome, pack: Pack) -> dict[str, Any]:
    """The complete answer to a recall: its two tiers, which are our full tier and the rest."""
    return {
        "arcs": _envelope(pack.arcs),
        "memories": _envelope(pack.memories),
        "spentChars": pack.arcs.full_spent + pack.memories.full_spent,
        "truncated": pack.arcs.truncated or pack.memories.truncated,
        "degraded": outcome.degraded,
        "vectorCoverage": number(outcome.vector_coverage),
    }


def number(value: float) -> int | float:
    """A number as JavaScript writes it: whole ones without a fraction."""
    return int(value) if value.is_integer() else value


def _hit(hit: Hit) -> dict[str, Any]:
    card = hit.card
    return {
        "path": card.path,
        "title": card.title,
        "gist": card.gist,
        "memoryType": card.memory_type,
        "score": number(hit.score),
        "confidence": number(card.confidence),
        "updatedAt": card.updated_at,
        "snippet": hit.snippet,
        "entities": list(card.entities),
        "supersededBy": card.superseded_by,
    }


def _envelope(envelope: Envelope) -> dict[str, Any]:
    return {
        "disclosed": [{**_line(e), "body": e.text} for e in envelope.entries if e.tier == "full"],
        "indexLines": [_line(e) for e in envelope.entries if e.tier != "full"],
        "spentChars": envelope.full_spent,
        "truncated": envelope.truncated,
    }


def _line(entry: PackEntry) -> dict[str, Any]:
    return {
        "path": entry.path,
        "title": entry.title,
        "gist": entry.gist,
        "memoryType": entry.memory_type,
    }
