"""What stands around a memory, as lines that can be followed: contradictions, supersessions, links, nearest
neighbours, citations, versions (issue "The explorer" 6)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from rich.text import Text

from memhtml_tui.look import Look
from memhtml_tui.outside import openable
from memhtml_tui.panes.choices import Choice, Goal
from memhtml_tui.panes.draw import BOLD, DIM, Line, line, pair, span

if TYPE_CHECKING:
    from memhtml_core.browse.chain import ChainStep
    from memhtml_core.browse.history import Version
    from memhtml_core.browse.memory import EdgeView, MemoryView
    from memhtml_core.store.memory import Citation, Memory
    from memhtml_tui.answers import Answer
    from memhtml_tui.around import Around, Past

_LABEL = 15


def around_choices(view: MemoryView, around: Around | None, past: Past | None, look: Look) -> list[Choice]:
    """All sections in the order of their weight for a reader: what speaks against the memory comes first."""
    found = _against(view, look) + (_chain(around, look) if around is not None else [])
    for title, edges in (("links out", view.links_out), ("links in", view.links_in)):
        for kind, mined in (("authored", False), ("mined", True)):
            some = [edge for edge in edges if edge.derived is mined]
            if some:
                found.append(_heading(f"{title}, {kind} ({len(some)})"))
                found += [_edge(edge, look) for edge in some]
    if not (view.links_out or view.links_in):
        found.append(_heading("no links"))
    found += _near(around) + _cited(view) + _versions(past, look)
    return found


def _heading(words: str) -> Choice:
    return Choice(Line(span(words, BOLD)))


def _remark(words: str) -> Choice:
    return Choice(Line(line(words, DIM)))


def _to(path: str, title: str, label: str, look: Look, *, style: str = "", tail: str = "") -> Choice:
    text = line(title if title.strip() else path)
    if tail:
        text.append(f"  {tail}", DIM)
    head = span(line(label).plain[: _LABEL - 1].ljust(_LABEL), look.style(style) if style else DIM)
    return Choice(Line(text, head, _LABEL), Goal("memory", path))


def _against(view: MemoryView, look: Look) -> list[Choice]:
    said = [("says against", edge) for edge in view.links_out if edge.rel == "contradicts"]
    said += [("contradicted", edge) for edge in view.links_in if edge.rel == "contradicts"]
    if not said:
        return []
    warn = look.style("warning", bold=True)
    rows = [
        _to(edge.other, edge.title, f"! {words}", look, style="warning", tail=_marks(edge))
        for words, edge in said
    ]
    return [Choice(Line(span(f"! contradictions ({len(said)})", warn))), *rows]


def _chain(around: Around, look: Look) -> list[Choice]:
    newer, older = around.chain.newer, around.chain.older
    if not newer and not older:
        return []
    warn = look.style("warning", bold=True) if newer else BOLD
    head = f"{'! superseded' if newer else 'supersedes older ones'}: newest first"
    rows = [_step(each, look, f"! {each.step} newer", "warning") for each in reversed(newer)]
    rows.append(Choice(Line(span("this memory", BOLD), span("    0".ljust(_LABEL + 2), DIM), _LABEL + 2)))
    rows += [_step(each, look, f"  {each.step} older", "") for each in older]
    return [Choice(Line(span(head, warn))), *rows]


def _step(each: ChainStep, look: Look, label: str, style: str) -> Choice:
    tail = "not indexed" if not each.indexed else "archived" if each.archived else ""
    return _to(each.path, each.title, label, look, style=style, tail=tail)


def _edge(edge: EdgeView, look: Look) -> Choice:
    warn = edge.rel in ("contradicts", "supersedes")
    label = f"{'!' if warn else ' '} {edge.rel}"
    return _to(edge.other, edge.title, label, look, style="warning" if warn else "", tail=_marks(edge))


def _marks(edge: EdgeView) -> str:
    marks = [
        "" if edge.indexed else "not indexed",
        "archived" if edge.archived else "",
        f"strength {edge.strength:.2f}" if edge.derived else "",
    ]
    return ", ".join(mark for mark in marks if mark)


def _near(around: Around | None) -> list[Choice]:
    if around is None:
        return []
    found = around.neighbours
    if found.missing is not None:
        detail = f" ({found.missing.detail})" if found.missing.detail else ""
        return [_heading("nearest by vector"), _remark(f"{found.missing.reason.value}{detail}")]
    rows = [_heading(f"nearest by vector, {line(found.space).plain}")]
    for each in found.rows:
        tail = "  archived" if each.card.archived else ""
        text = line(each.card.title if each.card.title.strip() else each.card.path).append(tail, DIM)
        label = span(f"  cos {each.cosine:.3f}".ljust(_LABEL), DIM)
        rows.append(Choice(Line(text, label, _LABEL), Goal("memory", each.card.path)))
    return rows if found.rows else [*rows, _remark("no other memory has a vector")]


def _cited(view: MemoryView) -> list[Choice]:
    if view.memory is None or not view.memory.citations:
        return []
    cited = view.memory.citations
    return [_heading(f"cites ({len(cited)})"), *(_citation(each, n) for n, each in enumerate(cited, 1))]


def _citation(each: Citation, number: int) -> Choice:
    from memhtml_core.store.layout import is_root_href, normalize_path

    href = each.href or ""
    text = line(each.text)
    if href and href != each.text:
        text.append(" <", DIM).append_text(line(href, DIM)).append(">", DIM)
    goal = None
    if openable(href):
        goal = Goal("link", href)
    elif is_root_href(href):
        goal = Goal("memory", normalize_path(href))
    return Choice(Line(text, span(f"  {number}".ljust(5), DIM), 5), goal)


def _versions(past: Past | None, look: Look) -> list[Choice]:
    if past is None:
        return []
    history = past.history
    rows = [
        _heading(f"history ({len(history.versions)}{'+' if history.more else ''})"),
        _remark(history.words),
    ]
    for place, version in enumerate(history.versions):
        label = span(f"  {version.at[:10] or 'now'}".ljust(_LABEL), DIM)
        rows.append(Choice(Line(version_text(version, look), label, _LABEL), Goal("version", str(place))))
    return rows


def version_text(version: Version, look: Look) -> Text:
    """One version in a line: what happened, and who said what about it."""
    text = span(f"{version.kind}", BOLD)
    if version.commit:
        text.append(f"  {version.commit[:9]}", DIM)
    for part in (version.author, version.subject):
        if part.strip():
            text.append(f" {look.dot} ", DIM).append_text(line(part))
    return text


def meta_lines(memory: Memory) -> list[Line]:
    """What the head of the file states beyond type, instants, entities and facets; empty ones left out."""
    said: Sequence[tuple[str, str]] = (
        ("created", memory.created_at),
        ("archived", " ".join(part for part in (memory.archived_at, memory.origin_path) if part)),
        ("valid", _span(memory.valid_from, memory.valid_until)),
        ("weight", f"importance {memory.importance}, confidence {memory.confidence:g}"),
        ("revise", "needs revision" if memory.needs_revision else ""),
        ("reprieves", str(memory.reprieves) if memory.reprieves else ""),
        ("author", memory.author),
        ("session", " ".join(p for p in (memory.session_id, memory.prompt_id, memory.turn_uuid) if p)),
        ("frame", memory.frame_key or ""),
        ("status", memory.status),
        ("aliases", ", ".join(memory.aliases)),
        ("hash", memory.content_hash),
        ("warnings", "; ".join(memory.warnings)),
    )
    return [pair(label, line(words)) for label, words in said if words.strip()]


def _span(start: str | None, end: str | None) -> str:
    return f"from {start or 'ever'} until {end or 'further notice'}" if start or end else ""


def tier_line(recall: Answer | None, path: str, look: Look) -> Line | None:
    """Its tier in the pack on screen, with place and cost; None where it is in no pack."""
    if recall is None or recall.pack is None:
        return None
    for envelope in (recall.pack.arcs, recall.pack.memories):
        for entry in envelope.entries:
            if entry.path == path:
                text = span(look.tier(entry.tier), BOLD)
                text.append(f"  {envelope.name} {entry.place}, {entry.cost:,} characters")
                return pair("pack", text)
    return pair("pack", span("not in the pack", DIM))
