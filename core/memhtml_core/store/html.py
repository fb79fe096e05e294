"""HTML5 bytes -> one flat stream of a document; the only module that knows the parser.

The tree is never walked by recursion, so a deep file costs no call stack. The parser itself needs time that
grows with the square of the nesting and, for formatting elements that are never closed, room that grows
with their number times what follows; both are bounded before it runs. What it makes is a real HTML5 tree:
`<p>` closes itself, tables move strange content out, metas between head and body still belong to the head,
and the content of `<template>` is invisible.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final, cast

from memhtml_core.errors import DocumentRefused
from memhtml_core.store.text import ASCII_WHITESPACE, js_trim

if TYPE_CHECKING:
    from selectolax.lexbor import LexborNode

MAX_BYTES: Final = 64 * 1024 * 1024
"""Largest file that is read, in bytes; a larger one is refused as `too-large`."""

MAX_TAGS: Final = 2_000_000
"""Most tags of one file (`<` characters, to be exact); with more it is refused as `too-large`."""

MAX_DEPTH: Final = 2_500
"""Deepest nesting of elements that is read; a deeper file is refused as `too-deep`. (The reference reads 400
levels and overflows its stack at 3,000.)"""

MAX_ATTRIBUTES: Final = 2_000
"""Most attributes of one very long tag; a file with more is refused as `too-large`."""

_WIDE: Final = 4_096
_MAX_UNCLOSED: Final = 20_000
_MAX_REOPENED: Final = 4_000_000

_BOM: Final = b"\xef\xbb\xbf"
_QUOTED: Final = re.compile(r'"[^"]*"|\'[^\']*\'')
_TAG: Final = re.compile(r"<(/?)([a-zA-Z][^\s/>]*)")
# Void elements, and those that are closed by the next of their kind: alone they never nest.
_FLAT: Final = (
    frozenset({"area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "param", "source"})
    | frozenset({"track", "wbr", "p", "li", "dt", "dd", "option", "optgroup", "tr", "td", "th", "thead"})
    | frozenset({"tbody", "tfoot", "caption", "colgroup", "html", "head", "body", "rp", "rt"})
)
_FORMATTING: Final = frozenset(
    {"a", "b", "big", "code", "em", "font", "i", "nobr", "s", "small", "strike", "strong", "tt", "u"}
)


class Element:
    """One element; it stands in the stream at `start`, where it opens, and at `end`, where it closes."""

    __slots__ = ("attributes", "end", "parent", "start", "tag")

    def __init__(self, tag: str, attributes: dict[str, str], start: int, parent: Element | None) -> None:
        self.tag = tag
        self.attributes = attributes
        self.start = start
        self.end = start
        self.parent = parent


class Page:
    """A parsed document or fragment.

    `stream` holds text as `str` and every element twice, at its start and at its end; comments, the doctype
    and template content are not in it. `elements` holds each element once, in document order.
    """

    __slots__ = ("_articles", "_source", "elements", "stream")

    def __init__(self, source: str) -> None:
        self.stream: list[Element | str] = []
        self.elements: list[Element] = []
        self._source = source
        self._articles: dict[int, LexborNode] = {}

    @property
    def length(self) -> int:
        """Characters of the source."""
        return len(self._source)

    def reparsed(self, article: Element) -> Page | None:
        """The article's inner markup, serialized, trimmed and parsed again as a fragment (STORE_FORMAT 2.5).

        None where that cannot change its text, which is so wherever the source already is what a serializer
        writes.
        """
        inner = self._articles[article.start].inner_html or ""
        trimmed = js_trim(inner)
        if trimmed == inner.strip(ASCII_WHITESPACE) and f"<article>{inner}</article>" in self._source:
            return None
        return parse_fragment(trimmed)


def decode(data: bytes) -> str:
    """File bytes as text: one leading byte order mark dropped, malformed UTF-8 as U+FFFD."""
    return data[3 if data.startswith(_BOM) else 0 :].decode("utf-8", "replace")


def parse(data: bytes, path: str = "") -> Page:
    """The stream of a whole file; `path` only names it in an error.

    Raises DocumentRefused: `too-large` above MAX_BYTES, MAX_TAGS or MAX_ATTRIBUTES, `too-deep` above
    MAX_DEPTH.
    """
    from selectolax.lexbor import LexborHTMLParser

    if len(data) > MAX_BYTES or data.count(b"<") > MAX_TAGS:
        raise DocumentRefused(path, ["too-large"])
    source = decode(data)
    if _has_wide_tag(source):
        raise DocumentRefused(path, ["too-large"])
    if _is_costly(source):
        raise DocumentRefused(path, ["too-deep"])
    page = Page(source)
    root = LexborHTMLParser(source).root
    if root is not None and _flatten(root, page) > MAX_DEPTH:
        raise DocumentRefused(path, ["too-deep"])
    return page


def parse_fragment(markup: str) -> Page:
    """The stream of markup as it stands inside an `<article>`."""
    from selectolax.lexbor import LexborHTMLParser

    page = Page(markup)
    first = LexborHTMLParser(markup, is_fragment=True, fragment_tag="article").root if markup else None
    if first is not None:
        _flatten(first, page)
    return page


def _flatten(first: LexborNode, page: Page) -> int:
    """Append `first`, what follows it and all below to the stream of `page`; the greatest depth met."""
    stream, elements, articles = page.stream, page.elements, page._articles
    open_nodes: list[LexborNode] = []
    parent: Element | None = None
    depth = deepest = 0
    none: dict[str, str | None] = {}
    node: LexborNode | None = first
    while True:
        while node is None:
            if parent is None:
                return deepest
            parent.end = len(stream)
            stream.append(parent)
            parent = parent.parent
            node = open_nodes.pop().next
            depth -= 1
        tag = node.tag
        if tag == "-text":
            stream.append(node.text_content or "")
            node = node.next
        elif tag is None or tag[0] == "-":
            node = node.next
        else:
            attributes = node.attributes
            if not attributes:
                attributes = none
            elif None in attributes.values():
                attributes = {name: value or "" for name, value in attributes.items()}
            parent = Element(tag, cast("dict[str, str]", attributes), len(stream), parent)
            stream.append(parent)
            elements.append(parent)
            open_nodes.append(node)
            if tag == "article":
                articles[parent.start] = node
            depth += 1
            if depth > deepest:
                deepest = depth
            node = node.first_child


def _has_wide_tag(source: str) -> bool:
    """Whether some tag has more attributes than the parser can compare in reasonable time."""
    if len(source) <= _WIDE:
        return False
    for piece in source.split(">"):
        opening = _TAG.search(piece) if len(piece) > _WIDE else None
        if opening is not None and len(_QUOTED.sub("", piece[opening.end() :]).split()) > MAX_ATTRIBUTES:
            return True
    return False


def _is_costly(source: str) -> bool:
    """Whether the parser could need minutes or gigabytes for this source; an estimate from its tags alone."""
    if source.count("<") <= MAX_DEPTH:
        return False
    unclosed: dict[str, int] = {}
    balance = formatting = reopened = 0
    for slash, name in _TAG.findall(source):
        tag = name.lower()
        reopened += formatting
        if tag in _FLAT:
            continue
        step = -1 if slash else 1
        count = unclosed.get(tag, 0)
        if count + step < 0:
            continue
        unclosed[tag] = count + step
        balance += step
        if tag in _FORMATTING:
            formatting += step
        if balance > _MAX_UNCLOSED or reopened > _MAX_REOPENED:
            return True
    return False
