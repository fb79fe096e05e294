"""The vector of a query: asked for and checked, or a reason why there is none (DESIGN 5, RETRIEVAL 6)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memhtml_core.embed.check import check
from memhtml_core.errors import BadVector, EmbedError, EmbedTimeout
from memhtml_core.rank.outcome import MissingArm, MissingReason

if TYPE_CHECKING:
    from memhtml_core.embed.protocol import Embedder

VECTOR = "vector"
"""The arm under whose name a missing query vector is reported."""


def ask(
    embedder: Embedder | None, text: str, deadline: float | None = None, space: str | None = None
) -> tuple[bytes | None, MissingArm | None]:
    """The query's vector as little-endian float32, or why there is none; never both, never an error.

    `deadline` is in seconds from now. With `space`, an embedder of another space is not asked: its vectors
    would be compared with strangers. Safe to run on a thread of its own.
    """
    if embedder is None:
        return None, MissingArm(VECTOR, MissingReason.EMBEDDER_OFF)
    try:
        own = embedder.space
        if space is not None and own.name != space:
            return None, MissingArm(VECTOR, MissingReason.SPACE_UNASKABLE, f"{own.name} is not {space}")
        vector = embedder.embed_query(text, deadline=deadline)
        check(vector, own.dim)
    except BadVector as error:
        return None, MissingArm(VECTOR, MissingReason.BAD_QUERY_VECTOR, str(error))
    except EmbedTimeout as error:
        return None, MissingArm(VECTOR, MissingReason.EMBEDDER_TIMED_OUT, str(error))
    except EmbedError as error:
        return None, MissingArm(VECTOR, MissingReason.EMBEDDER_FAILED, str(error))
    return vector, None


def checked(vector: bytes, dim: int) -> tuple[bytes | None, MissingArm | None]:
    """A vector that a caller brings along, under the same rules."""
    try:
        check(vector, dim)
    except BadVector as error:
        return None, MissingArm(VECTOR, MissingReason.BAD_QUERY_VECTOR, str(error))
    return vector, None
