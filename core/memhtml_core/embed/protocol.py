"""What an embedder is: text in, vectors of one named space out (DESIGN 4, issue "Embedders").

An embedder never answers with a vector that is zero, not finite or of the wrong length: it raises instead.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol, runtime_checkable


@dataclass(frozen=True, slots=True)
class Space:
    """Identity of a vector space: `name` is `model@dim`, `digest` what makes them ("" = unverified)."""

    name: str
    dim: int
    digest: str = ""


@runtime_checkable
class Stoppable(Protocol):
    """An embedder that waits for others, and can be told to give up."""

    def stop(self) -> None:
        """End the call that another thread is in, and every later one, with an `EmbedError`."""
        ...


@runtime_checkable
class Embedder(Protocol):
    """Turns text into vectors.

    `space` may cost a call the first time where the dimension is only known by asking. Both methods return
    one float32 little-endian blob of `4 * space.dim` bytes per text. `deadline` is in seconds from now, None
    for no limit. Raises `EmbedError` (failed), `EmbedTimeout` (late) or `BadVector` (zero, not finite, wrong
    length).
    """

    @property
    def space(self) -> Space:
        """The space whose vectors this embedder makes."""
        ...

    @property
    def label(self) -> str:
        """A few words for people: which embedder, where."""
        ...

    def embed_documents(self, texts: Sequence[str], *, deadline: float | None = None) -> list[bytes]:
        """Vectors of stored texts, in their order."""
        ...

    def embed_query(self, text: str, *, deadline: float | None = None) -> bytes:
        """The vector of a query; the empty text is embedded too."""
        ...
