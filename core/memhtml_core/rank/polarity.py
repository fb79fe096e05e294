"""Polarity: of two near-copies, the one that says the opposite of the query is demoted (seed section 7.1).

None of the arms can see a "not". This step, between fusion and MMR and for search and recall alike, compares
the query's polarity with each candidate's claim by a closed set of marker words. Rules: RETRIEVAL 7.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass

from memhtml_core.rank.cosine import Cosines
from memhtml_core.rank.outcome import PolarityMove
from memhtml_core.store.text import js_trim, utf16_slice

MARKERS = frozenset(
    (
        *("not", "no", "never", "none", "cannot", "without", "neither", "nor", "avoid"),
        *("disallow", "disallowed", "forbidden", "unsafe", "invalid", "false"),
        *("fail", "fails", "failed", "deny", "denied", "reject", "rejected"),
    )
)
BODY_UNITS = 2_000
"""UTF-16 units of the body that speak for a memory without a claim."""

_CONTRACTIONS = (
    ("isn't", "is not"),
    ("aren't", "are not"),
    ("wasn't", "was not"),
    ("weren't", "were not"),
    ("don't", "do not"),
    ("doesn't", "does not"),
    ("didn't", "did not"),
    ("won't", "will not"),
    ("can't", "can not"),
    ("cannot", "can not"),
    ("couldn't", "could not"),
    ("shouldn't", "should not"),
    ("wouldn't", "would not"),
    ("mustn't", "must not"),
    ("haven't", "have not"),
    ("hasn't", "has not"),
    ("hadn't", "had not"),
    ("n't", " not"),
)
_TOKEN = re.compile(r"[a-z0-9]+(?:\.[0-9]+)*")


@dataclass(frozen=True, slots=True)
class Claim:
    """What polarity needs of one candidate: its text (see `claim_text`) and its vector, None without one."""

    path: str
    text: str
    vector: bytes | None


def markers(text: str) -> tuple[str, ...]:
    """The marker words of a text in order, once each; a text is negated when there is one."""
    plain = unicodedata.normalize("NFC", text).lower()
    for short, long in _CONTRACTIONS:
        plain = plain.replace(short, long)
    return tuple(dict.fromkeys(token for token in _TOKEN.findall(plain) if token in MARKERS))


def divergent(left: str, right: str) -> bool:
    """True when exactly one of two texts is negated."""
    return bool(markers(left)) != bool(markers(right))


def claim_text(gist: str, body: str) -> str:
    """What speaks for a memory: its gist, or the opening of its body where the gist is blank."""
    return gist if js_trim(gist) else utf16_slice(body, 0, BODY_UNITS)


def polarity_scored(
    query: str, claims: Sequence[Claim], *, twin_cosine: float = 0.9, demotion: float = 0.5
) -> tuple[list[tuple[str, float]], tuple[PolarityMove, ...]]:
    """The pool as (path, score) after demotion, best first, and one entry per candidate that has an agreeing
    twin.

    `claims` come in fused order; the candidate at place i scores 1 / (i + 1). A disagreeing candidate above
    its lowest agreeing near-copy gets that copy's score times `demotion`. Ties go by path in code point order
    (DESIGN 11).
    """
    scores = [1.0 / (place + 1) for place in range(len(claims))]
    asked = markers(query)
    found = [markers(claim.text) for claim in claims]
    agrees = [bool(words) == bool(asked) for words in found]
    moves: list[PolarityMove] = []
    if not all(agrees):
        cosines = Cosines([claim.vector for claim in claims])
        friends = [p for p in range(len(claims)) if agrees[p] and cosines.has(p)]
        for place, claim in enumerate(claims):
            if agrees[place] or not cosines.has(place):
                continue
            twins = [p for p in friends if cosines.at_least(place, p, twin_cosine)]
            if not twins:
                continue
            twin = max(twins)  # agreeing scores never change, so the last one has the lowest
            before, floor = scores[place], scores[twin]
            if before > floor:
                scores[place] = floor * demotion
            moves.append(
                PolarityMove(
                    path=claim.path,
                    twin=claims[twin].path,
                    cosine=cosines.exact(place, twin),
                    words=found[place] or asked,
                    floor=floor,
                    score_before=before,
                    score_after=scores[place],
                    moved=before > floor,
                )
            )
    order = sorted(range(len(claims)), key=lambda place: (-scores[place], claims[place].path))
    return [(claims[place].path, scores[place]) for place in order], tuple(moves)
