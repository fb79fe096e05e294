"""Follows changes of a store's files while somebody looks at it: which memories an update would take up.

The system's own notices (watchfiles) only say when to look; what has changed is found by comparing two walks,
so moved folders, ignored files and bursts of writes all come out right. Where notices cannot be had, the same
walk runs on a timer, and says so. Nothing is written.
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Final, Literal

from memhtml_core.errors import StoreError
from memhtml_core.store.layout import is_indexable
from memhtml_core.store.tree import Tree
from memhtml_core.store.vocabulary import BUCKETS

Mode = Literal["starting", "watching", "polling", "stopped"]

SHARE: Final = 20
"""A poll costs at most one part in so many of the time: a large store is looked at less often."""

_LONGEST_WAIT_MS: Final = 2_000
_LOOK_UP_MS: Final = 1_000


@dataclass(frozen=True, slots=True)
class Changed:
    """Indexable paths that came, changed or went since the last report, in order; none stands in two."""

    added: tuple[str, ...]
    changed: tuple[str, ...]
    removed: tuple[str, ...]

    @property
    def paths(self) -> tuple[str, ...]:
        """All of them, in order."""
        return tuple(sorted((*self.added, *self.changed, *self.removed)))


Notice = Callable[[Changed], None]
Announce = Callable[[str], None]


class Follower:
    """Watches one store on a thread of its own, from `start` to `stop`.

    `notice` gets the changes, `announce` a line for people whenever the way of watching changes; both run on
    that thread. `quiet_s` is how long writes must have paused before they are reported (at the latest after
    two seconds), `poll_s` the pause between looks where polling is needed. `polling` asks for it outright.
    """

    def __init__(
        self,
        tree: Tree,
        notice: Notice,
        announce: Announce | None = None,
        *,
        quiet_s: float = 0.4,
        poll_s: float = 2.0,
        polling: bool = False,
    ) -> None:
        self._tree = tree
        self._notice = notice
        self._announce = announce
        self._quiet_ms = max(1, round(quiet_s * 1_000))
        self._poll_s = poll_s
        self._polling = polling
        self._stop = threading.Event()
        self._thread: threading.Thread | None = None
        self._seen: dict[str, object] = {}
        self._usual = ""
        self.mode: Mode = "starting"
        self.words = "not following changes yet"

    def start(self) -> None:
        """Begin. What has changed before this call is not reported."""
        if self._thread is None:
            self._thread = threading.Thread(target=self._run, name="follow", daemon=True)
            self._thread.start()

    def stop(self, timeout: float = 5.0) -> None:
        """End, and wait for the thread; a second call does nothing. Not to be called from `notice`."""
        self._stop.set()
        if self._thread is not None:
            self._thread.join(timeout)

    def _run(self) -> None:
        try:
            self._seen = self._look() or {}
            why = "asked for" if self._polling else self._watch()
            if why:
                self._poll(why)
        finally:
            self._say("stopped", "not following changes")

    def _watch(self) -> str:
        """Follow by notices until stopped; gives why that is not possible, "" once stopped."""
        try:
            import watchfiles
        except ImportError:
            return "watchfiles is not installed"
        try:
            while not self._stop.is_set():
                buckets = self._buckets()
                if not buckets:
                    return "the store has no folder to watch yet"
                notices = watchfiles.watch(
                    *buckets,
                    watch_filter=None,
                    debounce=_LONGEST_WAIT_MS,
                    step=self._quiet_ms,
                    stop_event=self._stop,
                    rust_timeout=_LOOK_UP_MS,
                    yield_on_timeout=True,
                    raise_interrupt=False,
                )
                first = True
                for events in notices:
                    # Once at the start too: something may have changed before the notices began.
                    if first or self._matters(path for _, path in events):
                        self._compare()
                    if first:
                        self._settle("watching", "following changes as they happen")
                        first = False
                    if self._buckets() != buckets:
                        self._compare()
                        break
        except (OSError, RuntimeError) as trouble:
            return f"the system gives no notice: {trouble}"
        return ""

    def _poll(self, why: str) -> None:
        """Look on a timer until stopped."""
        self._settle("polling", f"looking for changes every {self._poll_s:g} s ({why})")
        pause = self._poll_s
        while not self._stop.wait(pause):
            began = time.monotonic()
            self._compare()
            pause = max(self._poll_s, SHARE * (time.monotonic() - began))

    def _matters(self, paths: Iterable[str]) -> bool:
        """Whether any of these can be a memory, or a folder that came, went or moved with memories in it."""
        for path in paths:
            inside = os.path.relpath(path, self._tree.root).replace(os.sep, "/")
            if is_indexable(inside) or not os.path.isfile(path):
                return True
        return False

    def _compare(self) -> None:
        now = self._look()
        if now is None:
            return
        before, self._seen = self._seen, now
        found = Changed(
            added=tuple(sorted(now.keys() - before.keys())),
            changed=tuple(sorted(path for path in now.keys() & before.keys() if now[path] != before[path])),
            removed=tuple(sorted(before.keys() - now.keys())),
        )
        if found.paths and not self._stop.is_set():
            self._notice(found)

    def _look(self) -> dict[str, object] | None:
        """What lies there now; None where the store cannot be looked at, which is announced."""
        try:
            if not self._tree.root.is_dir():
                self._say(self.mode, "the store's folder is not there")
                return None
            walk = self._tree.walk()
        except StoreError as trouble:
            self._say(self.mode, f"changes cannot be followed: {trouble}")
            return None
        if self._usual:
            self._say(self.mode, self._usual)
        found: dict[str, object] = {file.path: file for file in walk.files}
        found.update((each.path, each) for each in walk.problems if is_indexable(each.path))
        return found

    def _buckets(self) -> list[str]:
        places = (self._tree.root / bucket for bucket in BUCKETS)
        return [str(place) for place in places if place.is_dir() and not place.is_symlink()]

    def _settle(self, mode: Mode, words: str) -> None:
        """How it is followed from now on; said again after a trouble has passed."""
        self._usual = words
        self._say(mode, words)

    def _say(self, mode: Mode, words: str) -> None:
        if (mode, words) != (self.mode, self.words):
            self.mode, self.words = mode, words
            if self._announce is not None:
                self._announce(words)
