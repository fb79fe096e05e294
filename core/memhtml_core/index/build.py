"""Builds and updates the index of a store from one of its two sources (DESIGN 4).

A full build fills a new file and puts it in force at the end; an update of the tree is one transaction in
the file in force. Either way a crash, an error or a cancellation leaves what was there before.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from memhtml_core.errors import IndexDamaged, PeerIndexUnusable
from memhtml_core.index import vectors
from memhtml_core.index.database import Database, create
from memhtml_core.index.listing import Listing, list_tree, note_unindexed
from memhtml_core.index.location import Location, Source, remove_database
from memhtml_core.index.peer import PeerIndex, copy_peer, open_peer, peer_key, take_vectors
from memhtml_core.index.progress import Cancel, Progress, Report
from memhtml_core.index.project import instant
from memhtml_core.index.report import BuildReport, Changes, compare
from memhtml_core.index.treepass import TreePass
from memhtml_core.store.tree import Tree

SourceChoice = Literal["tree", "peer", "auto"]


def build(
    store: Tree,
    location: Location,
    *,
    source: SourceChoice = "auto",
    progress: Report | None = None,
    full: bool = False,
    cancel: Cancel | None = None,
) -> BuildReport:
    """Bring the index of a store up to date, from nothing where there is none or where `full` says so.

    `auto` takes the peer's index when it is there, readable and of a known schema, else the tree, and says
    why. Raises `PeerIndexUnusable` for source "peer" alone, `Interrupted` when `cancel` says so,
    `IndexFault` where the cache cannot be written, `StoreError` where the store cannot be read.
    """
    with location.lock(cancel, lambda: _tell(progress, "wait for another process")):
        work = _Work(store, location, progress, cancel, full, time.monotonic())
        if source == "tree":
            return work.tree("the tree was asked for")
        if source == "peer":
            return work.peer("the peer's index was asked for")
        try:
            return work.peer("the peer's index is there and readable")
        except PeerIndexUnusable as error:
            return work.tree(error.what)


def _tell(progress: Report | None, phase: str) -> None:
    if progress is not None:
        progress(Progress(phase, 0, None, 0.0))


@dataclass(frozen=True, slots=True)
class _Filled:
    """What filling an index gave, beside its rows."""

    changes: Changes
    notes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Work:
    """One call of `build`, under the lock."""

    store: Tree
    location: Location
    progress: Report | None
    cancel: Cancel | None
    full: bool
    began: float

    def tree(self, why: str) -> BuildReport:
        listing = list_tree(self.store, self.progress, self.cancel)

        def fill(database: Database) -> _Filled:
            with database.transaction():
                changes = TreePass(listing, database, self.progress, self.cancel).run()
                self._stamp(database, "tree", listing)
            return _Filled(changes, self._peer_vectors(database, changes))

        notes: tuple[str, ...] = ()
        if not self.full and self.location.current("tree") is not None:
            try:
                with self.location.open("tree", readonly=False) as database:
                    return self._report(database, "tree", why, listing, fill(database), full=False)
            except IndexDamaged as error:
                notes = (f"built from nothing: {error.what}",)
        return self._aside("tree", why, listing, fill, notes)

    def peer(self, why: str) -> BuildReport:
        key = peer_key(self.store.root)
        if key is None:
            # Says why, before a walk and a new file are spent on it.
            with open_peer(self.store.root, self.location.folder):
                pass
        notes: tuple[str, ...] = ()
        if not self.full and self.location.current("peer") is not None:
            try:
                with self.location.open("peer", readonly=False) as database:
                    if database.meta("peer_key") == key:
                        listing = list_tree(self.store, self.progress, self.cancel)
                        with database.transaction():
                            note_unindexed(database, listing, self.progress, self.cancel)
                        same = int(database.scalar("SELECT count(*) FROM files"))
                        filled = _Filled(Changes(unchanged=same), _peer_words(database))
                        return self._report(database, "peer", why, listing, filled, full=False)
            except IndexDamaged as error:
                notes = (f"built from nothing: {error.what}",)
        before = self._blobs("peer")
        listing = list_tree(self.store, self.progress, self.cancel)

        def fill(database: Database) -> _Filled:
            peer, copied = copy_peer(
                self.store.root, self.location.folder, database, self.progress, self.cancel
            )
            with database.transaction():
                note_unindexed(database, listing, self.progress, self.cancel)
                _stamp_peer(database, peer, copied.refused)
                for name, value in (
                    ("source", "peer"),
                    ("head_sha", peer.head_sha),
                    ("built_at", peer.rebuilt_at),
                    ("updated_at", peer.updated_at),
                ):
                    database.set_meta(name, value)
            return _Filled(compare(before, _blobs(database)), _peer_words(database))

        return self._aside("peer", why, listing, fill, notes)

    def _aside(
        self,
        source: Source,
        why: str,
        listing: Listing,
        fill: Callable[[Database], _Filled],
        notes: tuple[str, ...],
    ) -> BuildReport:
        """Fill a new index file, take over the vectors of the others, and put it in force."""
        path = self.location.reserve(source)
        try:
            with create(path) as database:
                filled = fill(database)
                _tell(self.progress, "carry vectors over")
                notes += self._carry(database, source, "tree") + self._carry(database, source, "peer")
                database.seal()
                report = self._report(
                    database, source, why, listing, _Filled(filled.changes, filled.notes + notes), full=True
                )
            self.location.adopt(source, path)
        except BaseException:
            remove_database(path)
            raise
        self.location.sweep()
        return report

    def _carry(self, database: Database, into: Source, source: Source) -> tuple[str, ...]:
        """Take over the vectors of the index in force; what the peer lacks stays lacking here too."""
        path = self.location.current(source)
        if path is None:
            return ()
        try:
            self.location.open(source).close()  # of this version and sound, or there is nothing to take
            vectors.carry(database, path, unverified=into == "tree")
        except IndexDamaged as error:
            return (f"vectors of the former {source} index are lost: {error.what}",)
        return ()

    def _peer_vectors(self, database: Database, changes: Changes) -> tuple[str, ...]:
        """Take the vectors that the peer's index holds for chunks of ours, where either side has changed."""
        key = peer_key(self.store.root)
        if key is None or (database.meta("peer_key") == key and not changes.any):
            return ()
        _tell(self.progress, "take the peer's vectors")
        try:
            with database.transaction():
                peer, _, refused = take_vectors(self.store.root, self.location.folder, database)
                _stamp_peer(database, peer, refused)
        except PeerIndexUnusable as error:
            return (f"no vectors from there: {error.what}",)
        return _peer_words(database)

    def _blobs(self, source: Source) -> dict[str, str]:
        """Path and blob id of what is in force, nothing where that cannot be read."""
        if self.location.current(source) is None:
            return {}
        try:
            with self.location.open(source) as database:
                return _blobs(database)
        except IndexDamaged:
            return {}

    def _stamp(self, database: Database, source: Source, listing: Listing) -> None:
        now = instant()
        database.set_meta("source", source)
        database.set_meta("head_sha", listing.head)
        database.set_meta("updated_at", now)
        if database.meta("built_at") is None:
            database.set_meta("built_at", now)

    def _report(
        self, database: Database, source: Source, why: str, listing: Listing, filled: _Filled, *, full: bool
    ) -> BuildReport:
        seconds = time.monotonic() - self.began
        files, problems, chunks, held = (
            int(database.scalar(f"SELECT count(*) FROM {table}"))
            for table in ("files", "problems", "chunks", "vectors")
        )
        handled = filled.changes.added + filled.changes.changed + filled.changes.moved
        return BuildReport(
            source=source,
            why=why,
            full=full,
            changes=filled.changes,
            files=files,
            problems=problems,
            chunks=chunks,
            vectors=held,
            head_sha=database.meta("head_sha"),
            dirty=listing.dirty,
            generation=int(database.path.stem.rpartition("-")[2]),
            seconds=seconds,
            rate=(files if full else handled) / max(seconds, 1e-6),
            notes=(*listing.notes, *filled.notes),
        )


def _blobs(database: Database) -> dict[str, str]:
    sql = "SELECT f.path, d.blob_sha FROM files f JOIN file_details d ON d.file_id = f.id"
    return dict(database.rows(sql))


def _stamp_peer(database: Database, peer: PeerIndex, refused: int) -> None:
    database.set_meta("peer_key", peer.key)
    database.set_meta("peer_embed_model", peer.embed_model)
    database.set_meta("peer_embed_dim", None if peer.embed_dim is None else str(peer.embed_dim))
    database.set_meta("peer_words", peer.words or None)
    database.set_meta("vectors_refused", str(refused) if refused else None)


def _peer_words(database: Database) -> tuple[str, ...]:
    refused = database.meta("vectors_refused")
    words = database.meta("peer_words")
    notes = [words] if words else []
    if refused:
        notes.append(f"vectors of the peer's index left out for their length: {refused}")
    return tuple(notes)
