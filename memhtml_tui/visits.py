"""Back and forward through requests, as in a browser: which requests were made, and where the cursor stood.

What counts as a new request: another query, scope, limit, another memory to be like, another outage or
switched-off arm. Weights, constants and budgets are turned in many small steps, so they change the visit in
place; and so does typing, as long as the query is still being written.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from memhtml_core.rank.request import Ranking, Request

if TYPE_CHECKING:
    from memhtml_core.browse.listing import Sort

LONGEST = 200
"""Visits that are kept; the oldest go."""


@dataclass(frozen=True)
class Visit:
    """A request and where it was left: the memory under the cursor, the page and order of Browse."""

    request: Request
    pointed: str | None = None
    offset: int = 0
    sort: Sort = "path"


class Visits:
    """The visits in order, and the one that is on screen."""

    def __init__(self) -> None:
        self._visits: list[Visit] = []
        self._place = -1
        self._draft = False

    @property
    def current(self) -> Visit | None:
        """The visit on screen; None before the first request."""
        return self._visits[self._place] if self._visits else None

    @property
    def behind(self) -> int:
        """How many visits lie back."""
        return max(0, self._place)

    @property
    def ahead(self) -> int:
        """How many visits lie forward."""
        return len(self._visits) - 1 - self._place

    def leave(self, pointed: str | None, offset: int, sort: Sort) -> None:
        """Note where the visit on screen stands, before another request is made."""
        if self._visits:
            here = self._visits[self._place]
            self._visits[self._place] = replace(here, pointed=pointed, offset=offset, sort=sort)

    def made(self, request: Request, *, typing: bool = False) -> bool:
        """A request was made; True where it is a visit of its own, which ends what lay forward.

        `typing`: its query is still being written.
        """
        here = self.current
        if here is not None and _asked(here.request) == _asked(request):
            self._visits[self._place] = replace(here, request=request)
            return False
        typed = here is not None and _asked(here.request) == _asked(
            replace(request, query=here.request.query)
        )
        if here is not None and typing and self._draft and typed:
            self._visits[self._place] = Visit(request)
            return False
        self._visits = [*self._visits[: self._place + 1], Visit(request)][-LONGEST:]
        self._place = len(self._visits) - 1
        self._draft = typing and typed
        return True

    def settle(self) -> str:
        """The query on screen is no draft any more; gives its text."""
        self._draft = False
        return "" if self.current is None else self.current.request.query

    def go(self, step: int) -> Visit | None:
        """Make the visit `step` places on (negative: back) the one on screen; None where there is none."""
        if not self._visits or not 0 <= self._place + step < len(self._visits):
            return None
        self._place += step
        self._draft = False
        return self.current


def _asked(request: Request) -> Request:
    """What makes a request a visit of its own."""
    ranking = Ranking(off=request.ranking.off)
    return replace(request, now=0.0, kind="search", ranking=ranking, query=request.query.strip())
