"""From a folder to a store that the session can ask: the only module of the app that opens the core.

It is imported after the first frame, because the core behind it loads SQLite, the HTML parser and the
embedder.
"""

from __future__ import annotations

import atexit
import shutil
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from memhtml_tui.answers import HealthReport, StoreFacts
from memhtml_tui.settings import Options

if TYPE_CHECKING:
    from memhtml_core.access.rows import AccessRow
    from memhtml_core.browse.chain import Chain
    from memhtml_core.browse.empty import WhyEmpty
    from memhtml_core.browse.facets import Removed, ScopeCounts
    from memhtml_core.browse.goto import Place
    from memhtml_core.browse.history import Diff, History, Version
    from memhtml_core.browse.listing import Listing, Sort
    from memhtml_core.browse.memory import MemoryView
    from memhtml_core.browse.neighbours import Neighbours
    from memhtml_core.browse.tasks import TaskFacts
    from memhtml_core.index.follow import Changed
    from memhtml_core.index.freshness import Freshness
    from memhtml_core.index.progress import Cancel, Report
    from memhtml_core.opened import OpenStore
    from memhtml_core.pack.build import Materials
    from memhtml_core.rank.outcome import Card, MissingArm, Outcome
    from memhtml_core.rank.request import Request, Scope
    from memhtml_tui.embedding import Ask
    from memhtml_tui.session import Opener, Store


class AskedStore:
    """An `OpenStore` as `session.Store` wants it."""

    def __init__(self, store: OpenStore, floor: float = 0.95) -> None:
        self._store = store
        self._floor = floor

    @property
    def root(self) -> Path:
        """The store's folder."""
        return self._store.root

    @property
    def ask(self) -> Ask | None:
        """Who is asked for a query vector."""
        return self._store.ask

    def search(self, request: Request, query_vector: bytes | MissingArm | None) -> Outcome:
        """Run a request. The session asks the embedder itself, so nothing waits here."""
        return self._store.search(request, query_vector)

    def materials(self, outcome: Outcome) -> Materials:
        """The texts that a recall is folded from."""
        return self._store.materials(outcome)

    def list(
        self, scope: Scope, sort: Sort, offset: int, limit: int, *, descending: bool | None = None
    ) -> Listing:
        """A page of the memories in scope."""
        return self._store.list(scope, sort, offset, limit, descending=descending)

    def task_facts(self, cards: Sequence[Card], now: float) -> Mapping[str, TaskFacts]:
        """Of those cards that are tasks: status, whether overdue, what stands in the way."""
        from memhtml_core.browse.tasks import task_facts

        return task_facts(self._store.database, cards, now)

    def scope_counts(self, scope: Scope) -> ScopeCounts:
        """What each value of each axis holds under the rest of the scope."""
        return self._store.scope_counts(scope)

    def removed_by(self, scope: Scope) -> tuple[Removed, ...]:
        """What each condition of the scope keeps out."""
        return self._store.removed_by(scope)

    def go_to(self, fragment: str, limit: int) -> tuple[Place, ...]:
        """The memories whose path or title holds the fragment."""
        return self._store.go_to(fragment, limit)

    def why_empty(self, shown: Outcome | Listing, scope: Scope, fresh: Freshness | None) -> WhyEmpty | None:
        """Why there is nothing to show."""
        from memhtml_core.browse.empty import why_no_hits, why_no_rows
        from memhtml_core.browse.listing import Listing

        if isinstance(shown, Listing):
            return why_no_rows(self._store.database, shown, scope, fresh)
        return why_no_hits(self._store.database, shown, fresh, arms=self._store.arms)

    def freshness(self) -> Freshness:
        """How the index stands to the store, read on a connection of its own."""
        from memhtml_core.index.freshness import freshness

        with self._store.location.open(self._store.source) as database:
            return freshness(self._store.tree, database)

    def memory(self, path: str) -> MemoryView:
        """Read one memory."""
        return self._store.memory(path)

    def chain(self, path: str) -> Chain:
        """What superseded a memory, and what it superseded."""
        from memhtml_core.browse.chain import chain

        return chain(self._store.database, path)

    def neighbours(self, path: str) -> Neighbours:
        """What is nearest to a memory by its stored vector."""
        return self._store.neighbours(path)

    def source(self, path: str) -> bytes:
        """The bytes of a memory's file."""
        return self._store.tree.read(path)

    def history(self, path: str) -> History:
        """The versions of a memory's file."""
        from memhtml_core.browse.history import history

        return history(self._store.tree, path)

    def between(self, older: Version | None, newer: Version) -> Diff:
        """What lies between two versions."""
        from memhtml_core.browse.history import version_diff

        return version_diff(self._store.tree, older, newer)

    def access_row(self, path: str) -> AccessRow | None:
        """The access row as the plane has it now."""
        return self._store.access_row(path)

    def facts(self) -> StoreFacts:
        """Where, how many, from which source, how fresh."""
        from memhtml_core.index.freshness import freshness

        store = self._store
        return StoreFacts(
            root=_short(store.root),
            memories=store.report.files,
            source=store.source,
            freshness=freshness_words(freshness(store.tree, store.database)),
            problems=store.report.problems,
            embedder=store.vectors.label,
            arms=tuple((arm.name, arm.letter, arm.label) for arm in store.arms),
        )

    def refresh(self, progress: Report, cancel: Cancel) -> None:
        """Take up what changed in the store."""
        self._store.refresh(progress, cancel)

    def health(self) -> HealthReport:
        """The state of the store and its index."""
        from memhtml_core.browse.health import read_health
        from memhtml_core.browse.timeline import timeline

        store = self._store
        plan, database = store.vectors, store.database
        health = read_health(store.tree, store.location, database, store.usage, plan.space)
        return HealthReport(
            health=health,
            months=timeline(database),
            freshness=freshness_words(health.freshness),
            why=store.report.why,
            embedder=plan.label,
            missing=plan.out,
            foreign=plan.foreign,
            floor=self._floor,
        )

    def follow(
        self, notice: Callable[[Changed], None], announce: Callable[[str], None]
    ) -> Callable[[], None]:
        """Follow the store's files until the returned function is called, which does not wait."""
        from memhtml_core.index.follow import Follower

        follower = Follower(self._store.tree, notice, announce)
        follower.start()
        return lambda: follower.stop(timeout=0.0)

    def embed(self, progress: Report, cancel: Cancel) -> bool:
        """Fetch missing vectors; True where any came. On a connection of its own."""
        report = self._store.embed(progress, cancel)
        return report is not None and report.written > 0

    def interrupt(self) -> None:
        """Stop the statement that runs."""
        self._store.interrupt()

    def close(self) -> None:
        """Release the index."""
        self._store.close()


