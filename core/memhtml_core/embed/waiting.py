"""A call that may hang, bounded: it runs on a thread of its own and is left behind when its time is up."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from queue import Empty, SimpleQueue
from typing import TypeVar

from memhtml_core.errors import EmbedError, EmbedTimeout

T = TypeVar("T")

_GLANCE_S = 0.05


def within(seconds: float | None, what: str, call: Callable[[], T], stop: threading.Event | None = None) -> T:
    """The result of `call`, or `EmbedTimeout` after `seconds` (None: no limit, and no thread).

    Name resolution and a server that sends one byte now and then cannot be interrupted, so the thread is
    abandoned; it is a daemon and does not hold up the end of the program. An error of the call is raised
    here. Setting `stop` ends the waiting with an `EmbedError`.
    """
    if seconds is None:
        return call()
    answers: SimpleQueue[tuple[T, None] | tuple[None, BaseException]] = SimpleQueue()

    def run() -> None:
        try:
            answers.put((call(), None))
        except BaseException as error:
            answers.put((None, error))

    if seconds > 0:
        threading.Thread(target=run, name="memhtml-embed", daemon=True).start()
    until = time.monotonic() + seconds
    while (left := until - time.monotonic()) > 0:
        try:
            value, error = answers.get(timeout=left if stop is None else min(left, _GLANCE_S))
        except Empty:
            if stop is not None and stop.is_set():
                raise stopped(what) from None
            continue
        if error is not None:
            raise error
        return value  # type: ignore[return-value]
    raise late(what)


def stopped(what: str) -> EmbedError:
    """The error for an embedder that its user told to stop."""
    return EmbedError(
        f"{what} was stopped", remedy="What was embedded before is kept; run it again for the rest"
    )


def late(what: str) -> EmbedTimeout:
    """The error for an embedder that did not answer in time."""
    return EmbedTimeout(
        f"{what} did not answer within its time limit",
        remedy="Text, recency and salience answer without it; try again, or raise the limit",
    )
