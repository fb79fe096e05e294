"""Prose becomes full-text MATCH text: words in, two forms out, never a query language (seed section 5).

A query cannot be wrong: whatever a person types is reduced to runs of letters and digits, and only a pair of
double quotes means something (a phrase). Rules: RETRIEVAL 2.
"""

from __future__ import annotations

import re

_WORD = re.compile(r"[^\W_]+")


def words(text: str) -> list[str]:
    """Maximal runs of letters and numbers (categories L* and N*) of the lowercased text, in order, doubles
    kept.

    Combining marks separate, so a decomposed accent splits its word.
    """
    return _WORD.findall(text.lower())


def terms(query: str) -> list[str]:
    """The MATCH terms of a query in order: words outside quotes, one phrase per quoted piece with words."""
    pieces = query.split('"')
    paired = len(pieces) % 2 == 1
    found: list[str] = []
    for place, piece in enumerate(pieces):
        inside = words(piece)
        if paired and place % 2 == 1:
            if inside:
                found.append('"' + " ".join(inside) + '"')
        else:
            found.extend(inside)
    return found


def match_forms(query: str) -> tuple[str, str]:
    """The all-terms and the any-term MATCH text; both "" when the query holds no term.

    The two are equal exactly when there is at most one term; then no probe is needed to choose.
    """
    found = terms(query)
    return " AND ".join(found), " OR ".join(found)
