"""The owner of the current request: runs it on the store's thread, and is the only place that opens.

Panes and screens never touch a store. They tell the session what is wanted and get frozen answers as
messages, each with the generation of its request; an older generation is dropped (DESIGN 3 "Flow", 8;
craft of workers).
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

from textual.message import Message

from memhtml_core.errors import IndexFault, Interrupted, MemhtmlError, PathUnknown, ReadOnly
from memhtml_core.rank.request import Kind, Ranking, Request
from memhtml_tui.embedding import VECTOR, EmbeddingDesk, Ticket
from memhtml_tui.jobs import Job, StoreThread
from memhtml_tui.messages import (
    AccessKnown,
    Answered,
    AnswerFailed,
    JobFailed,
    Listed,
    MemoryShown,
    Searching,
    StoreFailed,
    StoreProgress,
    StoreReady,
)
from memhtml_tui.settings import Options
from memhtml_tui.stores import Opener, Store
from memhtml_tui.upkeep import Upkeep

if TYPE_CHECKING:
    from pathlib import Path

    from memhtml_core.access.rows import Reinforced, Signal
    from memhtml_core.browse.listing import Sort
    from memhtml_core.rank.outcome import MissingArm, Outcome

GRACE = 0.15
"""Seconds that a search waits for the query's vector before it goes on without."""

PAGE = 100
"""Rows of one page of Browse."""

STILL_ASKING = "still asking"
"""Detail of the vector arm while its embedder has not answered; the screen shows it as waiting, not as
failed."""


