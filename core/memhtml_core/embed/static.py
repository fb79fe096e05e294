"""The offline default: static word vectors of the installed `wordllama` package, by our own loader.

Weights and tokenizer are found beside that package without importing it (its import configures logging, and
its loader looks for the tokenizer on the network). Their origin stands in NOTICE. It knows which words are
near each other, not what a sentence says.
"""

from __future__ import annotations

import hashlib
import json
import threading
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from memhtml_core.embed.check import check
from memhtml_core.embed.protocol import Space
from memhtml_core.errors import BadVector, EmbedError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

PACKAGE = "wordllama"
MODEL = "wordllama-l2-supercat"
DIM = 256
WEIGHTS = "weights/l2_supercat_256.safetensors"
WEIGHTS_SHA256 = "64b47a2dc493cb8e85944076601189739852d7b64e0e1eedcb1937a251cd9fd5"
TOKENIZER = "tokenizers/l2_supercat_tokenizer_config.json"
TOKENIZER_SHA256 = "bf467c9e0f536bda271283c6ef85eb1a943e3196b621c8a912d64953b205df83"
POOLING = "mean over tokens in float64, unit length, float32; version 1"

_TENSOR = "embedding.weight"
_REMEDY = (
    "Install the program again, or choose another embedder with --embedder (off: without the vector arm)"
)
_ROWS_AT_ONCE = 4096


class StaticEmbedder:
    """Mean of the token vectors of a text, scaled to length one.

    Files are read, and their digests checked, on the first text. A text without any token (the empty one) has
    no vector: `BadVector`, for a query as for a document. Deadlines are not needed: a text takes well under a
    millisecond. Safe to use from several threads.
    """

    def __init__(self, folder: Path | None = None) -> None:
        self._folder = folder
        self._lock = threading.Lock()
        self._loaded: tuple[Any, NDArray[np.float16]] | None = None
        made_of = "\n".join((WEIGHTS_SHA256, TOKENIZER_SHA256, POOLING))
        self._space = Space(f"{MODEL}@{DIM}", DIM, hashlib.sha256(made_of.encode()).hexdigest())

    @property
    def space(self) -> Space:
        """Always the same one: the digests of the files are part of it."""
        return self._space

    @property
    def label(self) -> str:
        """For people."""
        return f"offline static vectors ({self._space.name})"

    def embed_documents(self, texts: Sequence[str], *, deadline: float | None = None) -> list[bytes]:
        """One blob per text; see the protocol."""
        return [self._blob(text) for text in texts]

    def embed_query(self, text: str, *, deadline: float | None = None) -> bytes:
        """As for a document."""
        return self._blob(text)

    def pooled(self, text: str) -> NDArray[np.float64]:
        """The mean token vector before scaling, float64, `DIM` long. Raises `BadVector` without any token."""
        import numpy as np

        tokenizer, weights = self._parts()
        # One text at a time: the batch form starts worker threads, which complain on stderr at the next fork.
        ids = np.asarray(tokenizer.encode(_storable(text), add_special_tokens=False).ids, dtype=np.int64)
        if not len(ids):
            raise BadVector(
                "a text without any word has no vector", remedy="Ask with a word, or by text alone"
            )
        ids = np.clip(ids, 0, len(weights) - 1)
        total = np.zeros(DIM, dtype=np.float64)
        for start in range(0, len(ids), _ROWS_AT_ONCE):
            rows = weights[ids[start : start + _ROWS_AT_ONCE]].astype(np.float64)
            # In token order whatever the length, so that a long text does not depend on the piece size.
            total = np.add.reduce(np.concatenate((total[None], rows)), axis=0)
        return np.asarray(total / len(ids))

    def _blob(self, text: str) -> bytes:
        import numpy as np

        mean = self.pooled(text)
        length = np.linalg.norm(mean[None], axis=1)
        if not length[0] > 0.0:
            raise BadVector("the words of this text cancel out, so it has no vector")
        blob: bytes = (mean / length).astype("<f4").tobytes()
        check(blob, DIM)
        return blob

    def _parts(self) -> tuple[Any, NDArray[np.float16]]:
        with self._lock:
            if self._loaded is None:
                self._loaded = self._load()
            return self._loaded

    def _load(self) -> tuple[Any, NDArray[np.float16]]:
        try:
            from tokenizers import Tokenizer
        except ImportError as error:
            raise EmbedError("the tokenizers library is missing", remedy=_REMEDY) from error
        folder = self._folder or package_folder()
        tokenizer = Tokenizer.from_str(_checked_bytes(folder / TOKENIZER, TOKENIZER_SHA256).decode("utf-8"))
        tokenizer.no_padding()
        tokenizer.no_truncation()
        return tokenizer, read_tensor(_checked_bytes(folder / WEIGHTS, WEIGHTS_SHA256), _TENSOR)


def package_folder() -> Path:
    """Where the package with the weights lies; it is not imported. Raises `EmbedError`."""
    found = find_spec(PACKAGE)
    if found is None or not found.submodule_search_locations:
        raise EmbedError("the offline vectors are not installed", subject=PACKAGE, remedy=_REMEDY)
    return Path(next(iter(found.submodule_search_locations)))


def read_tensor(data: bytes, name: str) -> NDArray[np.float16]:
    """A float16 table of a safetensors file: eight bytes of header length, a JSON header, then the numbers.

    Raises `EmbedError` where the file is something else.
    """
    import numpy as np

    try:
        length = int.from_bytes(data[:8], "little")
        entry = json.loads(data[8 : 8 + length])[name]
        start, stop = (8 + length + int(offset) for offset in entry["data_offsets"])
        if entry["dtype"] != "F16" or not 8 + length <= start <= stop <= len(data):
            raise ValueError(entry["dtype"])
        table: NDArray[np.float16] = np.frombuffer(data[start:stop], dtype="<f2").reshape(entry["shape"])
        return table
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise EmbedError("the weights of the offline vectors cannot be read", remedy=_REMEDY) from error


def _checked_bytes(path: Path, digest: str) -> bytes:
    try:
        data = path.read_bytes()
    except OSError as error:
        reason = error.strerror or type(error).__name__
        raise EmbedError(
            f"a file of the offline vectors cannot be read ({reason})", subject=path.name, remedy=_REMEDY
        ) from error
    if hashlib.sha256(data).hexdigest() != digest:
        raise EmbedError(
            "a file of the offline vectors is not the one this program knows, so its space would be another",
            subject=path.name,
            remedy=_REMEDY,
        )
    return data


def _storable(text: str) -> str:
    """`text` with halves of surrogate pairs replaced, which the tokenizer cannot take."""
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
