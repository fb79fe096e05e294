"""What a person at a prompt cannot have meant: refused in words, or remarked on, before a store is opened.

The core takes such values as the reference does (an unknown type is dropped, an instant is compared as text),
and recorded requests and pasted lines rely on that. A mistyped flag deserves better than a quiet answer.
"""

from __future__ import annotations

from difflib import get_close_matches
from typing import TYPE_CHECKING

from memhtml_core.errors import UsageError

if TYPE_CHECKING:
    from memhtml_core.rank.request import Request, Scope
    from memhtml_tui.commands.output import Output


def check_scope(scope: Scope) -> None:
    """Refuse an unknown memory type and an instant outside the store's grammar. Raises `UsageError`."""
    from memhtml_core.store.layout import is_datetime
    from memhtml_core.store.vocabulary import TYPES

    for name in scope.memory_types:
        if name not in TYPES:
            near = get_close_matches(name, TYPES, 1, 0.5)
            hint = f"did you mean {near[0]}? " if near else ""
            raise UsageError("no such memory type", subject=name, remedy=f"{hint}One of {', '.join(TYPES)}")
    if scope.as_of and not is_datetime(scope.as_of):
        raise UsageError(
            "not an instant of a store",
            subject=scope.as_of,
            remedy="Write 2024-05-01 or 2024-05-01T08:30:00Z",
        )


def check_request(request: Request, output: Output) -> None:
    """Refuse what cannot be meant; remark on scope words in the query. Raises `UsageError`."""
    from memhtml_core.rank.typed import split_line

    check_scope(request.scope)
    if request.kind == "search" and request.limit < 1:
        raise UsageError("a search shows one hit at least", subject=f"--limit {request.limit}")
    found = split_line(request.query).scope_words
    if found:
        words = " ".join(word.strip() for word in found)
        output.note(f"searched as words: {words} (to narrow by them: --scope '{words}')")
