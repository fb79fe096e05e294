"""What the session fetches for the Memory and the Pack view beside their answers: frozen, each on request."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from textual.message import Message

if TYPE_CHECKING:
    from memhtml_core.browse.chain import Chain
    from memhtml_core.browse.history import Diff, History
    from memhtml_core.browse.neighbours import Neighbours


@dataclass(frozen=True, slots=True)
class Around:
    """What stands around a memory: its chain of supersessions, and what is near it by vector."""

    path: str
    chain: Chain
    neighbours: Neighbours


@dataclass(frozen=True, slots=True)
class Past:
    """The git history of a memory's file."""

    path: str
    history: History


@dataclass(frozen=True, slots=True)
class Between:
    """What lies between two versions of a memory's file."""

    path: str
    diff: Diff


@dataclass(frozen=True, slots=True)
class Source:
    """The bytes of a memory's file as they lie there, and where: `file` is absolute and inside the store."""

    path: str
    file: Path
    data: bytes
    edit: bool = False


@dataclass(frozen=True, slots=True)
class Written:
    """A file that was exported, and how many bytes it has."""

    file: Path
    size: int


class Fetched(Message):
    """Something that a view asked for beside its answer."""

    def __init__(self, value: Around | Past | Between | Source | Written) -> None:
        super().__init__()
        self.value = value
