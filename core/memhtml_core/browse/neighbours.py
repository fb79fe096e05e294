"""The nearest neighbours of a memory by its stored vector; no embedder is asked (issue "The explorer" 6)."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from memhtml_core.index.vectors import space_ids
from memhtml_core.rank.arms import ARMS, ArmContext, distance_band
from memhtml_core.rank.cards import hydrate
from memhtml_core.rank.cosine import register
from memhtml_core.rank.fusion import bound, literal
from memhtml_core.rank.like import VECTOR, vector_like
from memhtml_core.rank.outcome import Card, MissingArm, MissingReason
from memhtml_core.rank.request import Request, Scope
from memhtml_core.rank.scope import predicate
from memhtml_core.store.vocabulary import TYPES

if TYPE_CHECKING:
    from memhtml_core.embed.protocol import Space
    from memhtml_core.index.database import Database

EVERYTHING = Scope(memory_types=tuple(TYPES), include_archived=True)
"""Every memory of the index, tasks and archived ones too."""


@dataclass(frozen=True, slots=True)
class Neighbour:
    """One memory near another. `cosine` is that of its nearest chunk, -1 to 1."""

    card: Card
    cosine: float


@dataclass(frozen=True, slots=True)
class Neighbours:
    """The memories nearest to `path`, nearest first, ties by path; `space` is "" where the request has none.

    `missing` says why there are none, None where they could be measured.
    """

    path: str
    space: str
    rows: tuple[Neighbour, ...]
    missing: MissingArm | None


def neighbours(
    database: Database, path: str, space: Space | None, limit: int = 10, scope: Scope = EVERYTHING
) -> Neighbours:
    """The `limit` memories of the scope nearest to `path`, itself left out: the vector arm, exact, with the
    vector that stands for the memory in polarity and MMR.
    """
    if space is None:
        return Neighbours(path, "", (), MissingArm(VECTOR, MissingReason.NO_VECTORS, "no vector space"))
    spaces = space_ids(database, space)
    vector = vector_like(database, path, spaces)
    if isinstance(vector, MissingArm):
        return Neighbours(path, space.name, (), vector)
    register(database.connection)
    arm = next(arm for arm in ARMS if arm.name == VECTOR)
    chosen = predicate(scope)
    context = ArmContext(scope=chosen, now="0.0", spaces=spaces, band=literal(distance_band(space.dim)))
    sql = (
        f"WITH nearest(file, rank, value) AS (\n{arm.build(context)}\n)\n"
        "SELECT f.path, n.value FROM nearest n JOIN files f ON f.id = n.file ORDER BY n.rank"
    )
    found = database.rows(sql, bound(sql, (None, max(0, limit) + 1, None, vector), chosen.values))
    others = [(other, distance) for other, distance in found if other != path][: max(0, limit)]
    cards = hydrate(database, [other for other, _ in others])
    rows = tuple(Neighbour(cards[other], 1.0 - distance) for other, distance in others if other in cards)
    return Neighbours(path, space.name, rows, None)


def like_request(path: str, base: Request, *, keep_scope: bool = False) -> Request:
    """The search for what is like a memory: no words, its stored vector in place of a query's.

    Constants, limit and instant are those of `base`; its scope too with `keep_scope`, else the empty one. The
    memory itself leads the vector arm, if the scope holds it; recency and salience count as ever.
    """
    scope = base.scope if keep_scope else Scope()
    return replace(base, query="", kind="search", scope=scope, like=path)
