"""Another budget or cap for the pack on screen, without another search (DESIGN 6).

No widget and no thread: the session keeps the texts that a recall was folded from, and a change of numbers
folds them again. Where that took longer than a frame can spare, the next change goes to the store's thread.
"""

from __future__ import annotations

import time
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from memhtml_tui.answers import Answer

if TYPE_CHECKING:
    from memhtml_core.pack.build import Materials
    from memhtml_core.rank.outcome import Outcome
    from memhtml_core.rank.request import Request

FRAME_MS: Final = 5.0
"""Milliseconds of work that a fold may take on the event loop."""


def folded(
    generation: int, request: Request, outcome: Outcome, materials: Materials, waiting: bool
) -> Answer:
    """The answer to a recall: its pack, the text of it, the next thresholds, and how long all that took."""
    from memhtml_core.pack.render import render
    from memhtml_core.pack.threshold import pack_steps

    began = time.thread_time()
    pack = materials.fold(request.ranking)
    rendered = render(request.query, pack)
    steps = pack_steps(materials, request.ranking)
    took = (time.thread_time() - began) * 1000
    return Answer(generation, request, outcome, pack, rendered, waiting, materials, steps, took)


def refolded(answer: Answer | None, request: Request) -> Answer | None:
    """The answer under the numbers of `request`; None where it takes a search, or more than a frame.

    The answer must be whole, and the two requests differ in budgets and cap alone.
    """
    if answer is None or answer.waiting or answer.materials is None or answer.fold_ms > FRAME_MS:
        return None
    ranking = replace(
        answer.request.ranking,
        arcs_budget=request.ranking.arcs_budget,
        memories_budget=request.ranking.memories_budget,
        per_entity=request.ranking.per_entity,
    )
    if replace(answer.request, ranking=ranking) != replace(request, now=answer.request.now, kind="recall"):
        return None
    asked = replace(answer.request, ranking=ranking)
    outcome = replace(answer.outcome, request=asked)
    return folded(answer.generation, asked, outcome, answer.materials, waiting=False)
