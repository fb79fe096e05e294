"""JSON shapes of answers, each with a schema name and version; a change that breaks a reader raises the
version.

`memhtml-search/1`, `memhtml-recall/1`, `memhtml-list/1`: fields in camel case, instants as stored, ranks
from 1, an arm that did not see a memory is left out of its `ranks`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from memhtml_tui.commands.output import data_of

if TYPE_CHECKING:
    from memhtml_core.browse.listing import Listing
    from memhtml_core.pack.entries import Envelope, Pack
    from memhtml_core.pack.render import Rendered
    from memhtml_core.rank.outcome import Card, Outcome

SEARCH = "memhtml-search/1"
RECALL = "memhtml-recall/1"
LIST = "memhtml-list/1"


def search_shape(outcome: Outcome) -> dict[str, Any]:
    """A search: what was asked, which arms ran, the hits with their breakdown."""
    hits = []
    for hit in outcome.hits:
        seen = outcome.candidate(hit.path)
        hits.append(
            {
                "place": hit.place,
                **card_shape(hit.card),
                "score": hit.score,
                "fused": None if seen is None else seen.fused,
                "fusedPosition": None if seen is None else seen.position,
                "ranks": {} if seen is None else dict(seen.ranks),
                "contributions": {} if seen is None else dict(seen.contributions),
                "snippet": hit.snippet,
            }
        )
    return {
        **_question(outcome),
        "limit": outcome.request.limit,
        "hits": hits,
        "scopeEmpty": outcome.scope_empty,
        "archivedMatches": outcome.archived_matches,
        "archived": data_of(outcome.archived),
    }


def recall_shape(outcome: Outcome, pack: Pack, rendered: Rendered) -> dict[str, Any]:
    """A recall: what was asked, the folded pack, and the exact text of it."""
    return {
        **_question(outcome),
        "pack": pack_shape(pack),
        "text": rendered.text,
        "characters": rendered.characters,
        "content": rendered.content,
        "tokensEstimate": rendered.tokens_estimate,
    }


def pack_shape(pack: Pack) -> dict[str, Any]:
    """Both envelopes with every entry, its tier and its reasons."""
    return {"arcs": _envelope(pack.arcs), "memories": _envelope(pack.memories)}


def list_shape(listing: Listing) -> dict[str, Any]:
    """A page of memories; `opens` is null without a state plane."""
    rows = []
    for card in listing.rows:
        opens = None if listing.opens is None else listing.opens.get(card.path, 0)
        rows.append({**card_shape(card), "opens": opens})
    return {
        "total": listing.total,
        "offset": listing.offset,
        "sort": listing.sort,
        "descending": listing.descending,
        "memories": rows,
    }


def card_shape(card: Card) -> dict[str, Any]:
    """What a line shows of a memory."""
    shape: dict[str, Any] = data_of(card)
    return shape


def missing_shape(outcome: Outcome) -> list[dict[str, Any]]:
    """Every arm that did not run, with its reason from the closed list."""
    shape: list[dict[str, Any]] = data_of(outcome.missing)
    return shape


def _question(outcome: Outcome) -> dict[str, Any]:
    request = outcome.request
    return {
        "query": request.query,
        "scope": data_of(request.scope),
        "now": request.now,
        "space": outcome.space,
        "degraded": outcome.degraded,
        "vectorCoverage": outcome.vector_coverage,
        "forms": data_of(outcome.forms),
        "arms": [
            {
                "name": run.name,
                "letter": run.letter,
                "label": run.label,
                "weight": run.weight,
                "seen": len(run.entries),
            }
            for run in outcome.arms
        ],
        "missing": missing_shape(outcome),
        "milliseconds": outcome.milliseconds,
    }


def _envelope(envelope: Envelope) -> dict[str, Any]:
    return {
        "budget": envelope.budget,
        "spent": envelope.spent,
        "fullSpent": envelope.full_spent,
        "lineSpent": envelope.line_spent,
        "truncated": envelope.truncated,
        "entries": data_of(envelope.entries),
    }
