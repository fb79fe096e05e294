"""Where a person has been: requests to go back and forward through, and earlier queries to ask again.

Stands between the views and the session, knows no widget.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from memhtml_core.errors import MemhtmlError
from memhtml_tui.messages import JobFailed
from memhtml_tui.queries import QueryHistory
from memhtml_tui.visits import Visit, Visits

if TYPE_CHECKING:
    from pathlib import Path

    from textual.message import Message

    from memhtml_core.rank.request import Kind, Request
    from memhtml_tui.session import Session
    from memhtml_tui.settings import Options

STEP = 10
"""Hits that one more request for more asks for."""

MOST = 500
"""The largest limit that is asked for by key."""


class Travels:
    """Asks on behalf of the views, and remembers what was asked."""

    def __init__(self, session: Session, history: Path | None, post: Callable[[Message], object]) -> None:
        self.session = session
        self.queries = QueryHistory(history)
        self.visits = Visits()
        self._post = post

    def load(self) -> None:
        """Read the queries of earlier sessions, on a thread of its own."""
        if self.queries.file is not None:
            self._beside(self.queries.load)

    def _beside(self, work: Callable[[], None]) -> None:
        """Reading or writing the file beside the screen; that it failed is said once."""

        def run() -> None:
            try:
                work()
            except MemhtmlError as error:
                self.queries.file = None
                self._post(JobFailed(error, "queries"))

        threading.Thread(target=run, name="memhtml-queries", daemon=True).start()

    def ask(self, request: Request, kind: Kind, *, pointed: str | None, typing: bool) -> None:
        """Run a request. `pointed` is the memory under the cursor now; `typing` says that the query is still
        being written.
        """
        self._leave(pointed)
        self.session.ask(request, kind)
        self.visits.made(self.session.request, typing=typing)

    def go(self, step: int, kind: Kind, *, pointed: str | None) -> Visit | None:
        """Run an earlier (negative) or later request again as it was left; None where there is none."""
        self._leave(pointed)
        visit = self.visits.go(step)
        if visit is not None:
            self.session.revisit(visit.request, kind, visit.offset, visit.sort)
        return visit

    def _leave(self, pointed: str | None) -> None:
        self.visits.leave(pointed, self.session.offset, self.session.sort)

    def settle(self) -> None:
        """The query is written: it is a place to come back to and, unless it is the newest, one to keep."""
        query = self.visits.settle()
        if self.queries.add(query) and self.queries.file is not None:
            self._beside(lambda: self.queries.write(query))


def enlarged(request: Request) -> Request:
    """The request for more hits; itself where it asks for the most already."""
    return replace(request, limit=max(request.limit, min(MOST, request.limit + STEP)))


def request_line(request: Request, store: Path | None, options: Options) -> str:
    """The command line that gives the same answer: store, source, embedder and instant stand in it.

    Raises `UsageError` for a request that no line can ask for.
    """
    from memhtml_tui.requesttext import format_request

    given: Mapping[str, str | None] = {
        "--index": None if options.source == "auto" else options.source,
        "--embedder": options.embedder,
        "--state": None if options.state == "auto" else options.state,
    }
    more = {flag: value for flag, value in given.items() if value is not None}
    return format_request(request, store=None if store is None else str(store), more=more)


def is_line(text: str) -> bool:
    """Whether pasted or typed text is a whole request as `request_line` writes it."""
    words = text.split(None, 2)
    if len(words) < 2:
        return False
    from memhtml_tui.requesttext import COMMANDS, NAME

    return words[0].rpartition("/")[2] == NAME and words[1] in COMMANDS
