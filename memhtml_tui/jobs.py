"""The one thread that talks to the store: a queue of jobs, of which a superseded search can be stopped
half-way.

A store is used from one thread (one SQLite connection), so every read and the one write go through here.
Thread workers of the framework do not stop when they are cancelled (they run on beside their successors),
hence a thread of our own.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, TypeVar

T = TypeVar("T")


def _never() -> bool:
    return False


@dataclass(frozen=True)
class Job(Generic[T]):
    """Work on a store. A job that has become `stale` before it starts is dropped; `stoppable` says whether
    `interrupt` may hit it while it runs (never a write)."""

    run: Callable[[T], None]
    stale: Callable[[], bool] = _never
    stoppable: bool = False


class StoreThread(Generic[T]):
    """Opens a store on a thread of its own, then runs jobs on it in the order given until `close`.

    `open_it` runs on the thread; where it raises, `opened_with(error)` is called and the thread ends.
    `failed` gets what a job raised; a job that can be expected to fail reports for itself.
    """

    def __init__(
        self,
        open_it: Callable[[], T],
        *,
        on_open: Callable[[T], None],
        on_refused: Callable[[Exception], None],
        on_fault: Callable[[Exception], None],
        interrupt: Callable[[T], None],
        close: Callable[[T], None],
    ) -> None:
        self._open_it = open_it
        self._on_open = on_open
        self._on_refused = on_refused
        self._on_fault = on_fault
        self._interrupt = interrupt
        self._close = close
        self._jobs: deque[Job[T]] = deque()
        self._state = threading.Condition()
        self._running: Job[T] | None = None
        self._store: T | None = None
        self._ending = False
        self._thread = threading.Thread(target=self._main, name="memhtml-store", daemon=True)

    def start(self) -> None:
        """Begin to open the store."""
        self._thread.start()

    def submit(self, job: Job[T]) -> None:
        """Queue a job; ignored once closing."""
        with self._state:
            if not self._ending:
                self._jobs.append(job)
                self._state.notify()

    def stop_stale(self) -> None:
        """Interrupt the running job if it is stoppable and stale.

        The lock is held meanwhile, so that the interrupt cannot hit the next job.
        """
        with self._state:
            job = self._running
            if job is not None and job.stoppable and job.stale() and self._store is not None:
                self._interrupt(self._store)

    @property
    def busy(self) -> bool:
        """Whether a job runs or waits."""
        with self._state:
            return self._running is not None or bool(self._jobs)

    def close(self, timeout: float = 2.0) -> bool:
        """End after the running job and close the store; False where that took longer than `timeout`
        seconds."""
        with self._state:
            self._ending = True
            self._jobs.clear()
            if self._running is not None and self._running.stoppable and self._store is not None:
                self._interrupt(self._store)
            self._state.notify()
        if self._thread.is_alive():
            self._thread.join(timeout)
        return not self._thread.is_alive()

    def _main(self) -> None:
        try:
            store = self._open_it()
        except Exception as error:
            self._on_refused(error)
            return
        with self._state:
            self._store = store
        self._on_open(store)
        while (job := self._next()) is not None:
            try:
                if not job.stale():
                    job.run(store)
            except Exception as error:
                self._on_fault(error)
        self._close(store)

    def _next(self) -> Job[T] | None:
        with self._state:
            self._running = None
            while not self._jobs and not self._ending:
                self._state.wait()
            if self._ending:
                return None
            self._running = self._jobs.popleft()
            return self._running
