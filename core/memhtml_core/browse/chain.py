"""The chain of supersessions through one memory: what replaced it, and what it replaced, step by step.

Only authored `supersedes` links count, as for `Card.superseded_by`. A circle of links ends where it closes.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from memhtml_core.index.database import Database

MAX_STEPS: Final = 50
"""Links in one direction; a longer chain is cut there."""

_WALK = """WITH RECURSIVE walk(path, step) AS (
  VALUES (?1, 0)
  UNION
  SELECT e.{there}, w.step + 1 FROM walk w JOIN edges e ON e.{here} = w.path
  WHERE e.edge_class = 'memory' AND e.rel = 'supersedes' AND e.derived = 0 AND w.step < ?2
)
SELECT w.path, coalesce(t.title, ''), f.id IS NOT NULL, coalesce(f.archived, 0), min(w.step)
FROM walk w LEFT JOIN files f ON f.path = w.path LEFT JOIN file_texts t ON t.file_id = f.id
WHERE w.path <> ?1 GROUP BY w.path ORDER BY min(w.step), w.path"""


@dataclass(frozen=True, slots=True)
class ChainStep:
    """One memory of the chain, `step` links away. `title` is "" where the path is not in the index."""

    path: str
    title: str
    indexed: bool
    archived: bool
    step: int


@dataclass(frozen=True, slots=True)
class Chain:
    """What superseded `path` (`newer`) and what it superseded (`older`), each nearest first, ties by path."""

    path: str
    newer: tuple[ChainStep, ...]
    older: tuple[ChainStep, ...]


def chain(database: Database, path: str) -> Chain:
    """The chain through the memory at `path`; both ends are empty for one that has no such link."""
    return Chain(
        path, _walk(database, path, "dst_path", "src_path"), _walk(database, path, "src_path", "dst_path")
    )


def _walk(database: Database, path: str, here: str, there: str) -> tuple[ChainStep, ...]:
    rows = database.rows(_WALK.format(here=here, there=there), (path, MAX_STEPS))
    return tuple(
        ChainStep(other, title, bool(indexed), bool(archived), step)
        for other, title, indexed, archived, step in rows
    )