def opener_of(root: Path, options: Options) -> Opener:
    """Opens the store at `root` as the options say; vectors are fetched later, beside the first searches."""

    def open_it(progress: Report, cancel: Callable[[], bool]) -> Store:
        from memhtml_core.opened import open_store

        return AskedStore(
            open_store(
                root,
                source=options.source,
                embedder=options.embedder,
                state=options.state,
                cache=options.cache,
                embed=False,
                progress=progress,
                cancel=cancel,
            ),
            options.ranking.get("coverage_floor", 0.95),
        )

    return open_it


def chosen(folder: Path | None, options: Options) -> tuple[Opener, Options]:
    """What the start dialog chose: a folder, or a copy of the demo store that lives until the app ends."""
    if folder is not None:
        return opener_of(folder, options), options
    from memhtml_tui.demo_store import copy_demo

    home = Path(tempfile.mkdtemp(prefix="memhtml-tui-demo-"))
    atexit.register(shutil.rmtree, home, ignore_errors=True)
    demo = replace(options, demo=home, cache=home / "cache")
    return opener_of(copy_demo(home), demo), demo


def freshness_words(known: Freshness) -> str:
    """How the index stands to the store, in a few words."""
    words = []
    if known.head is None:
        words.append("no commit" if known.git.startswith("no commit") else "no git")
    elif known.head == known.indexed_head:
        words.append("at HEAD")
    elif known.behind:
        words.append(f"{known.behind} commits behind HEAD")
    else:
        words.append("not at HEAD")
    if known.dirty:
        words.append(f"{known.dirty} uncommitted")
    if known.source == "peer" and known.peer_moved:
        words.append("the peer's index has moved on")
    return ", ".join(words)


def _short(root: Path) -> str:
    """The folder as people write it."""
    from memhtml_core.store.discover import home_folder

    home = home_folder()
    return f"~/{root.relative_to(home)}" if root.is_relative_to(home) and root != home else str(root)
