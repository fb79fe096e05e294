"""What a pass has to know of the working tree: a walk with change signatures, and what git says beside."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from memhtml_core.errors import DocumentRefused, StoreError
from memhtml_core.index.database import Database
from memhtml_core.index.progress import Cancel, Meter, Report
from memhtml_core.store.document import blob_sha, read_document
from memhtml_core.store.git import Git
from memhtml_core.store.layout import is_indexable
from memhtml_core.store.memory import Memory
from memhtml_core.store.tree import Tree, TreeFile, Walk

RACY_NS = 2_000_000_000
"""A file touched this shortly before the walk may change again and keep its times: it is read once more."""

_OWN_REFUSALS = frozenset({"too-large", "too-deep"})


@dataclass(frozen=True, slots=True)
class Entry:
    """A file to index. `signature` moves whenever the file does; "" stands for "cannot be told, read it"."""

    path: str
    signature: str


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why a file of the tree is not in the index: the columns of `problems` beside its path.

    `reason` is refused, duplicate, too-deep or one of `TreeProblem`; `codes` are its violations, or the
    path that a duplicate doubles; `content_hash` is set for a duplicate alone.
    """

    reason: str
    blob: str = ""
    codes: tuple[str, ...] = ()
    detail: str = ""
    content_hash: str = ""


@dataclass(frozen=True, slots=True)
class Listing:
    """The tree as one walk found it, in bytewise path order.

    `problems` are what the walk itself could not take. `head` is the commit that HEAD names, `dirty` the
    number of memories that differ from it; both are None where git cannot tell.
    """

    store: Tree
    files: Sequence[Entry]
    problems: Mapping[str, Refusal]
    head: str | None = None
    dirty: int | None = None
    notes: tuple[str, ...] = ()

    def look(self, path: str, known: str = "") -> tuple[str, Memory | Refusal | None] | None:
        """The blob id of a file ("" where it cannot be read) and what it is; None for a file that is gone.

        A file whose blob id is `known` is not parsed again; its second part is None.
        """
        try:
            data = self.store.read(path)
        except DocumentRefused as refused:
            return "", _refusal("", refused)
        except StoreError as error:
            if not os.path.lexists(self.store.root / path):
                return None
            return "", Refusal("unreadable", detail=error.what)
        blob = blob_sha(data)
        return blob, None if blob == known else judge(path, data, blob)

    def differing(self, database: Database) -> list[str]:
        """Paths that an index of the tree does not hold as they are; read where times cannot tell."""
        rows = database.rows("SELECT path, signature, blob_sha FROM seen")
        seen = {path: (signature, blob) for path, signature, blob in rows}
        found = []
        for entry in self.files:
            signature, blob = seen.pop(entry.path, ("", None))
            if entry.signature and entry.signature == signature:
                continue
            now = self.look(entry.path, blob or "")
            if now is None or blob is None or now[0] != blob:
                found.append(entry.path)
        found += [path for path in self.problems if seen.pop(path, None) is None]
        return sorted([*found, *seen])


def judge(path: str, data: bytes, blob: str) -> Memory | Refusal:
    """The memory that the bytes hold, or why they hold none."""
    try:
        return read_document(data, path, blob_sha=blob)
    except DocumentRefused as refused:
        return _refusal(blob, refused)


def list_tree(store: Tree, progress: Report | None = None, cancel: Cancel | None = None) -> Listing:
    """Walk the tree and ask git for HEAD and what differs from it; nothing is written.

    Where git fails half way, the walk goes on without it and a note says so.
    """
    meter = Meter("walk", None, progress, cancel)
    began = time.time_ns()
    notes: list[str] = []
    try:
        walk = store.walk()
    except StoreError as error:
        notes.append(f"git cannot say which files are ignored, so none is left out: {error.what}")
        walk = Tree(store.root, git=_Deaf(store.root)).walk()
    meter.add(len(walk.files))
    head, dirty = store.git.head(), None
    try:
        if head is not None:
            dirty = sum(is_indexable(file.path) for file in store.git.dirty())
    except StoreError as error:
        notes.append(f"git cannot say which files differ from HEAD: {error.what}")
    meter.stop_if_asked()
    return Listing(store, _entries(walk, began), _problems(walk), head, dirty, tuple(notes))


def note_unindexed(
    database: Database, listing: Listing, progress: Report | None = None, cancel: Cancel | None = None
) -> None:
    """Fill `problems` for an index that was not made from the tree: what the tree holds and the index does
    not.

    A valid file that the index merely does not have yet is no problem. Needs an open transaction.
    """
    there = {row[0] for row in database.rows("SELECT path FROM files")}
    absent = [entry.path for entry in listing.files if entry.path not in there]
    meter = Meter("look at files that are not indexed", len(absent), progress, cancel)
    database.run("DELETE FROM problems")
    for path, refusal in listing.problems.items():
        if path not in there:
            write_problem(database, path, refusal)
    for path in absent:
        found = listing.look(path)
        verdict = (
            _double(database, found[1]) if found and isinstance(found[1], Memory) else found and found[1]
        )
        if isinstance(verdict, Refusal):
            write_problem(database, path, verdict)
        meter.add()


def write_problem(database: Database, path: str, refusal: Refusal) -> None:
    """Write or replace the row of a file that is not in the index."""
    codes = json.dumps(refusal.codes, ensure_ascii=False)
    database.run(
        "INSERT OR REPLACE INTO problems VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
        (path, refusal.blob, refusal.reason, codes, refusal.detail, refusal.content_hash),
    )


def _double(database: Database, memory: Memory) -> Refusal | None:
    """The refusal of an active memory whose text another active one in the index has (DESIGN 11)."""
    if memory.archived or memory.memory_type == "task":
        return None
    first = database.scalar(
        "SELECT f.path FROM files f JOIN file_details d ON d.file_id = f.id "
        "WHERE d.content_hash = ?1 AND f.archived = 0 AND f.memory_type <> 'task' ORDER BY f.path",
        (memory.content_hash,),
    )
    if first is None:
        return None
    return Refusal("duplicate", memory.blob_sha, (first,), content_hash=memory.content_hash)


def _refusal(blob: str, refused: DocumentRefused) -> Refusal:
    own = next((code for code in refused.violations if code in _OWN_REFUSALS), "refused")
    return Refusal(own, blob, refused.violations)


def _entries(walk: Walk, began: int) -> list[Entry]:
    return [Entry(file.path, _signature(file, began)) for file in walk.files]


def _problems(walk: Walk) -> dict[str, Refusal]:
    return {problem.path: Refusal(problem.reason, detail=problem.detail) for problem in walk.problems}


def _signature(file: TreeFile, began: int) -> str:
    if max(file.mtime_ns, file.ctime_ns) > began - RACY_NS:
        return ""
    return f"{file.size}:{file.mtime_ns}:{file.ctime_ns}:{file.inode}"


class _Deaf(Git):
    """Git that is not asked which files are ignored."""

    def ignored(self) -> frozenset[str]:
        return frozenset()
