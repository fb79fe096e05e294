"""The query's vector, asked for beside the search: a hung embedder never holds up a result (DESIGN 3,
"Flow").

A `Ticket` is one question to the embedder. The search waits for it a moment and goes on without; when the
answer comes, the search is run again with it. After the deadline the ticket says *timed out*, whether or
not the call ever returns.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from memhtml_core.rank.outcome import MissingArm

VECTOR = "vector"
_AT_ONCE = 2
_HUNG_AT_MOST = 6
_KEPT = 64


@dataclass(frozen=True, slots=True)
class QueryVector:
    """What an embedder said to a query: its vector, or why there is none."""

    blob: bytes | None
    missing: MissingArm | None


Ask = Callable[[str, float], tuple["bytes | None", "MissingArm | None"]]
"""Text and deadline in seconds -> vector or reason. Called on a thread of its own; may hang."""


class Ticket:
    """One question. `result` is None until it is answered or late."""

    def __init__(self, text: str) -> None:
        self.text = text
        self._lock = threading.Lock()
        self._done = threading.Event()
        self._result: QueryVector | None = None
        self._listeners: list[Callable[[], None]] = []

    @property
    def result(self) -> QueryVector | None:
        """The answer, once there is one."""
        return self._result

    def wait(self, seconds: float) -> bool:
        """Wait for the answer; False where it is not there in time."""
        return self._done.wait(seconds)

    def settle(self, result: QueryVector) -> None:
        """Answer the ticket; only the first answer counts."""
        with self._lock:
            if self._result is not None:
                return
            self._result = result
            listeners, self._listeners = self._listeners, []
        self._done.set()
        for listener in listeners:
            listener()

    def when_settled(self, listener: Callable[[], None]) -> None:
        """Call `listener` once the ticket has its answer, at once if it has."""
        with self._lock:
            if self._result is None:
                self._listeners.append(listener)
                return
        listener()


class EmbeddingDesk:
    """Hands out tickets. At most two calls are under way within their deadline, and the newest text waits
    for a place; calls that hang beyond it are left alone, six at most."""

    def __init__(self, ask: Ask, deadline: float) -> None:
        self._ask = ask
        self._deadline = deadline
        self._lock = threading.Lock()
        self._calls: dict[Ticket, bool] = {}
        self._waiting: Ticket | None = None
        self._known: OrderedDict[str, QueryVector] = OrderedDict()

    @property
    def stuck(self) -> bool:
        """Whether any call is still out: no use in waiting for the next one."""
        with self._lock:
            return bool(self._calls)

    def ticket(self, text: str) -> Ticket:
        """A ticket for `text`; settled already where the vector is known."""
        ticket = Ticket(text)
        with self._lock:
            known = self._known.get(text)
            if known is not None:
                self._known.move_to_end(text)
            else:
                self._waiting = ticket
        if known is not None:
            ticket.settle(known)
            return ticket
        timer = threading.Timer(self._deadline, self._expire, (ticket,))
        timer.daemon = True
        ticket.when_settled(timer.cancel)
        timer.start()
        self._start_waiting()
        return ticket

    def _start_waiting(self) -> None:
        with self._lock:
            ticket = self._waiting
            in_time = sum(self._calls.values())
            if ticket is None or in_time >= _AT_ONCE or len(self._calls) - in_time >= _HUNG_AT_MOST:
                return
            self._waiting = None
            self._calls[ticket] = True
        threading.Thread(target=self._call, args=(ticket,), name="memhtml-embed", daemon=True).start()

    def _call(self, ticket: Ticket) -> None:
        from memhtml_core.rank.outcome import MissingArm, MissingReason

        try:
            answer = QueryVector(*self._ask(ticket.text, self._deadline))
        except Exception as error:  # a plug-in may raise anything; its words become the arm's reason
            answer = QueryVector(None, MissingArm(VECTOR, MissingReason.EMBEDDER_FAILED, str(error)))
        with self._lock:
            self._calls.pop(ticket, None)
            if answer.blob is not None:
                self._known[ticket.text] = answer
                while len(self._known) > _KEPT:
                    self._known.popitem(last=False)
        ticket.settle(answer)
        self._start_waiting()

    def _expire(self, ticket: Ticket) -> None:
        from memhtml_core.rank.outcome import MissingArm, MissingReason

        with self._lock:
            if ticket in self._calls:
                self._calls[ticket] = False
            if self._waiting is ticket:
                self._waiting = None
        late = f"no answer within {self._deadline:g} s"
        ticket.settle(QueryVector(None, MissingArm(VECTOR, MissingReason.EMBEDDER_TIMED_OUT, late)))
        self._start_waiting()
