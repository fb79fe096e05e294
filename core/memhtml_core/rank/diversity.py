"""Maximal marginal relevance: a greedy choice of what is both relevant and new (seed section 7).

Relevance is the score after polarity, a function of rank: fused scores are not comparable across queries.
Rules: RETRIEVAL 8. Choices are those of sequential float64 cosines; the matrix only says which ones need
computing.
"""

from __future__ import annotations

from collections.abc import Sequence

from memhtml_core.rank.cosine import TIE, Cosines
from memhtml_core.rank.outcome import MmrStep

Entry = tuple[str, float, "bytes | None"]
"""A candidate: path, score, vector (None without one)."""


def mmr(entries: Sequence[Entry], limit: int, mmr_lambda: float = 0.5) -> tuple[MmrStep, ...]:
    """The chosen candidates in order of choice, at most `limit`; none for a limit of 0 or less.

    `entries` come best first. A candidate without a vector takes penalty 0 and causes none; of equal
    objectives the earlier candidate wins. Where lambda is 1 or more, or there is but one candidate, the order
    is kept and nothing is compared: those steps have penalty 0 and no rival.
    """
    if limit <= 0:
        return ()
    if len(entries) <= 1 or mmr_lambda >= 1.0:
        return tuple(
            MmrStep(path, score, 0.0, mmr_lambda * score, None) for path, score, _ in entries[:limit]
        )
    import numpy

    cosines = Cosines([vector for _, _, vector in entries])
    scores = numpy.array([score for _, score, _ in entries])
    penalties = numpy.zeros(len(entries))
    left = numpy.ones(len(entries), dtype=bool)
    chosen: list[int] = []
    steps: list[MmrStep] = []
    while len(chosen) < min(limit, len(entries)):
        rough = numpy.where(left, mmr_lambda * scores - (1.0 - mmr_lambda) * penalties, -numpy.inf)
        best: tuple[int, MmrStep] | None = None
        for place in numpy.flatnonzero(rough >= rough.max() - 4.0 * TIE).tolist():
            step = _settled(entries, cosines, chosen, place, mmr_lambda)
            if best is None or step.objective > best[1].objective:
                best = place, step
        assert best is not None  # at least the maximum itself is there
        place, step = best
        chosen.append(place)
        steps.append(step)
        left[place] = False
        numpy.maximum(penalties, cosines.rough(place), out=penalties)
    return tuple(steps)


def _settled(
    entries: Sequence[Entry], cosines: Cosines, chosen: Sequence[int], place: int, weight: float
) -> MmrStep:
    """The step that choosing `place` now would be, with its penalty from exact cosines."""
    path, score, _ = entries[place]
    penalty, rival = 0.0, None
    if chosen and cosines.has(place):
        row = cosines.rough(place)
        highest = max(float(row[other]) for other in chosen)
        for other in chosen:
            if cosines.has(other) and row[other] >= highest - 2.0 * TIE:
                cosine = cosines.exact(place, other)
                if cosine > penalty:
                    penalty, rival = cosine, entries[other][0]
    return MmrStep(path, score, penalty, weight * score - (1.0 - weight) * penalty, rival)
