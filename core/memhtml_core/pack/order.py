"""In which order a pack is folded: as fused, or diversified over the whole pool (DESIGN 6 and 11)."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from memhtml_core.embed.protocol import Space
from memhtml_core.rank.outcome import Outcome

if TYPE_CHECKING:
    from memhtml_core.index.database import Database


def pack_order(database: Database, outcome: Outcome, space: Space | None = None) -> tuple[str, ...]:
    """The paths of the pool in the order that the request's `pack_order` asks for; none is left out but those
    that have left the index since.

    "fused" is the order after polarity, as the reference folds it. "diversified" is the order in which MMR
    would choose all of them, with the request's lambda and the vectors of `space` (default: what the index
    holds under the name of the outcome's space).
    """
    known = {
        row[0]
        for row in database.rows(
            "SELECT path FROM files WHERE path IN (SELECT value FROM json_each(?1))",
            (json.dumps([path for path, _ in outcome.pool]),),
        )
    }
    pool = [(path, score) for path, score in outcome.pool if path in known]
    paths = tuple(path for path, _ in pool)
    ranking = outcome.request.ranking
    if ranking.pack_order == "fused" or not paths:
        return paths
    from memhtml_core.index.vectors import space_ids
    from memhtml_core.rank.cards import read_claims
    from memhtml_core.rank.diversity import mmr

    space = space or _named(outcome.space)
    ids = space_ids(database, space) if space else ()
    vectors = {claim.path: claim.vector for claim in read_claims(database, paths, ids)}
    entries = [(path, score, vectors[path]) for path, score in pool]
    return tuple(step.path for step in mmr(entries, len(entries), ranking.mmr_lambda))


def _named(name: str) -> Space | None:
    dim = name.rpartition("@")[2]
    return Space(name, int(dim)) if dim.isascii() and dim.isdigit() else None
