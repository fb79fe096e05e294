"""Keeps index and vectors of the open store up to date: when a person asks, after changes on disk, and beside
the first searches. Nothing here writes into the store.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import TYPE_CHECKING

from textual.message import Message

from memhtml_core.errors import Interrupted, MemhtmlError
from memhtml_tui.jobs import Job
from memhtml_tui.messages import Following, JobFailed, StoreProgress, StoreReady, Told

if TYPE_CHECKING:
    from memhtml_core.index.follow import Changed
    from memhtml_core.index.progress import Progress
    from memhtml_tui.settings import Options
    from memhtml_tui.stores import Store


class Upkeep:
    """`submit` puts a job on the store's thread, `reopened` is called there once an update is in force."""

    def __init__(
        self,
        options: Options,
        tell: Callable[[Message], None],
        submit: Callable[[Job[Store]], None],
        reopened: Callable[[Store], None],
    ) -> None:
        self._options = options
        self._tell = tell
        self._submit = submit
        self._reopened = reopened
        self._halted = threading.Event()
        self._closing = False
        self._updating = False
        self._embedding = False
        self._unfollow: Callable[[], None] | None = None

    @property
    def working(self) -> bool:
        """Whether an update or the fetching of vectors is under way."""
        return self._updating or self._embedding

    def opened(self, store: Store) -> None:
        """Fetch missing vectors beside the searches, and follow the store's files from the first time on."""
        if self._options.follow and self._unfollow is None and not self._closing:
            self._unfollow = store.follow(self._changed, lambda words: self._tell(Following(words)))
        if store.ask is not None and self._options.embed and not self._embedding:
            self._halted.clear()
            self._embedding = True
            threading.Thread(target=self._embed, args=(store,), name="memhtml-vectors", daemon=True).start()

    def reindex(self) -> None:
        """Bring the index up to date, with its progress told."""
        self._update(lambda progress: self._tell(StoreProgress(progress)), "")

    def halt(self) -> bool:
        """Stop an update or the fetching of vectors; False where neither runs. What is done stays."""
        if self.working:
            self._halted.set()
        return self.working

    def close(self) -> None:
        """Stop everything for good."""
        self._closing = True
        if self._unfollow is not None:
            self._unfollow()

    def _changed(self, changed: Changed) -> None:
        """Files came, changed or went: take them up without a word but one at the end."""
        parts = []
        for paths, did in ((changed.added, "new"), (changed.changed, "changed"), (changed.removed, "gone")):
            if paths:
                parts.append(f"{len(paths)} {did}")
        self._update(lambda progress: None, f"on disk: {', '.join(parts)}; the index has followed")

    def _update(self, progress: Callable[[Progress], None], words: str) -> None:
        def update(store: Store) -> None:
            self._halted.clear()
            self._updating = True
            try:
                store.refresh(progress, self._stopped)
            except Interrupted as error:
                self._tell(Told(str(error)))
            except MemhtmlError as error:
                self._tell(JobFailed(error, "index"))
            else:
                if words:
                    self._tell(Told(words))
            finally:
                self._updating = False
            self._reopened(store)

        self._submit(Job(update))

    def _embed(self, store: Store) -> None:
        """Fetch missing vectors, then let the current request use them."""
        try:
            changed = store.embed(lambda progress: self._tell(StoreProgress(progress)), self._stopped)
        except MemhtmlError as error:
            self._tell(JobFailed(error, "vectors"))
            changed = True
        finally:
            self._embedding = False
            self._tell(StoreProgress(None))
        if (changed or self._halted.is_set()) and not self._closing:
            self._submit(Job(lambda store: self._tell(StoreReady(store.facts()))))

    def _stopped(self) -> bool:
        return self._closing or self._halted.is_set()
