"""A memory for reading: its blocks, facts, links, and its line in the current answer (DESIGN 9, view 3)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from rich.style import Style
from rich.text import Text

from memhtml_tui.look import Look
from memhtml_tui.panes.draw import BOLD, DIM, Line, block, join, line, pair, span
from memhtml_tui.panes.ranks import Registry
from memhtml_tui.panes.why import one_line as why_one_line
from memhtml_tui.text import clean

if TYPE_CHECKING:
    from memhtml_core.browse.blocks import Block, Run, Table
    from memhtml_core.browse.memory import EdgeView, MemoryView
    from memhtml_core.rank.outcome import Outcome

_STYLES = {
    "mark": Style(bold=True, underline=True),
    "strong": Style(bold=True),
    "b": Style(bold=True),
    "em": Style(italic=True),
    "i": Style(italic=True),
    "code": Style(bold=True),
    "kbd": Style(bold=True),
    "del": Style(strike=True),
    "s": Style(strike=True),
    "a": Style(underline=True),
    "dfn": Style(italic=True),
}


def memory_lines(view: MemoryView, look: Look) -> list[Line]:
    """Title, notes on its state, then the article."""
    lines = [Line(line(view.title or view.path, BOLD)), *_notes(view, look), Line(Text())]
    for item in view.blocks:
        lines += _block(item, look, 0)
        lines.append(Line(Text()))
    return lines


def _notes(view: MemoryView, look: Look) -> list[Line]:
    notes = []
    if view.gone:
        notes.append("its file is gone or cannot be read; this is the text that the index still has")
    elif view.stale:
        notes.append("the file has changed since it was indexed; ctrl+r brings the index up to date")
    if view.problem is not None:
        codes = ", ".join(view.problem.violations) or view.problem.detail
        notes.append(f"not in the index: {view.problem.reason}" + (f" ({codes})" if codes else ""))
    if view.card is not None and view.card.superseded_by:
        notes.append(f"superseded by {view.card.superseded_by}")
    if view.card is not None and view.card.archived:
        notes.append("archived")
    return [Line(line(note, look.style("warning")), Text("! "), 2) for note in notes]


def _block(item: Block, look: Look, depth: int) -> list[Line]:
    from memhtml_core.browse import blocks

    pad = 2 * depth
    if isinstance(item, blocks.Paragraph):
        claim = look.sign("◆ ", "* ") if item.claim else ""
        return [_line(_runs(item.runs), claim, pad + len(claim))]
    if isinstance(item, blocks.ItemList):
        lines = []
        for number, parts in enumerate(item.items, 1):
            label = f"{number}. " if item.ordered else f"{look.sign('•', '-')} "
            lines += _labelled(parts, label, look, depth)
        return lines
    if isinstance(item, blocks.Code):
        head = span("code", DIM).append_text(line(f": {item.language}" if item.language else "", DIM))
        bar = f"{look.sign('│', '|')} "
        return [_line(head, "", pad), *(_line(text, bar, pad + 2) for text in block(item.text.rstrip("\n")))]
    if isinstance(item, blocks.FacetList):
        return [Line(_facet(p.value, p.numeric), _facet_name(p.name, pad), pad + 17) for p in item.pairs]
    if isinstance(item, blocks.Details):
        summary = _runs(item.summary)
        summary.stylize(BOLD)
        return [_line(summary, look.sign("▾ ", "v "), pad + 2), *_inner(item.blocks, look, depth)]
    if isinstance(item, blocks.Aside):
        head = span("aside: caveat", look.style("warning"))
        return [_line(head, "! ", pad + 2), *_inner(item.blocks, look, depth)]
    if isinstance(item, blocks.Figure):
        return [*_inner(item.blocks, look, depth), _line(_runs(item.caption), "figure: ", pad + 8)]
    return _table(item, pad)


def _inner(items: Iterable[Block], look: Look, depth: int) -> list[Line]:
    return [part for inner in items for part in _block(inner, look, depth + 1)]


def _facet_name(name: str, pad: int) -> Text:
    return Text(" " * pad).append_text(line(name, DIM))


def _line(body: Text, label: str, indent: int) -> Line:
    return Line(body, Text(label.rjust(indent)), indent)


def _labelled(parts: Sequence[Block], label: str, look: Look, depth: int) -> list[Line]:
    lines = [part for inner in parts for part in _block(inner, look, depth + 1)]
    if lines:
        first = lines[0]
        indent = max(first.indent, len(label) + 2 * depth)
        lines[0] = Line(first.body, Text((" " * (2 * depth) + label).ljust(indent)), indent)
    return lines


def _facet(value: str, numeric: float | None) -> Text:
    text = line(value)
    if numeric is not None:
        text.append(f"  = {numeric:g}", DIM)
    return text


def _table(item: Table, pad: int) -> list[Line]:
    lines = [_line(_runs(item.caption), "", pad)] if item.caption else []
    for row in item.rows:
        cells = [_runs(cell.runs) for cell in row]
        for cell, source in zip(cells, row, strict=True):
            if source.head:
                cell.stylize(BOLD)
        lines.append(_line(join(cells, " | "), "", pad))
    return lines


def _runs(runs: Iterable[Run]) -> Text:
    text = Text()
    for run in runs:
        style = Style.combine([Style.null(), *(_STYLES[name] for name in run.styles if name in _STYLES)])
        text.append(clean(run.text).replace("\n", " ").replace("\t", " "), style)
        if run.target and "a" in run.styles:
            text.append(f" <{line(run.target).plain}>", DIM)
    return text


def fact_lines(view: MemoryView, look: Look) -> list[Line]:
    """Path, type, dates, entities, tags, facets, citations: what its head states."""
    lines = [pair("path", line(view.path))]
    card, memory = view.card, view.memory
    if card is not None:
        parts = [
            line(card.memory_type),
            line(card.workspace or "no workspace", DIM),
            span(f"confidence {card.confidence:g}", DIM),
        ]
        lines.append(pair("type", join(parts, f" {look.dot} ")))
        lines.append(pair("updated", line(card.updated_at)))
        if card.event_at:
            lines.append(pair("event", line(card.event_at)))
        if card.task_status or card.due_at:
            lines.append(
                pair("task", line(f"{card.task_status or 'no status'}, due {card.due_at or 'never'}"))
            )
        if card.entities:
            lines.append(pair("entities", line(", ".join(card.entities))))
    if memory is not None:
        if memory.tags:
            lines.append(pair("tags", line(", ".join(memory.tags))))
        if memory.facets:
            said = ", ".join(f"{facet.name}={facet.value}" for facet in memory.facets)
            lines.append(pair("facets", line(said)))
        for number, citation in enumerate(memory.citations, 1):
            lines.append(pair("cites" if number == 1 else "", line(citation.href or citation.text)))
    return lines


def link_lines(view: MemoryView, look: Look) -> list[Line]:
    """Links out and in; authored and mined apart, contradictions and supersessions with a warning sign."""
    lines: list[Line] = []
    for title, edges in (("out", view.links_out), ("in", view.links_in)):
        authored = [edge for edge in edges if not edge.derived]
        mined = [edge for edge in edges if edge.derived]
        lines.append(Line(span(f"{title} ({len(authored)} authored, {len(mined)} mined)", BOLD)))
        lines += [_edge(edge, look) for edge in (*authored, *mined)]
    return lines


def _edge(edge: EdgeView, look: Look) -> Line:
    warn = "contradict" in edge.rel or "supersede" in edge.rel
    label = span(
        f"{'!' if warn else ' '} {line(edge.rel).plain[:14]:<15}", look.style("warning") if warn else DIM
    )
    text = line(edge.title or edge.other)
    if not edge.indexed:
        text.append("  not indexed", DIM)
    if edge.archived:
        text.append("  archived", DIM)
    if edge.derived:
        text.append(f"  mined, strength {edge.strength:.2f}", DIM)
    return Line(text, label, 17)


def answer_lines(outcome: Outcome | None, path: str, look: Look, registry: Registry) -> list[Line]:
    """Its line in the answer on screen."""
    if outcome is None:
        return [Line(span("no query", DIM))]
    lines = [pair("query", line(outcome.request.query or "(empty)"))]
    place = next((hit.place for hit in outcome.hits if hit.path == path), None)
    if outcome.candidate(path) is None:
        return [*lines, Line(span("no arm returned it", DIM))]
    said = (
        f"shown at {place}" if place is not None else "not shown" if outcome.request.kind == "search" else ""
    )
    lines.append(Line(why_one_line(outcome, path, look, registry)))
    return [*lines, Line(span(said, DIM))] if said else lines
