"""The door for vectors: nothing zero, infinite, undefined or of the wrong length comes in (DESIGN 11).

One such vector would put an undefined distance into the vector arm, and what sorts beside it is chance.
"""

from __future__ import annotations

from collections.abc import Sequence

from memhtml_core.errors import BadVector


def check(blob: bytes, dim: int) -> None:
    """Refuses a vector: `blob` has to hold `dim` finite little-endian float32 values that are not all zero.

    A vector whose squares underflow to nothing in double precision has no direction either and is refused
    like a zero one. Raises `BadVector`.
    """
    import numpy as np

    if len(blob) != 4 * dim:
        raise BadVector(
            f"a vector of {len(blob)} bytes where {dim} values ({4 * dim} bytes) are due",
            remedy="The model may have changed under its name; name the right one, or index again with it",
        )
    values = np.frombuffer(blob, dtype="<f4").astype(np.float64)
    if not np.isfinite(values).all():
        raise BadVector(
            "a vector that holds NaN or infinity", remedy="Ask the embedder's maker; it is not stored"
        )
    if not float(values @ values) > 0.0:
        raise BadVector(
            "a vector of zeros, which has no direction", remedy="It is not stored and not searched with"
        )


def packed(values: Sequence[float], dim: int) -> bytes:
    """`values` as a checked blob of `dim` little-endian float32 values. Raises `BadVector`."""
    import numpy as np

    try:
        with np.errstate(over="ignore"):
            vector = np.asarray(values, dtype=np.float64).astype("<f4")
    except (TypeError, ValueError, OverflowError) as error:
        raise BadVector("a vector that is not a row of numbers") from error
    if vector.ndim != 1:
        raise BadVector("a vector that is not a row of numbers")
    blob = vector.tobytes()
    check(blob, dim)
    return blob
