"""Canonical text, which every projection and the content hash are made of (STORE_FORMAT 2.4 and 2.5)."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import Final

from memhtml_core.store.html import Element
from memhtml_core.store.text import collapse, flat
from memhtml_core.store.vocabulary import INLINE

_CODE: Final = frozenset({"pre", "code"})


def canonical(
    stream: Sequence[Element | str], start: int = 0, stop: int | None = None, *, skip_code: bool = False
) -> str:
    """The text of `stream[start:stop]`, which must hold whole elements.

    Elements outside the inline set separate words; white space runs become one space except inside `<pre>`.
    With `skip_code` what stands in `<pre>` and `<code>` is left out.
    """
    segments: list[tuple[bool, list[str]]] = []
    pieces: list[str] = []
    pre = 0
    was_verbatim: bool | None = None
    position = start
    stop = len(stream) if stop is None else stop
    while position < stop:
        item = stream[position]
        if type(item) is str:
            text, verbatim = item, pre > 0
        else:
            assert isinstance(item, Element)
            tag = item.tag
            if skip_code and tag in _CODE:
                position = item.end + 1
                continue
            if tag == "pre":
                pre += 1 if item.start == position else -1
            elif tag in INLINE:
                position += 1
                continue
            text, verbatim = " ", False
        if verbatim is not was_verbatim:
            pieces = []
            segments.append((verbatim, pieces))
            was_verbatim = verbatim
        pieces.append(text)
        position += 1
    return _joined(segments)


def _joined(segments: list[tuple[bool, list[str]]]) -> str:
    texts = ["".join(pieces) if verbatim else collapse("".join(pieces)) for verbatim, pieces in segments]
    if texts and not segments[0][0]:
        texts[0] = texts[0].removeprefix(" ")
    if texts and not segments[-1][0]:
        texts[-1] = texts[-1].removesuffix(" ")
    return "".join(texts)


def text_of(stream: Sequence[Element | str], element: Element, *, skip_code: bool = False) -> str:
    """The canonical text of one element as one line."""
    return flat(canonical(stream, element.start, element.end + 1, skip_code=skip_code))


def content_hash(text: str) -> str:
    """`sha256:` and the hex digest of a canonical text."""
    return "sha256:" + hashlib.sha256(text.encode("utf-8")).hexdigest()
