"""Every error that the core raises: what happened, to which file or key, and what to do next.

Callers print `str(error)`; the command line turns `exit_code` into its exit status. Text from a store may
stand in `subject`, so whoever prints it to a terminal cleans it first.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar


class MemhtmlError(Exception):
    """Root of the hierarchy.

    `what` says what happened, `subject` to which file or key, `remedy` what to do next.
    """

    exit_code: ClassVar[int] = 1

    def __init__(self, what: str, *, subject: str | None = None, remedy: str | None = None) -> None:
        self.what = what
        self.subject = subject
        self.remedy = remedy
        super().__init__(what, subject, remedy)

    def __str__(self) -> str:
        head = self.what if self.subject is None else f"{self.what}: {self.subject}"
        return head if self.remedy is None else f"{head}. {self.remedy}"


class UsageError(MemhtmlError):
    """A request, a scope, a flag or a setting that cannot be meant."""

    exit_code = 2


class StoreError(MemhtmlError):
    """A store that is not there or cannot be read."""

    exit_code = 3


class PathUnknown(MemhtmlError):
    """A memory path that is not in the current index, or whose file cannot be read."""


class DocumentRefused(MemhtmlError):
    """A file that is no valid memory; `violations` holds the codes of STORE_FORMAT 2.3, in their order."""

    def __init__(self, path: str, violations: Sequence[str]) -> None:
        self.path = path
        self.violations = tuple(violations)
        super().__init__(
            "not a valid memory (" + ", ".join(self.violations) + ")",
            subject=path,
            remedy="Mend the file and index again; until then it is listed as a problem and never ranked",
        )

    def __reduce__(self) -> tuple[type[DocumentRefused], tuple[str, tuple[str, ...]]]:
        return type(self), (self.path, self.violations)


class IndexFault(MemhtmlError):
    """Our own index cannot be opened, built or read."""


class IndexDamaged(IndexFault):
    """Our own index is broken or of another schema version; a full build replaces it and loses nothing."""


class PeerIndexUnusable(IndexFault):
    """The store's own `index.db` is locked, damaged, half-written or of an unknown schema; the tree works."""


class Interrupted(MemhtmlError):
    """A build or a search was stopped by its caller; what was complete before it is still in place."""

    exit_code = 130


class EmbedError(MemhtmlError):
    """An embedder that did not give usable vectors."""


class EmbedTimeout(EmbedError):
    """An embedder that did not answer within its time limit."""


class BadVector(EmbedError):
    """A vector of the wrong length, zero, or holding NaN or infinity: refused at the door."""


class AccessError(MemhtmlError):
    """The state plane could not be read or written; nothing was changed."""


class PlaneLocked(AccessError):
    """Another process holds the state plane; the same call may go through later."""


class ReadOnly(AccessError):
    """The session was opened so that no access row is written: read-only, or without its state plane."""
