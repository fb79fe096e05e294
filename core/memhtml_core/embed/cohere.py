"""What the reference embeds with, whichever way it is reached: model, dimension, input types, space."""

from __future__ import annotations

import hashlib

from memhtml_core.embed.protocol import Space

MODEL = "cohere.embed-v4:0"
DIM = 1024
DOCUMENT = "search_document"
QUERY = "search_query"
BATCH = 96
"""Texts of one call, at most."""


def space() -> Space:
    """The space of the reference's vectors, the same through a proxy and directly.

    The digest covers what this side decides. A peer's rows have none and match on the name.
    """
    made_of = f"{MODEL}@{DIM} {DOCUMENT} {QUERY} float version 1"
    return Space(f"{MODEL}@{DIM}", DIM, hashlib.sha256(made_of.encode()).hexdigest())
