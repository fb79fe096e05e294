"""The article of a memory as blocks of text runs: what a reader draws instead of the HTML (STORE_FORMAT 2).

Pure structure, nothing is cleaned or cut here. A refused or odd document gives what can be read of it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from typing import ClassVar

from memhtml_core.store.html import Page, parse
from memhtml_core.store.text import flat, js_number, js_trim
from memhtml_core.store.vocabulary import INLINE

MAX_DEPTH = 64
"""Elements below this depth are read as plain text, so that no nesting can exhaust the stack."""

_SILENT = frozenset(("script", "style", "template", "head", "title"))
_TARGETS = {"a": "href", "q": "cite", "time": "datetime", "data": "value", "abbr": "title"}
_SPACE = re.compile("[ \t\n\f\r]+")


@dataclass(frozen=True, slots=True)
class Run:
    """A stretch of text in one style. `styles` are the inline elements around it, outermost first.

    `target` is what the innermost one states: href of `a`, cite of `q`, datetime of `time`, value of `data`.
    """

    text: str
    styles: tuple[str, ...] = ()
    target: str = ""


@dataclass(frozen=True, slots=True)
class Paragraph:
    """Running text; `claim` when it holds the `<mark>`."""

    kind: ClassVar[str] = "paragraph"
    runs: tuple[Run, ...]
    claim: bool = False


@dataclass(frozen=True, slots=True)
class ItemList:
    """A list; every item is blocks of its own."""

    kind: ClassVar[str] = "list"
    ordered: bool
    items: tuple[tuple[Block, ...], ...]


@dataclass(frozen=True, slots=True)
class Code:
    """Verbatim text; `language` is what `data-lang` states, "" without one."""

    kind: ClassVar[str] = "code"
    text: str
    language: str = ""


@dataclass(frozen=True, slots=True)
class FacetPair:
    """One `dt` and `dd`; `numeric` is the first usable `<data value>` of the `dd`."""

    name: str
    value: str
    numeric: float | None = None


@dataclass(frozen=True, slots=True)
class FacetList:
    """A `<dl>`."""

    kind: ClassVar[str] = "facets"
    pairs: tuple[FacetPair, ...]


@dataclass(frozen=True, slots=True)
class Details:
    """A fold: its summary is part of a full quote, its blocks never are."""

    kind: ClassVar[str] = "details"
    summary: tuple[Run, ...]
    blocks: tuple[Block, ...]


@dataclass(frozen=True, slots=True)
class Aside:
    """A caveat."""

    kind: ClassVar[str] = "aside"
    blocks: tuple[Block, ...]


@dataclass(frozen=True, slots=True)
class Figure:
    """A figure with its caption."""

    kind: ClassVar[str] = "figure"
    blocks: tuple[Block, ...]
    caption: tuple[Run, ...]


@dataclass(frozen=True, slots=True)
class Cell:
    """One cell of a table; `head` for `<th>`."""

    runs: tuple[Run, ...]
    head: bool = False


@dataclass(frozen=True, slots=True)
class Table:
    """A table, row by row."""

    kind: ClassVar[str] = "table"
    caption: tuple[Run, ...]
    rows: tuple[tuple[Cell, ...], ...]


Block = Paragraph | ItemList | Code | FacetList | Details | Aside | Figure | Table


def read_blocks(data: bytes) -> tuple[Block, ...]:
    """The blocks of the first `<article>` of a file, or of its body where it has none.

    Raises `DocumentRefused` for a file that is too large or too deep to be parsed.
    """
    root = _grown(parse(data))
    return _blocks(root, 0)


def plain_text(runs: Iterable[Run]) -> str:
    """The text of runs without their styles."""
    return "".join(run.text for run in runs)


@dataclass(slots=True)
class _Node:
    tag: str
    attributes: dict[str, str]
    children: list[_Node | str] = field(default_factory=list)


def _grown(page: Page) -> _Node:
    """The content of the first article as a tree, or that of the body, or nothing."""
    root = _Node("", {})
    top = next((e for tag in ("article", "body") for e in page.elements if e.tag == tag), None)
    if top is None:
        return root
    path = [root]
    for at in range(top.start + 1, top.end):
        item = page.stream[at]
        if isinstance(item, str):
            path[-1].children.append(item)
        elif item.start == at:
            node = _Node(item.tag, item.attributes)
            path[-1].children.append(node)
            path.append(node)
        else:
            path.pop()
    return root


def _text(node: _Node) -> str:
    """All text below a node as it stands, whatever the depth."""
    found: list[str] = []
    waiting: list[_Node | str] = [node]
    while waiting:
        item = waiting.pop()
        if isinstance(item, str):
            found.append(item)
        elif item.tag not in _SILENT:
            waiting.extend(reversed(item.children))
    return "".join(found)


def _below(node: _Node, tag: str) -> Iterator[_Node]:
    """Every element of that tag below a node, in document order."""
    waiting: list[_Node | str] = [*reversed(node.children)]
    while waiting:
        item = waiting.pop()
        if isinstance(item, _Node):
            if item.tag == tag:
                yield item
            waiting.extend(reversed(item.children))


def _blocks(node: _Node, depth: int, leave: _Node | None = None) -> tuple[Block, ...]:
    """The children of a node as blocks, all but `leave`."""
    if depth >= MAX_DEPTH:
        return _paragraph([Run(_text(node))])
    found: list[Block] = []
    inline: list[Run] = []
    for child in node.children:
        if child is leave:
            continue
        if isinstance(child, str) or child.tag in INLINE:
            inline.extend(_runs(child, (), "", depth + 1))
            continue
        found.extend(_paragraph(inline))
        inline = []
        if child.tag not in _SILENT:
            found.extend(_block(child, depth + 1))
    found.extend(_paragraph(inline))
    return tuple(found)


def _block(node: _Node, depth: int) -> tuple[Block, ...]:
    tag = node.tag
    if tag == "pre":
        stated = (c.attributes["data-lang"] for c in _below(node, "code") if "data-lang" in c.attributes)
        return (Code(_text(node), js_trim(next(stated, "")).lower()),)
    if tag in ("ul", "ol"):
        items = (_blocks(c, depth) for c in node.children if isinstance(c, _Node))
        return (ItemList(tag == "ol", tuple(item for item in items if item)),)
    if tag == "dl":
        return (FacetList(_pairs(node, depth)),)
    if tag == "details":
        summary, rest = _split(node, "summary", depth)
        return (Details(summary, rest),)
    if tag == "aside":
        return (Aside(_blocks(node, depth)),)
    if tag == "figure":
        caption, rest = _split(node, "figcaption", depth)
        return (Figure(rest, caption),)
    if tag == "table":
        return (_table(node, depth),)
    return _blocks(node, depth)


def _split(node: _Node, tag: str, depth: int) -> tuple[tuple[Run, ...], tuple[Block, ...]]:
    """The runs of the first child of that tag, and everything else as blocks."""
    first = next((c for c in node.children if isinstance(c, _Node) and c.tag == tag), None)
    head = () if first is None else _joined(_runs(first, (), "", depth))
    return head, _blocks(node, depth, leave=first)


def _pairs(node: _Node, depth: int) -> tuple[FacetPair, ...]:
    pairs = []
    name = None
    for child in node.children:
        if isinstance(child, str):
            continue
        if child.tag == "dt":
            name = _flat(child, depth)
        elif child.tag == "dd" and name is not None:
            pairs.append(FacetPair(name, _flat(child, depth), _numeric(child)))
    return tuple(pairs)


def _flat(node: _Node, depth: int) -> str:
    return flat(plain_text(_joined(_runs(node, (), "", depth))))


def _numeric(node: _Node) -> float | None:
    stated = (js_number(data.attributes.get("value", "")) for data in _below(node, "data"))
    return next((number for number in stated if number is not None), None)


def _table(node: _Node, depth: int) -> Table:
    caption = next(_below(node, "caption"), None)
    rows = []
    for row in _below(node, "tr"):
        cells = (c for c in row.children if isinstance(c, _Node) and c.tag in ("td", "th"))
        rows.append(tuple(Cell(_joined(_runs(c, (), "", depth)), c.tag == "th") for c in cells))
    return Table(() if caption is None else _joined(_runs(caption, (), "", depth)), tuple(rows))


def _runs(node: _Node | str, styles: tuple[str, ...], target: str, depth: int) -> Iterator[Run]:
    """Runs of a text or of an element with all below it; a block below an inline element parts words."""
    if isinstance(node, str):
        yield Run(node, styles, target)
        return
    if node.tag in _SILENT:
        return
    if depth >= MAX_DEPTH:
        yield Run(_text(node), styles, target)
        return
    inline = node.tag in INLINE
    if inline and node.tag != "span":
        styles = (*styles, node.tag)
        if node.tag in _TARGETS:
            target = node.attributes.get(_TARGETS[node.tag], "")
    if not inline:
        yield Run(" ")
    for child in node.children:
        yield from _runs(child, styles, target, depth + 1)
    if not inline:
        yield Run(" ")


def _paragraph(runs: Iterable[Run]) -> tuple[Paragraph, ...]:
    joined = _joined(runs)
    return (Paragraph(joined, any("mark" in run.styles for run in joined)),) if joined else ()


def _joined(runs: Iterable[Run]) -> tuple[Run, ...]:
    """White space collapsed across runs and taken off both ends, equal neighbours merged, empty ones gone."""
    found: list[Run] = []
    for run in runs:
        text = _SPACE.sub(" ", run.text)
        if text.startswith(" ") and (not found or found[-1].text.endswith(" ")):
            text = text[1:]
        if not text:
            continue
        if found and (found[-1].styles, found[-1].target) == (run.styles, run.target):
            found[-1] = replace(found[-1], text=found[-1].text + text)
        else:
            found.append(replace(run, text=text))
    if found and found[-1].text.endswith(" "):
        found[-1] = replace(found[-1], text=found[-1].text[:-1])
        if not found[-1].text:
            found.pop()
    return tuple(found)
