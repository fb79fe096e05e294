"""The front door of the library: a store, indexed and opened for questions.

    from memhtml_core import Request, open_store

    with open_store("~/memhtml") as store:
        for hit in store.search(Request("one writer, many readers", now=time.time())).hits:
            print(hit.place, hit.card.title)

Everything here reads. The one write into a store is `memhtml_core.access.reinforce.reinforce`, which the
program that a person uses calls for itself, after `OpenStore.memory` has shown that the path may be opened.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType

from memhtml_core.access.plane import Plane, PlaneMode
from memhtml_core.access.rows import AccessRow
from memhtml_core.browse.counts import Counts, count_values
from memhtml_core.browse.facets import Removed, ScopeCounter, ScopeCounts
from memhtml_core.browse.goto import Place, Places
from memhtml_core.browse.listing import Listing, Sort, list_memories
from memhtml_core.browse.memory import MemoryView, read_memory
from memhtml_core.browse.neighbours import Neighbours, neighbours
from memhtml_core.browse.tasks import TaskList, list_tasks
from memhtml_core.embed.choose import Choice, choose, default_embedder
from memhtml_core.embed.protocol import Embedder, Space, Stoppable
from memhtml_core.errors import EmbedError
from memhtml_core.index.build import SourceChoice, build
from memhtml_core.index.database import Database
from memhtml_core.index.location import Location, Source, locate
from memhtml_core.index.progress import Cancel, Report
from memhtml_core.index.report import BuildReport
from memhtml_core.index.usage import UsageState, attach_usage
from memhtml_core.index.vectors import EmbedReport, StoredSpace, embed_missing, spaces
from memhtml_core.pack.build import Materials, materials_of
from memhtml_core.pack.build import build as fold_pack
from memhtml_core.pack.entries import Pack
from memhtml_core.rank.arms import ARMS, Arm
from memhtml_core.rank.outcome import MissingArm, MissingReason, Outcome
from memhtml_core.rank.queryvector import VECTOR, ask
from memhtml_core.rank.request import Request, Scope
from memhtml_core.rank.search import search
from memhtml_core.store.tree import Tree

QUERY_DEADLINE = 8.0
"""Seconds that a search waits for its query vector before it goes on without the vector arm."""

Ask = Callable[[str, float], tuple["bytes | None", "MissingArm | None"]]
"""Query text and seconds -> its vector, or why there is none. Safe on a thread of its own."""


@dataclass(frozen=True, slots=True)
class VectorPlan:
    """Which space the requests name, who can be asked for a query vector, or why nobody can (DESIGN 4).

    `label` says it in words. `foreign` is true where the space is not the one that the agent's own index
    uses.
    """

    space: Space | None
    embedder: Embedder | None
    out: MissingArm | None
    label: str
    foreign: bool = False


class OpenStore:
    """An indexed store, used from one thread: only `interrupt`, `ask` and `embed` may come from others."""

    def __init__(
        self,
        tree: Tree,
        location: Location,
        source: SourceChoice,
        choice: Choice,
        plane: Plane,
        report: BuildReport,
        arms: Sequence[Arm] = ARMS,
        *,
        owns_embedder: bool = False,
    ) -> None:
        self.tree = tree
        self.location = location
        self.plane = plane
        self.arms = arms
        self.report = report
        self._wanted = source
        self._choice = choice
        self._owns_embedder = owns_embedder
        self._database = location.open(report.source)
        self._generation = location.generation(report.source)
        self._usage_version = ""
        self._counter: ScopeCounter | None = None
        self._places: Places | None = None
        self.usage = self._attach()
        self.vectors = vector_plan(choice, spaces(self._database), self._database.meta("peer_embed_model"))

    @property
    def root(self) -> Path:
        """The store's root folder."""
        return self.tree.root

    @property
    def source(self) -> Source:
        """Which source the index was taken from."""
        return self.report.source

    @property
    def database(self) -> Database:
        """The index in force. Another process may have built a newer one since the last call."""
        if self.location.generation(self.source) != self._generation:
            self._reopen()
        return self._database

    @property
    def ask(self) -> Ask | None:
        """Asks the embedder for a query vector; None where no embedder is to be asked."""
        embedder, space = self.vectors.embedder, self.vectors.space
        if embedder is None or space is None:
            return None
        return lambda text, seconds: ask(embedder, text, seconds, space.name)

    def search(
        self,
        request: Request,
        query_vector: bytes | MissingArm | None = None,
        *,
        deadline: float | None = QUERY_DEADLINE,
        cancel: Cancel | None = None,
    ) -> Outcome:
        """Answer a request, search and recall alike. Raises `UsageError`, `IndexFault` or `Interrupted`."""
        database = self.database
        self._refresh_usage()
        return search(
            database,
            request,
            embedder=self.vectors.embedder,
            space=self.vectors.space,
            usage=self.usage.source != "none",
            no_usage=self.usage.detail.removeprefix(MissingReason.NO_STATE_PLANE.value).removeprefix(": "),
            arms=self.arms,
            query_vector=query_vector if query_vector is not None else self.vectors.out,
            deadline=deadline,
            cancel=cancel,
        )

    def pack(self, outcome: Outcome) -> Pack:
        """Fold a recall into its tiers."""
        return fold_pack(self.database, outcome, self.vectors.space)

    def materials(self, outcome: Outcome) -> Materials:
        """What a recall is folded from: packs under other budgets, and the next thresholds, need no more."""
        return materials_of(self.database, outcome, self.vectors.space)

    def list(
        self,
        scope: Scope | None = None,
        sort: Sort = "path",
        offset: int = 0,
        limit: int = 100,
        *,
        descending: bool | None = None,
    ) -> Listing:
        """A page of the memories in scope."""
        database = self.database
        self._refresh_usage()
        return list_memories(
            database,
            scope or Scope(),
            sort,
            offset,
            limit,
            descending=descending,
            usage=self.usage.source != "none",
        )

    def counts(self, scope: Scope | None = None) -> Counts:
        """How many memories each type, workspace, tag, entity and facet value holds under a scope."""
        return count_values(self.database, scope)

    def scope_counts(self, scope: Scope | None = None) -> ScopeCounts:
        """What each value of each axis holds under the rest of a scope; quick from the second call on."""
        return self._counted().counts(scope)

    def removed_by(self, scope: Scope) -> tuple[Removed, ...]:
        """What each condition of a scope keeps out."""
        return self._counted().removed(scope)

    def neighbours(self, path: str, limit: int = 10) -> Neighbours:
        """The memories nearest to one by its stored vector."""
        return neighbours(self.database, path, self.vectors.space, limit)

    def go_to(self, fragment: str, limit: int = 20) -> tuple[Place, ...]:
        """The memories whose path or title holds a fragment, best first; quick from the second call on."""
        database = self.database
        if self._places is None or self._places.database is not database:
            self._places = Places(database)
        return self._places.find(fragment, limit)

    def tasks(self, scope: Scope, now: float, offset: int = 0, limit: int = 100) -> TaskList:
        """The tasks in scope, open ones first, with what each waits for."""
        return list_tasks(self.database, scope, now, offset, limit)

    def memory(self, path: str) -> MemoryView:
        """Read one memory; a peek, nothing is written. Raises `PathUnknown`."""
        return read_memory(self.tree, self.database, self.plane, path)

    def access_row(self, path: str) -> AccessRow | None:
        """The access row of a path as the state plane has it now."""
        return self.plane.row(path)

    def refresh(
        self, progress: Report | None = None, cancel: Cancel | None = None, *, full: bool = False
    ) -> BuildReport:
        """Take up what has changed in the store since; the index in force stays usable until it is done."""
        self.report = build(
            self.tree, self.location, source=self._wanted, progress=progress, cancel=cancel, full=full
        )
        self._reopen()
        return self.report

    def embed(self, progress: Report | None = None, cancel: Cancel | None = None) -> EmbedReport | None:
        """Fetch the vectors that the space lacks; None where no embedder is to be asked.

        Works on a connection of its own, so a search goes on beside it. What is complete stays, whatever
        happens.
        """
        if self.vectors.embedder is None:
            return None
        with self.location.open(self.source, readonly=False) as database:
            return embed_missing(database, self.vectors.embedder, progress, cancel)

    def interrupt(self) -> None:
        """Stop the statement that runs now; its caller gets `Interrupted`."""
        self._database.interrupt()

    def close(self) -> None:
        """Release the index, and end a call that an embedder of this store's own making is still in."""
        embedder = self.vectors.embedder
        if self._owns_embedder and isinstance(embedder, Stoppable):
            embedder.stop()
        self._database.close()

    def __enter__(self) -> OpenStore:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _counted(self) -> ScopeCounter:
        database = self.database
        if self._counter is None or self._counter.database is not database:
            self._counter = ScopeCounter(database)
        return self._counter

    def _reopen(self) -> None:
        fresh = self.location.open(self.source)
        self._database.close()
        self._database = fresh
        self._generation = self.location.generation(self.source)
        self.usage = self._attach()
        self.vectors = vector_plan(
            self._choice, spaces(fresh), fresh.meta("peer_embed_model"), known=self.vectors.embedder
        )

    def _attach(self) -> UsageState:
        self._usage_version = self.plane.version()
        return attach_usage(self._database, self.location, self.plane)

    def _refresh_usage(self) -> None:
        if self.plane.version() != self._usage_version:
            self.usage = self._attach()


