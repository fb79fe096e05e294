"""How far an index stands behind its store: asked without writing anything, neither there nor in the cache."""

from __future__ import annotations

from dataclasses import dataclass

from memhtml_core.errors import StoreError
from memhtml_core.index.database import Database
from memhtml_core.index.location import Source
from memhtml_core.index.peer import peer_key
from memhtml_core.store.layout import is_indexable
from memhtml_core.store.tree import Tree


@dataclass(frozen=True, slots=True)
class Freshness:
    """Where index and store stand.

    `head` is the commit that HEAD names and `indexed_head` the one that the index stands for; `behind` counts the
    commits between them, `dirty` the memories of the working tree that differ from HEAD. Each is None where git
    cannot tell. `peer_moved` is true when the peer's index has been written since it was read, None where there
    is none. `git` says in words what git knows, `notes` what could not be found out.
    """

    source: Source
    head: str | None
    indexed_head: str | None
    behind: int | None
    dirty: int | None
    peer_moved: bool | None
    problems: int
    built_at: str | None
    updated_at: str | None
    git: str
    notes: tuple[str, ...] = ()

    @property
    def current(self) -> bool:
        """Whether nothing is known that an update would change: same commit, no dirty memory, peer at rest."""
        moved = self.peer_moved if self.source == "peer" else False
        return self.head == self.indexed_head and not self.dirty and not moved


def freshness(store: Tree, database: Database) -> Freshness:
    """Compare an index with its store. Costs a few calls of git. Raises `IndexFault`."""
    repository = store.git.describe()
    indexed = database.meta("head_sha")
    behind: int | None = None
    dirty: int | None = None
    notes: list[str] = []
    try:
        if repository.head is not None:
            dirty = sum(is_indexable(file.path) for file in store.git.dirty())
            if indexed is not None:
                behind = 0 if indexed == repository.head else store.git.count_commits(indexed)
    except StoreError as error:
        notes.append(error.what)
    key, read = peer_key(store.root), database.meta("peer_key")
    return Freshness(
        source="peer" if database.meta("source") == "peer" else "tree",
        head=repository.head,
        indexed_head=indexed,
        behind=behind,
        dirty=dirty,
        peer_moved=None if key is None else key != read,
        problems=int(database.scalar("SELECT count(*) FROM problems")),
        built_at=database.meta("built_at"),
        updated_at=database.meta("updated_at"),
        git=repository.words,
        notes=tuple(notes),
    )
