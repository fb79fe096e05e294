"""Cosines that no kernel can sway: fast by matrix, settled by sequential float64 sums (RETRIEVAL 7).

The reference adds up dot product and norms in index order in doubles. `exact` does the same; the products
of `Cosines` are a few roundings away, so whatever lies within `TIE` of a tie or a threshold is settled by
`exact` (DESIGN 4).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import apsw

TIE = 1e-9
"""Two cosines closer than this are compared by `exact`."""


def exact(left: bytes, right: bytes) -> float:
    """Cosine of two little-endian float32 blobs over the shorter length, in -1 to 1.

    0 where a norm is zero or the result is no number, so an infinite vector is like nothing.
    """
    import numpy

    a, b = _wide(left), _wide(right)
    size = min(len(a), len(b))
    if size == 0:
        return 0.0
    with numpy.errstate(all="ignore"):
        # cumsum adds in index order; dot and sum do not.
        dot = float(numpy.cumsum(a[:size] * b[:size])[-1])
    norms = math.sqrt(_square(left, size)) * math.sqrt(_square(right, size))
    if norms == 0.0:
        return 0.0
    cosine = dot / norms
    return 0.0 if math.isnan(cosine) else max(-1.0, min(1.0, cosine))


class Cosines:
    """Pairwise cosines of some vectors, None for a missing one. Places count as given."""

    def __init__(self, vectors: Sequence[bytes | None]) -> None:
        self._vectors = vectors
        self._units = _units(vectors)
        self._rows: dict[int, Any] = {}

    def has(self, place: int) -> bool:
        """Whether there is a vector at this place."""
        return self._vectors[place] is not None

    def rough(self, place: int) -> Any:
        """Cosines of one vector with all, as float64, within `TIE` of `exact`; 0 where either is missing."""
        if place not in self._rows:
            self._rows[place] = self._row(place)
        return self._rows[place]

    def exact(self, left: int, right: int) -> float:
        """The settled cosine of two vectors, 0.0 where either is missing."""
        a, b = self._vectors[left], self._vectors[right]
        return 0.0 if a is None or b is None else exact(a, b)

    def at_least(self, left: int, right: int, threshold: float) -> bool:
        """Whether the settled cosine reaches the threshold."""
        rough = float(self.rough(left)[right])
        if abs(rough - threshold) > TIE:
            return rough >= threshold
        return self.exact(left, right) >= threshold

    def _row(self, place: int) -> Any:
        import numpy

        if self._units is None:
            return numpy.array([self.exact(place, other) for other in range(len(self._vectors))])
        return numpy.clip(self._units @ self._units[place], -1.0, 1.0)


def register(connection: apsw.Connection) -> None:
    """Give the connection `exact_distance(blob, blob)`: 1 - `exact`, NULL where either is NULL."""
    known = next(
        iter(connection.execute("SELECT 1 FROM pragma_function_list WHERE name = 'exact_distance'")), None
    )
    if known is None:
        connection.create_scalar_function("exact_distance", _distance, 2, deterministic=True)


def _distance(*blobs: Any) -> float | None:
    left, right = blobs
    return None if left is None or right is None else 1.0 - exact(left, right)


def _units(vectors: Sequence[bytes | None]) -> Any:
    """The vectors scaled to length 1, one row each, zeros for no direction; None for mixed lengths."""
    import numpy

    sizes = {len(blob) for blob in vectors if blob is not None}
    if len(sizes) > 1:  # an index written by others may hold odd lengths
        return None
    rows = numpy.zeros((len(vectors), sizes.pop() // 4 if sizes else 0))
    for place, blob in enumerate(vectors):
        if blob is not None:
            rows[place] = _wide(blob)
    rows[~numpy.isfinite(rows).all(axis=1)] = 0.0
    norms = numpy.sqrt(numpy.einsum("ij,ij->i", rows, rows))
    rows /= numpy.where(norms == 0.0, 1.0, norms)[:, None]
    return rows


def _wide(blob: bytes) -> Any:
    import numpy

    return numpy.frombuffer(blob, dtype="<f4", count=len(blob) // 4).astype(numpy.float64)


@lru_cache(maxsize=256)
def _square(blob: bytes, size: int) -> float:
    import numpy

    values = _wide(blob)[:size]
    with numpy.errstate(all="ignore"):
        return float(numpy.cumsum(values * values)[-1])