class Session:
    """Holds the frozen request, runs it, and counts what was written.

    `post` takes messages from any thread. `clock` gives seconds since 1970 UTC, unless the options fix `now`.
    """

    def __init__(
        self,
        options: Options,
        post: Callable[[Message], object],
        clock: Callable[[], float] = time.time,
    ) -> None:
        self._post = post
        self._options = options
        self._clock = clock
        self._desk: EmbeddingDesk | None = None
        self._thread: StoreThread[Store] | None = None
        self._closing = False
        self._upkeep = Upkeep(options, self._tell, self._submit, self._opened)
        self._looked = 0
        self.generation = 0
        self.answered = 0
        self.writes = 0
        self.kind: Kind = "search"
        self.ready = False
        self.root: Path | None = None
        self._reading: dict[str, int] = {}
        self.sort: Sort = "path"
        self.descending: bool | None = None
        self.offset = 0
        ranking = Ranking(**options.ranking)
        self.request = Request(query=options.query, now=self.now(), limit=options.limit, ranking=ranking)

    def now(self) -> float:
        """The instant of the next request."""
        return self._clock() if self._options.now is None else self._options.now

    @property
    def read_only(self) -> bool:
        """Whether opens are refused."""
        return self._options.read_only or self._options.state == "none"

    @property
    def browsing(self) -> bool:
        """An empty query is Browse (DESIGN 9), but a recall can be asked of it."""
        return self.kind == "search" and not self.request.query.strip() and not self.request.like

    @property
    def busy(self) -> bool:
        """Whether anything runs or waits on the store's thread."""
        return self._thread is not None and self._thread.busy

    def start(self, opener: Opener) -> None:
        """Open a store on its thread; `StoreReady` or `StoreFailed` follows."""
        self._thread = StoreThread(
            lambda: opener(lambda progress: self._tell(StoreProgress(progress)), lambda: self._closing),
            on_open=self._opened,
            on_refused=lambda error: self._tell(StoreFailed(_known(error))),
            on_fault=lambda error: self._tell(JobFailed(_known(error))),
            interrupt=lambda store: store.interrupt(),
            close=lambda store: store.close(),
        )
        self._thread.start()

    def close(self) -> None:
        """Stop what runs and close the store."""
        self._closing = True
        self._upkeep.close()
        self.generation += 1
        if self._thread is not None:
            self._thread.close()

    def _submit(self, job: Job[Store]) -> None:
        if self._thread is not None:
            self._thread.submit(job)

    def _stop_stale(self) -> None:
        if self._thread is not None:
            self._thread.stop_stale()

    def ask(self, request: Request, kind: Kind | None = None) -> None:
        """Make `request` the current one and run it; whatever older request still runs is stopped and
        dropped."""
        self.kind = kind or self.kind
        if request.scope != self.request.scope:
            self.offset = 0
        self.request = replace(request, now=self.now(), kind=self.kind)
        self.generation += 1
        self._stop_stale()
        if not self.ready:
            return
        self._tell(Searching(self.generation))
        if self.browsing:
            self._browse(self.generation)
        else:
            self._run(self.request, self.generation)

    def adopt(self, request: Request) -> None:
        """Make `request` the current one without running it, because its answer is known already."""
        self.kind = request.kind
        self.request = request

    def cancel(self) -> bool:
        """Stop the running search, if there is one; its answer is dropped. An update of the index or the
        fetching of vectors is stopped first."""
        if self._upkeep.halt():
            return True
        if not self.busy:
            return False
        self.generation += 1
        self._stop_stale()
        return True

    def revisit(self, request: Request, kind: Kind, offset: int, sort: Sort) -> None:
        """Run an earlier request again; Browse stands on the page and in the order where it was left."""
        self.request = replace(self.request, scope=request.scope)
        if sort != self.sort:
            self.descending = None
        self.offset, self.sort = offset, sort
        self.ask(request, kind)

    def turn_page(self, offset: int, sort: Sort, descending: bool | None = None) -> None:
        """Show Browse from row `offset` in another order or page; None takes the sort's own direction."""
        self.offset, self.sort, self.descending = max(0, offset), sort, descending
        self.ask(self.request)

    def read(
        self,
        name: str,
        work: Callable[[Store], Message | None],
        post: Callable[[Message], object] | None = None,
    ) -> None:
        """Read something else of the store and post the message that comes of it, by default to the app.

        A newer reading of the same `name` drops an older one. `work` must not write. Ignored before the
        store is open.
        """
        if not self.ready:
            return
        place = self._reading[name] = self._reading.get(name, 0) + 1

        def run(store: Store) -> None:
            try:
                message = work(store)
            except Interrupted:
                return
            except MemhtmlError as error:
                message = JobFailed(error, name)
            if message is not None and self._reading[name] == place:
                (post or self._post)(message)

        self._submit(Job(run, stale=lambda: self._reading[name] != place, stoppable=True))

    def look_up(self, path: str) -> None:
        """Read the access row of the memory under the cursor; writes nothing."""
        self._looked += 1
        place = self._looked
        self._submit(
            Job(
                lambda store: self._tell(AccessKnown(path, store.access_row(path))),
                stale=lambda: place != self._looked,
            )
        )

    def peek(self, path: str) -> None:
        """Read a memory; writes nothing."""

        def look(store: Store) -> None:
            from memhtml_tui.answers import Opened

            try:
                row = store.access_row(path)
                self._tell(MemoryShown(Opened(store.memory(path), row, row, at=self.now())))
            except MemhtmlError as error:
                self._tell(JobFailed(error, path))

        self._submit(Job(look))

    def open(self, path: str, signal: Signal) -> None:
        """Open a memory as an explicit act: read it, count it, and show the access row before and after
        (DESIGN 8).

        A path that is not in the index or whose file cannot be read is refused before anything is written.
        With `--read-only` the memory is shown and the count refused.
        """

        def count(store: Store) -> None:
            from memhtml_core.access.instants import instant
            from memhtml_core.access.reinforce import reinforce
            from memhtml_tui.answers import Opened

            at = self.now()
            try:
                view = store.memory(path)
                before = store.access_row(path)
                if not view.openable:
                    raise PathUnknown(
                        "this path cannot be opened, only looked at", subject=path, remedy="Peek with space"
                    )
            except MemhtmlError as error:
                self._tell(JobFailed(error, path))
                return
            refusal: MemhtmlError | None = None
            result: Reinforced | None = None
            after = before
            if self.read_only:
                refusal = ReadOnly("opened without counting, because this session is read-only", subject=path)
            else:
                try:
                    result = reinforce(store.root, (path,), signal, instant(int(at)))
                    self.writes += len(result.bumped)
                    after = store.access_row(path)
                except MemhtmlError as error:
                    refusal = error
            self._tell(MemoryShown(Opened(view, before, after, signal, result, refusal, at)))

        self._submit(Job(count))

    def reindex(self) -> None:
        """Bring the index up to date, then run the current request again."""
        self._upkeep.reindex()

    def _opened(self, store: Store) -> None:
        ask = store.ask
        self._desk = None if ask is None else EmbeddingDesk(ask, self._options.embed_deadline)
        self.root = store.root
        self.ready = True
        self._tell(StoreReady(store.facts()))
        self._upkeep.opened(store)

    def _browse(self, generation: int) -> None:
        request, sort, offset, falling = self.request, self.sort, self.offset, self.descending

        def read(store: Store) -> None:
            from memhtml_tui.answers import Page

            try:
                listing = store.list(request.scope, sort, offset, PAGE, descending=falling)
                tasks = store.task_facts(listing.rows, request.now)
            except Interrupted:
                return
            except MemhtmlError as error:
                self._tell(AnswerFailed(generation, error))
                return
            self._tell(Listed(generation, Page(request, sort, offset, listing, tasks)))

        self._submit(Job(read, self._older(generation), stoppable=True))

    def _run(self, request: Request, generation: int) -> None:
        stale = self._older(generation)
        stuck = self._desk is not None and self._desk.stuck
        asking = self._desk is not None and not request.like
        ticket = self._desk.ticket(request.query) if self._desk is not None and asking else None

        def first(store: Store) -> None:
            if ticket is not None and not stuck:
                _wait(ticket, GRACE, stale)
            if not self._answer(store, request, generation, ticket):
                settled.append(True)

        def again(store: Store) -> None:
            if not settled:
                self._answer(store, request, generation, ticket)

        settled: list[bool] = []
        self._submit(Job(first, stale, stoppable=True))
        if ticket is not None:
            ticket.when_settled(lambda: self._submit(Job(again, stale, stoppable=True)))

    def full_run(self, store: Store, request: Request) -> Outcome:
        """The answer to another request than the current one, on the store's thread, with the vector that is
        known or comes at once."""
        from memhtml_core.rank.outcome import MissingArm, MissingReason

        vector: bytes | MissingArm | None = None
        if self._desk is not None:
            ticket = self._desk.ticket(request.query)
            ticket.wait(GRACE)
            vector = MissingArm(VECTOR, MissingReason.EMBEDDER_TIMED_OUT, STILL_ASKING)
            if ticket.result is not None:
                vector = ticket.result.missing if ticket.result.blob is None else ticket.result.blob
        return store.search(request, vector)

    def _answer(self, store: Store, request: Request, generation: int, ticket: Ticket | None) -> bool:
        """Search and tell; True where the vector was still missing, so that another run has to follow."""
        from memhtml_core.rank.outcome import MissingArm, MissingReason
        from memhtml_tui.answers import Answer
        from memhtml_tui.refold import folded

        answered = None if ticket is None else ticket.result
        waiting = ticket is not None and answered is None
        vector: bytes | MissingArm | None = None
        if answered is not None:
            vector = answered.missing if answered.blob is None else answered.blob
        elif waiting:
            vector = MissingArm(VECTOR, MissingReason.EMBEDDER_TIMED_OUT, STILL_ASKING)
        try:
            outcome = store.search(request, vector)
            if request.kind == "recall":
                answer = folded(generation, request, outcome, store.materials(outcome), waiting)
            else:
                answer = Answer(generation, request, outcome, None, None, waiting)
        except Interrupted:
            return waiting
        except MemhtmlError as error:
            self._tell(AnswerFailed(generation, error))
            return waiting
        self._tell(Answered(answer))
        return waiting

    def _older(self, generation: int) -> Callable[[], bool]:
        return lambda: generation != self.generation

    def _tell(self, message: Message) -> None:
        self._post(message)


def _wait(ticket: Ticket, seconds: float, stale: Callable[[], bool]) -> None:
    end = time.monotonic() + seconds
    while not stale() and (rest := end - time.monotonic()) > 0 and not ticket.wait(min(rest, 0.02)):
        pass


def _known(error: Exception) -> MemhtmlError:
    if isinstance(error, MemhtmlError):
        return error
    return IndexFault(
        f"something went wrong in the core ({type(error).__name__})",
        subject=str(error) or None,
        remedy="Press r to run again; if it stays, please report it",
    )


__all__ = ["GRACE", "PAGE", "STILL_ASKING", "Opener", "Session", "Store"]
