"""What the session needs of an open store: the one seam between the app and the core, and the place where
tests put a store made by hand.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

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
    from memhtml_core.index.progress import Progress
    from memhtml_core.pack.build import Materials
    from memhtml_core.rank.outcome import Card, MissingArm, Outcome
    from memhtml_core.rank.request import Request, Scope
    from memhtml_tui.answers import HealthReport, StoreFacts
    from memhtml_tui.embedding import Ask


class Store(Protocol):
    """What the session needs of an open store. Used from the store's thread alone, apart from `interrupt`,
    `embed` and what `ask` returns. None of it writes into the store."""

    @property
    def root(self) -> Path:
        """The store's folder."""

    @property
    def ask(self) -> Ask | None:
        """Text and deadline -> query vector or reason; None where no embedder is to be asked."""

    def search(self, request: Request, query_vector: bytes | MissingArm | None) -> Outcome:
        """Run a request; None as vector lets the ranker name its own reason for the missing arm."""

    def materials(self, outcome: Outcome) -> Materials:
        """The texts that a recall is folded from."""

    def list(
        self, scope: Scope, sort: Sort, offset: int, limit: int, *, descending: bool | None = None
    ) -> Listing:
        """A page of the memories in scope; `descending` None takes the sort's own direction."""

    def task_facts(self, cards: Sequence[Card], now: float) -> Mapping[str, TaskFacts]:
        """Of those cards that are tasks, by path: status, whether overdue, what stands in the way."""

    def scope_counts(self, scope: Scope) -> ScopeCounts:
        """What each value of each axis holds under the rest of the scope."""

    def removed_by(self, scope: Scope) -> tuple[Removed, ...]:
        """What each condition of the scope keeps out."""

    def go_to(self, fragment: str, limit: int) -> tuple[Place, ...]:
        """The memories whose path or title holds the fragment, best first."""

    def why_empty(self, shown: Outcome | Listing, scope: Scope, fresh: Freshness | None) -> WhyEmpty | None:
        """Why there is nothing to show; None where there is. Without `fresh`, staleness is left out."""

    def freshness(self) -> Freshness:
        """How the index stands to the store: a walk of the tree, on a connection of its own, for any
        thread."""

    def memory(self, path: str) -> MemoryView:
        """Read one memory. Raises `PathUnknown`."""

    def chain(self, path: str) -> Chain:
        """What superseded a memory, and what it superseded."""

    def neighbours(self, path: str) -> Neighbours:
        """What is nearest to a memory by its stored vector."""

    def source(self, path: str) -> bytes:
        """The bytes of a memory's file. Raises `StoreError`."""

    def history(self, path: str) -> History:
        """The versions of a memory's file, from git: slow, for any thread."""

    def between(self, older: Version | None, newer: Version) -> Diff:
        """What lies between two versions, from git: slow, for any thread."""

    def access_row(self, path: str) -> AccessRow | None:
        """The access row as the plane has it now."""

    def facts(self) -> StoreFacts:
        """Where, how many, how fresh."""

    def refresh(self, progress: Callable[[Progress], None], cancel: Callable[[], bool]) -> None:
        """Bring the index up to date. Raises `Interrupted` where `cancel` says so; the old one stays."""

    def health(self) -> HealthReport:
        """The state of the store and its index."""

    def follow(
        self, notice: Callable[[Changed], None], announce: Callable[[str], None]
    ) -> Callable[[], None]:
        """Report changes of the store's files from a thread of its own; what is returned ends that."""

    def embed(self, progress: Callable[[Progress], None], cancel: Callable[[], bool]) -> bool:
        """Fetch the vectors that are missing; True where there were any. On a thread and connection of its
        own."""

    def interrupt(self) -> None:
        """Stop the statement that runs."""

    def close(self) -> None:
        """Release everything."""


Opener = Callable[[Callable[["Progress"], None], Callable[[], bool]], Store]
"""Opens a store on the store's thread, reporting how far indexing is; the second argument says when to
give up."""
