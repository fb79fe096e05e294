"""The stored vector of a memory: as a query vector ("search like this memory"), and to measure others by."""

from __future__ import annotations

from collections.abc import Sequence

from memhtml_core.rank.arms import in_space
from memhtml_core.rank.outcome import MissingArm, MissingReason
from memhtml_core.rank.statements import Reader

VECTOR = "vector"


def vector_like(reader: Reader, path: str, spaces: Sequence[int]) -> bytes | MissingArm:
    """The vector of the memory's first chunk that has one, as in polarity and MMR; else why there is none.

    `spaces` are the ids of the request's space.
    """
    sql = (
        "SELECT v.vec FROM files f JOIN chunks c ON c.file_id = f.id\n"
        f"JOIN vectors v ON v.chunk_id = c.id AND {in_space(spaces)}\n"
        "WHERE f.path = ?1 ORDER BY c.ordinal, v.space_id LIMIT 1"
    )
    rows = reader.rows(sql, (path,))
    if rows:
        vector: bytes = rows[0][0]
        return vector
    return MissingArm(VECTOR, MissingReason.NO_VECTORS, f"{path} has none in this space")
