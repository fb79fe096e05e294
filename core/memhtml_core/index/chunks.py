"""Text into chunks, the pieces that get a vector each (STORE_FORMAT 4).

Lengths are UTF-16 units. A cut may leave half a character in `Chunk.text`, exactly as the reference cuts.
"""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass

from memhtml_core.store.text import JS_WHITESPACE, js_trim, utf16_length

CHUNK_UNITS = 1_800
"""The most UTF-16 units that a chunk holds."""

_SENTENCE_END = re.compile(f"(?<=[.!?])[{JS_WHITESPACE}]+")


@dataclass(frozen=True, slots=True)
class Chunk:
    """A piece of a memory's text; `ordinal` counts from 0, `char_count` in UTF-16 units."""

    ordinal: int
    text: str
    char_count: int


def split(body_text: str) -> list[Chunk]:
    """The chunks of a text: sentences packed greedily up to `CHUNK_UNITS` units; none for blank text."""
    text = js_trim(body_text)
    if not text:
        return []
    if utf16_length(text) <= CHUNK_UNITS:
        return [Chunk(0, text, utf16_length(text))]
    packed: list[tuple[str, int]] = []
    for piece in _pieces(text):
        length = utf16_length(piece)
        if packed and packed[-1][1] + 1 + length <= CHUNK_UNITS:
            packed[-1] = (f"{packed[-1][0]} {piece}", packed[-1][1] + 1 + length)
        else:
            packed.append((piece, length))
    return [Chunk(ordinal, piece, length) for ordinal, (piece, length) in enumerate(packed)]


def chunk_key(content_hash: str, ordinal: int) -> str:
    """The reference's chunk id: SHA-256 in hex over content hash (with its prefix) and ordinal."""
    return hashlib.sha256(f"{content_hash}:{ordinal}".encode()).hexdigest()


def _pieces(text: str) -> list[str]:
    """Sentences, trimmed, none blank, those beyond the limit cut every `CHUNK_UNITS` units."""
    pieces: list[str] = []
    for sentence in _SENTENCE_END.split(text):
        sentence = js_trim(sentence)
        if utf16_length(sentence) > CHUNK_UNITS:
            units = sentence.encode("utf-16-le", "surrogatepass")  # once: a sentence may be megabytes long
            step = 2 * CHUNK_UNITS
            cuts = (units[at : at + step] for at in range(0, len(units), step))
            pieces += (cut.decode("utf-16-le", "surrogatepass") for cut in cuts)
        elif sentence:
            pieces.append(sentence)
    return pieces
