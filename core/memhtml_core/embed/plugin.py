"""An embedder of one's own: a Python file with MODEL, DIM and embed(text) (DESIGN 10).

The file is run as it is, with the rights of this program: it is named on the command line or in the settings,
never taken from a store.
"""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

from memhtml_core.embed.check import check, packed
from memhtml_core.embed.protocol import Space
from memhtml_core.embed.waiting import within
from memhtml_core.errors import BadVector, EmbedError, EmbedTimeout, UsageError


class PluginEmbedder:
    """Calls `embed(text)` of a plug-in once per text; it gives `DIM` numbers, or their float32 bytes.

    The space is `MODEL` where that names its dimension already (`name@dim`), else `MODEL@DIM`. It has no
    digest, because nothing is known of what makes the vectors; so it matches vectors of a peer by name alone.
    An empty text is passed on like any other. Raises `UsageError` where the file is no plug-in.
    """

    def __init__(self, file: Path) -> None:
        self._file = file
        module = _load(file)
        model, dim, embed = (getattr(module, name, None) for name in ("MODEL", "DIM", "embed"))
        if not isinstance(model, str) or not model or not _is_dim(dim) or not callable(embed):
            raise UsageError(
                "the plug-in lacks one of MODEL (a text), DIM (a whole number above 0) and embed(text)",
                subject=str(file),
                remedy="Add it; an example is in the documentation of --embedder",
            )
        assert isinstance(dim, int)
        if "@" in model and model.rpartition("@")[2] != str(dim):
            raise UsageError(
                f"the plug-in's MODEL says {model} and its DIM says {dim}",
                subject=str(file),
                remedy="Let them agree",
            )
        self._embed: Callable[[str], Any] = embed
        self._space = Space(model if "@" in model else f"{model}@{dim}", dim)

    @property
    def space(self) -> Space:
        """As the file states it."""
        return self._space

    @property
    def label(self) -> str:
        """For people."""
        return f"{self._space.name} by {self._file.name}"

    def embed_documents(self, texts: Sequence[str], *, deadline: float | None = None) -> list[bytes]:
        """One blob per text; see the protocol."""
        return within(deadline, self.label, lambda: [self._blob(text) for text in texts])

    def embed_query(self, text: str, *, deadline: float | None = None) -> bytes:
        """As for a document."""
        return within(deadline, self.label, lambda: self._blob(text))

    def _blob(self, text: str) -> bytes:
        try:
            vector = self._embed(text)
        except (BadVector, EmbedTimeout):
            raise
        except (Exception, SystemExit) as error:
            # Its words may repeat the text, so only the kind of error is told.
            raise EmbedError(
                f"the plug-in failed with {type(error).__name__}",
                subject=self._file.name,
                remedy="Mend the plug-in",
            ) from None
        if isinstance(vector, bytes | bytearray | memoryview):
            blob = bytes(vector)
            check(blob, self._space.dim)
            return blob
        return packed(vector, self._space.dim)


def _is_dim(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value > 0


def _load(file: Path) -> ModuleType:
    try:
        source = file.read_bytes()
    except OSError as error:
        raise UsageError(
            f"the plug-in cannot be read ({error.strerror or type(error).__name__})",
            subject=str(file),
            remedy="Name a Python file after python:",
        ) from error
    module = ModuleType("memhtml_embedder_" + hashlib.sha256(bytes(file.absolute())).hexdigest()[:16])
    module.__file__ = str(file)
    # Registered as dataclasses and pickling expect. Compiled here and not imported, so that no `__pycache__`
    # appears beside a file that may lie in a store.
    sys.modules[module.__name__] = module
    try:
        exec(compile(source, str(file), "exec"), module.__dict__)
    except (Exception, SystemExit) as error:
        del sys.modules[module.__name__]
        raise UsageError(
            f"the plug-in does not load ({type(error).__name__}: {error})",
            subject=str(file),
            remedy="Mend the file",
        ) from error
    return module
