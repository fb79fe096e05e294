"""Why a list is empty, in words: one reason of the closed list, what else holds, and what to press."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.text import Text

from memhtml_tui import scoping
from memhtml_tui.look import Look
from memhtml_tui.panes.draw import BOLD, DIM, join, line, span

if TYPE_CHECKING:
    from memhtml_core.browse.empty import WhyEmpty

POINTERS = 5
"""Archived memories that are named."""

_HEADS = {
    "nothing indexed": "Nothing is indexed.",
    "scope": "The scope is empty.",
    "degraded": "Degraded: what could have found something did not run.",
    "stale index": "The index is stale.",
    "no match": "No match.",
}
_HELPS = {
    "nothing indexed": "ctrl+r indexes the store again.",
    "scope": "esc leaves the query; then x removes the last condition, X all, f shows every value.",
    "degraded": "The arms that are missing stand above, with their reasons.",
    "stale index": "ctrl+r brings it up to date.",
    "no match": "Other words may; every word is looked for, then any of them.",
}


def empty_text(why: WhyEmpty, look: Look) -> Text:
    """The reason and its detail, what helps, what else holds, what lifting a condition would bring in, and
    the archived memories that the same scope holds."""
    text = span(_HEADS[why.reason.value], BOLD)
    text.append(f"\n{why.reason.value}: ", DIM).append_text(line(why.details[0]))
    text.append(f"\n{_HELPS[why.reason.value]}", DIM)
    for reason, detail in zip(why.others, why.details[1:], strict=True):
        text.append(f"\nalso {reason.value}: ", DIM).append_text(line(detail))
    if why.loosen:
        text.append("\n\nWithout one condition alone:", BOLD)
        for each in why.loosen:
            text.append("\n  ").append_text(line(scoping.condition_words(each)))
            text.append(f"  {each.beyond:,} in scope", DIM)
    if why.archived_matches:
        text.append(f"\n\n{why.archived_matches:,} archived in this scope; ", BOLD)
        text.append("a includes them", BOLD)
        for pointer in why.archived[:POINTERS]:
            newer = span("superseded by ", DIM).append_text(line(pointer.superseded_by or ""))
            parts = [line(pointer.path), newer if pointer.superseded_by else Text()]
            text.append("\n  ").append_text(join(parts, f" {look.sign('→', '->')} "))
        if why.archived_matches > POINTERS:
            text.append(f"\n  and {why.archived_matches - POINTERS:,} more", DIM)
    return text
