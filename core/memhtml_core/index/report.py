"""What a build did, as frozen data."""

from __future__ import annotations

from dataclasses import dataclass

from memhtml_core.index.location import Source


@dataclass(frozen=True, slots=True)
class Changes:
    """How the indexed files differ from the pass before; a moved file counts once, and only as moved."""

    added: int = 0
    changed: int = 0
    moved: int = 0
    removed: int = 0
    unchanged: int = 0

    @property
    def any(self) -> bool:
        """Whether anything differs."""
        return bool(self.added or self.changed or self.moved or self.removed)


@dataclass(frozen=True, slots=True)
class BuildReport:
    """The result of `build`.

    `why` says in words why this source was taken where the caller left the choice. `full` tells a build
    from nothing from an update. `files`, `problems`, `chunks` and `vectors` are what the index holds now.
    `head_sha` is the commit that the index stands for, None without git or commits; `dirty` counts the
    memories of the working tree that differ from it, None where git cannot tell. `generation` is the number
    of the index file in force, `rate` files per second. `notes` are further remarks for people.
    """

    source: Source
    why: str
    full: bool
    changes: Changes
    files: int
    problems: int
    chunks: int
    vectors: int
    head_sha: str | None
    dirty: int | None
    generation: int
    seconds: float
    rate: float
    notes: tuple[str, ...] = ()


def compare(before: dict[str, str], after: dict[str, str]) -> Changes:
    """Changes between two maps of path to blob id; a path gone and one come with the same blob are a move."""
    gone: dict[str, int] = {}
    for path, blob in before.items():
        if path not in after:
            gone[blob] = gone.get(blob, 0) + 1
    removed = sum(gone.values())
    added = changed = moved = unchanged = 0
    for path, blob in after.items():
        if path in before:
            unchanged += before[path] == blob
            changed += before[path] != blob
        elif gone.get(blob):
            gone[blob] -= 1
            moved += 1
        else:
            added += 1
    return Changes(added, changed, moved, removed - moved, unchanged)
