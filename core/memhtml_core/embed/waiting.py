"""A call that may hang, bounded: it runs on a thread of its own and is left behind when its time is up."""

from __future__ import annotations

import threading
from collections.abc import Callable
from queue import Empty, SimpleQueue
from typing import TypeVar

from memhtml_core.errors import EmbedTimeout

T = TypeVar("T")


def within(seconds: float | None, what: str, call: Callable[[], T]) -> T:
    """The result of `call`, or `EmbedTimeout` after `seconds` (None: no limit, and no thread).

    Name resolution and a server that sends one byte now and then cannot be interrupted, so the thread is
    abandoned; it is a daemon and does not hold up the end of the program. An error of the call is raised
    here.
    """
    if seconds is None:
        return call()
    if seconds <= 0:
        raise late(what)
    answers: SimpleQueue[tuple[T, None] | tuple[None, BaseException]] = SimpleQueue()

    def run() -> None:
        try:
            answers.put((call(), None))
        except BaseException as error:
            answers.put((None, error))

    threading.Thread(target=run, name="memhtml-embed", daemon=True).start()
    try:
        value, error = answers.get(timeout=seconds)
    except Empty:
        raise late(what) from None
    if error is not None:
        raise error
    return value  # type: ignore[return-value]


def late(what: str) -> EmbedTimeout:
    """The error for an embedder that did not answer in time."""
    return EmbedTimeout(
        f"{what} did not answer within its time limit",
        remedy="Text, recency and salience answer without it; try again, or raise the limit",
    )