def open_store(
    root: str | os.PathLike[str],
    *,
    source: SourceChoice = "auto",
    embedder: Choice | str | None = None,
    state: PlaneMode = "auto",
    cache: Path | None = None,
    embed: bool = True,
    progress: Report | None = None,
    cancel: Cancel | None = None,
    arms: Sequence[Arm] = ARMS,
) -> OpenStore:
    """Bring the index of a store up to date and open it.

    `embedder` is a specification as the command line takes it, or a `Choice`; None means the configured one.
    With `embed`, missing vectors are fetched before this returns; an embedder that fails leaves a visible
    gap, not an error. Raises `StoreError` for a folder that is no readable store, `UsageError` for a
    senseless specification, `IndexFault` where no index can be made.
    """
    tree = Tree(Path(os.path.expanduser(root)))
    location = locate(tree.root, cache)
    choice = embedder if isinstance(embedder, Choice) else choose(embedder, os.environ)
    report = build(tree, location, source=source, progress=progress, cancel=cancel)
    plane = Plane(tree.root, state, scratch=location.folder)
    owned = not isinstance(embedder, Choice)
    store = OpenStore(tree, location, source, choice, plane, report, arms, owns_embedder=owned)
    if embed:
        store.embed(progress, cancel)
    return store


def vector_plan(
    choice: Choice, stored: Sequence[StoredSpace], agents: str | None, *, known: Embedder | None = None
) -> VectorPlan:
    """Settle the one space of the requests: the configured one, else the agent's own, else the offline one.

    `stored` are the spaces of the index, `agents` the space that the store's own index names (None: it has
    none). `known` is an embedder that was asked before: it is kept instead of a new one of the same kind.
    """
    by_name = {each.space.name: each.space for each in reversed(stored)}
    fullest = stored[0].space if stored else None
    own = by_name.get(agents) if agents else None
    if choice.explicit and choice.embedder is None:
        off = MissingArm(VECTOR, MissingReason.EMBEDDER_OFF)
        return VectorPlan(own or fullest, None, off, "off")
    if not choice.explicit and own is not None:
        offline = known or default_embedder()
        if _space_name(offline) != own.name:
            words = f"{own.name} is the agent's space and no embedder for it is configured"
            return VectorPlan(own, None, MissingArm(VECTOR, MissingReason.SPACE_UNASKABLE, words), own.name)
    embedder = known or choice.embedder or default_embedder()
    try:
        space = embedder.space
    except EmbedError as error:
        failed = MissingArm(VECTOR, MissingReason.EMBEDDER_FAILED, str(error))
        return VectorPlan(own or fullest, None, failed, embedder.label)
    return VectorPlan(space, embedder, None, embedder.label, agents is not None and space.name != agents)


def _space_name(embedder: Embedder) -> str | None:
    try:
        return embedder.space.name
    except EmbedError:
        return None


__all__ = ["QUERY_DEADLINE", "OpenStore", "VectorPlan", "open_store", "vector_plan"]
