"""One memory for reading: its structure, what its head states, its links, its access row. A peek: nothing
is written.

What is on disk counts; where it differs from the index, or has no valid form, the view says so (DESIGN 8,
11).
"""

from __future__ import annotations

import json
from dataclasses import dataclass

from memhtml_core.access.plane import Plane
from memhtml_core.access.rows import AccessRow
from memhtml_core.browse.blocks import Block, Paragraph, Run, read_blocks
from memhtml_core.errors import DocumentRefused, PathUnknown, StoreError
from memhtml_core.index.database import Database
from memhtml_core.rank.cards import hydrate
from memhtml_core.rank.outcome import Card
from memhtml_core.store.document import read_document
from memhtml_core.store.layout import normalize_path
from memhtml_core.store.memory import Memory
from memhtml_core.store.tree import Tree


@dataclass(frozen=True, slots=True)
class EdgeView:
    """One link to or from the memory. `other` is the path at its other end, `title` "" where none is indexed.

    `derived` edges were mined by the agent's curation, the others stand in a file's head.
    """

    rel: str
    edge_class: str
    other: str
    title: str
    indexed: bool
    archived: bool
    derived: bool
    strength: float


@dataclass(frozen=True, slots=True)
class Problem:
    """Why a file is not in the index: `reason` of the `problems` table, its codes or the path it doubles."""

    reason: str
    violations: tuple[str, ...]
    detail: str


@dataclass(frozen=True, slots=True)
class MemoryView:
    """Everything about one path.

    `memory` is the file as parsed, None when it is refused (then `problem` has the violations) or gone.
    `card` is the index row, None when the path is not in the index. `stale` is true when file and index
    differ, `gone` when the file cannot be read; `blocks` is then what the index has of its text. `access` is
    None without an access row.
    """

    path: str
    title: str
    memory: Memory | None
    card: Card | None
    problem: Problem | None
    blocks: tuple[Block, ...]
    links_out: tuple[EdgeView, ...]
    links_in: tuple[EdgeView, ...]
    access: AccessRow | None
    stale: bool
    gone: bool

    @property
    def openable(self) -> bool:
        """Whether an open is allowed: the path is in the index and its file can be read (DESIGN 8)."""
        return self.card is not None and not self.gone


def read_memory(tree: Tree, database: Database, plane: Plane | None, path: str) -> MemoryView:
    """The view of a path. Raises `PathUnknown` when neither the index nor its problems nor the tree know
    it.
    """
    path = normalize_path(path)
    card = hydrate(database, [path]).get(path)
    problem = _problem(database, path)
    memory, blocks, gone = None, _indexed_text(database, path), False
    try:
        data = tree.read(path)
        blocks = read_blocks(data)
        memory = read_document(data, path)
    except StoreError:
        gone = True
    except DocumentRefused as refused:
        problem = problem or Problem("refused", refused.violations, "")
    if gone and card is None and problem is None:
        raise PathUnknown(
            "no such memory", subject=path, remedy="`list` shows the paths, `index` takes up new files"
        )
    return MemoryView(
        path=path,
        title=memory.title if memory else card.title if card else "",
        memory=memory,
        card=card,
        problem=problem,
        blocks=blocks,
        links_out=_edges(database, path, "src_path", "dst_path"),
        links_in=_edges(database, path, "dst_path", "src_path"),
        access=plane.row(path) if plane else None,
        stale=card is not None and _is_stale(database, path, memory),
        gone=gone,
    )


def _problem(database: Database, path: str) -> Problem | None:
    row = database.one("SELECT reason, violations, detail FROM problems WHERE path = ?1", (path,))
    return None if row is None else Problem(row[0], tuple(json.loads(row[1])), row[2])


def _is_stale(database: Database, path: str, memory: Memory | None) -> bool:
    indexed = database.scalar(
        "SELECT d.blob_sha FROM files f JOIN file_details d ON d.file_id = f.id WHERE f.path = ?1", (path,)
    )
    return memory is None or indexed != memory.blob_sha


def _indexed_text(database: Database, path: str) -> tuple[Block, ...]:
    text = database.scalar(
        "SELECT t.body_text FROM files f JOIN file_texts t ON t.file_id = f.id WHERE f.path = ?1", (path,)
    )
    return (Paragraph((Run(text),)),) if text else ()


def _edges(database: Database, path: str, here: str, there: str) -> tuple[EdgeView, ...]:
    rows = database.rows(
        f"SELECT e.rel, e.edge_class, e.{there}, coalesce(t.title, ''), f.id IS NOT NULL, "
        "coalesce(f.archived, 0), e.derived, e.strength "
        f"FROM edges e LEFT JOIN files f ON f.path = e.{there} LEFT JOIN file_texts t ON t.file_id = f.id "
        f"WHERE e.{here} = ?1 ORDER BY e.derived, e.rel, e.{there}",
        (path,),
    )
    return tuple(
        EdgeView(rel, edge_class, other, title, bool(indexed), bool(archived), bool(derived), float(strength))
        for rel, edge_class, other, title, indexed, archived, derived, strength in rows
    )
