"""What git can say about a store, as plain records: its state, its blobs, what changed, who wrote."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

State = Literal["ready", "no git", "no repository", "not trusted", "bare", "failed"]
Dirt = Literal["changed", "added", "deleted", "untracked", "unmerged"]


@dataclass(frozen=True, slots=True)
class Repository:
    """The state of the repository around a store; `detail` has git's own words where it is not ready."""

    state: State
    detail: str = ""
    head: str | None = None
    branch: str | None = None
    shallow: bool = False
    worktree: bool = False
    submodule: bool = False
    operation: str | None = None

    @property
    def detached(self) -> bool:
        """Whether HEAD names a commit and no branch."""
        return self.state == "ready" and self.branch is None

    @property
    def unborn(self) -> bool:
        """Whether there is no commit yet."""
        return self.state == "ready" and self.head is None

    @property
    def words(self) -> str:
        """One line for people."""
        if self.state != "ready":
            return {
                "no git": "no git command, so history is off",
                "no repository": "not a git repository, so history is off",
                "not trusted": "git does not trust the owner of this repository, so history is off",
                "bare": "a bare repository, which has no working tree",
                "failed": f"git failed, so history is off: {self.detail}",
            }[self.state]
        if self.head is None:
            place = f"no commit yet on {self.branch}"
        elif self.branch is None:
            place = f"detached at {self.head[:7]}"
        else:
            place = f"on {self.branch}"
        marks = [
            f"{self.operation} in progress" if self.operation else "",
            "linked worktree" if self.worktree else "",
            "submodule" if self.submodule else "",
            "shallow" if self.shallow else "",
        ]
        return ", ".join([place, *filter(None, marks)])


@dataclass(frozen=True, slots=True)
class TreeEntry:
    """One blob of a commit; `mode` is git's octal text, `120000` for a symlink."""

    path: str
    blob_sha: str
    mode: str


@dataclass(frozen=True, slots=True)
class DirtyFile:
    """A path whose working file, staged entry and commit disagree; a rename is one deleted and one added."""

    path: str
    change: Dirt


@dataclass(frozen=True, slots=True)
class Change:
    """A path that differs between two commits: A, M, D, T or R, which alone has a `source`, the old path."""

    status: str
    path: str
    source: str | None = None


@dataclass(frozen=True, slots=True)
class Commit:
    """One commit that touched a memory; `at` is the committer's instant with zone, `path` that of then.

    `status` is what it did to the file: A (also the arrival of a move), M, D or T, "" for a merge that git
    shows no change of. `blob` is the id of the bytes after it, "" where there are none or git does not say.
    """

    sha: str
    at: str
    author: str
    subject: str
    path: str
    status: str = ""
    blob: str = ""
