"""How far an index stands behind its store: asked without writing anything, there or in the cache."""

from __future__ import annotations

from dataclasses import dataclass

from memhtml_core.errors import StoreError
from memhtml_core.index.database import Database
from memhtml_core.index.listing import list_tree
from memhtml_core.index.location import Source
from memhtml_core.index.peer import peer_key
from memhtml_core.store.tree import Tree


@dataclass(frozen=True, slots=True)
class Freshness:
    """Where index and store stand.

    `head` is the commit that HEAD names and `indexed_head` the one that the index stands for; `behind`
    counts the commits between them, `dirty` the memories of the working tree that differ from HEAD. Each is
    None where git cannot tell. `pending` counts the files that an update of a tree index would take up,
    None for a peer's. `peer_moved` says whether the peer's index was written since ours read it, None where
    there is none. `git` says in words what git knows, `notes` what could not be found out.
    """

    source: Source
    head: str | None
    indexed_head: str | None
    behind: int | None
    dirty: int | None
    pending: int | None
    peer_moved: bool | None
    problems: int
    built_at: str | None
    updated_at: str | None
    git: str
    notes: tuple[str, ...] = ()

    @property
    def current(self) -> bool:
        """Whether what the index says is what its source holds now."""
        if self.source == "tree":
            return not self.pending and self.head == self.indexed_head
        return not self.peer_moved and not self.dirty and self.head == self.indexed_head


def freshness(store: Tree, database: Database) -> Freshness:
    """Compare an index with its store: a walk and a few calls of git. Raises `IndexFault`, `StoreError`."""
    source: Source = "peer" if database.meta("source") == "peer" else "tree"
    listing = list_tree(store)
    notes = list(listing.notes)
    indexed = database.meta("head_sha")
    behind: int | None = None
    if indexed is not None and listing.head is not None:
        try:
            behind = 0 if indexed == listing.head else store.git.count_commits(indexed)
        except StoreError as error:
            notes.append(error.what)
    key, read = peer_key(store.root), database.meta("peer_key")
    return Freshness(
        source=source,
        head=listing.head,
        indexed_head=indexed,
        behind=behind,
        dirty=listing.dirty,
        pending=len(listing.differing(database)) if source == "tree" else None,
        peer_moved=None if key is None else key != read,
        problems=int(database.scalar("SELECT count(*) FROM problems")),
        built_at=database.meta("built_at"),
        updated_at=database.meta("updated_at"),
        git=store.git.describe().words,
        notes=tuple(notes),
    )
