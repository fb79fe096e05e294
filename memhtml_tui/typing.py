"""The query line while it is typed: which scope words are taken out of it, and what is left at the cursor."""

from __future__ import annotations

from dataclasses import dataclass

from memhtml_core.rank.request import Scope
from memhtml_core.rank.typed import KEYS, split_line


@dataclass(frozen=True, slots=True)
class Taken:
    """What a line asks for, and the `text` and `cursor` that stay in the field."""

    query: str
    scope: Scope
    text: str
    cursor: int


def taken(text: str, cursor: int, base: Scope, *, finished: bool) -> Taken:
    """Take the scope words out of a line; they add to `base`.

    A scope word with the cursor in it or at its end is still being typed: unless the line is `finished` it
    stays, and is not searched for. Where a word was taken at the cursor, blanks stay around the cursor, so
    that what is typed next is a word of its own.
    """
    cursor = max(0, min(cursor, len(text)))
    start, end = (cursor, cursor) if finished else _held(text, cursor)
    held = text[start:end]
    rest = text[:start] + text[end:]
    typed = split_line(rest, base)
    before, after = rest[:start], rest[start:]
    touched = False
    for first, last in reversed(typed.spans):
        while last < len(rest) and rest[last].isspace():
            last += 1
        touched = touched or first <= start <= last
        before = before[:first] + before[last:]
        after = _without(after, first - start, last - start)
    if touched or held:
        before += " " if before and not before[-1].isspace() else ""
        after = (" " if after and not after[0].isspace() else "") + after
    inside = cursor - start
    return Taken(typed.query, typed.scope, before + held + after, len(before) + inside)


def _without(text: str, first: int, last: int) -> str:
    return text[: max(0, first)] + text[max(0, last) :]


def _held(text: str, cursor: int) -> tuple[int, int]:
    """Where the scope word lies that is being typed; an empty range at the cursor where none is.

    A value in closed quotes is complete.
    """
    start = cursor
    while start > 0 and not text[start - 1].isspace():
        start -= 1
    end = cursor
    while end < len(text) and not text[end].isspace():
        end += 1
    word = text[start:end]
    complete = word.endswith('"') and split_line(word).scope_words != ()
    if start < cursor and not complete and any(word.startswith(f"{key}:") for key in KEYS):
        return start, end
    return cursor, cursor
