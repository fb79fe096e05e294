"""The snippet of a hit: its chunk nearest to the query, cut to fit (seed section 7.1, RETRIEVAL 9).

Computed over the hits alone, after diversification, so that the fused statement keeps its shape.
"""

from __future__ import annotations

import json
from collections.abc import Sequence

from memhtml_core.rank.arms import in_space
from memhtml_core.rank.statements import Reader
from memhtml_core.store.text import JS_WHITESPACE, utf16_length, utf16_slice

SNIPPET_UNITS = 700
"""The longest snippet in UTF-16 units, the ellipsis included."""


def cut(text: str, units: int = SNIPPET_UNITS) -> str:
    """A text of at most `units` UTF-16 units; a longer one is cut, trimmed at the end and given an ellipsis.

    The cut may leave half a surrogate pair at the end, as in the reference; whoever draws the text drops it.
    """
    if utf16_length(text) <= units:
        return text
    return utf16_slice(text, 0, units - 1).rstrip(JS_WHITESPACE) + "\u2026"


def snippets(
    reader: Reader, paths: Sequence[str], spaces: Sequence[int], vector: bytes | None
) -> dict[str, str]:
    """The snippet of each path that owns a chunk.

    With a query vector the nearest chunk: one without a vector loses to any with one, equal distances go to
    the lower ordinal. Without a query vector the first chunk of the text.
    """
    if not paths:
        return {}
    keys = json.dumps(list(paths))
    if vector is None:
        sql = (
            "SELECT f.path, c.text FROM files f JOIN chunks c ON c.file_id = f.id AND c.ordinal = 0\n"
            "WHERE f.path IN (SELECT value FROM json_each(?1))"
        )
        return {path: cut(text) for path, text in reader.rows(sql, (keys,))}
    sql = (
        "SELECT f.path, c.text FROM files f JOIN chunks c ON c.file_id = f.id\n"
        f"LEFT JOIN vectors v ON v.chunk_id = c.id AND {in_space(spaces)}\n"
        "WHERE f.path IN (SELECT value FROM json_each(?1))\n"
        "ORDER BY f.path, exact_distance(v.vec, ?2) ASC NULLS LAST, c.ordinal"
    )
    found: dict[str, str] = {}
    for path, text in reader.rows(sql, (keys, vector)):
        if path not in found:
            found[path] = cut(text)
    return found
