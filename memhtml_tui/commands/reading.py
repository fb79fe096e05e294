"""A memory as text for a terminal: its head, its blocks, its links."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from memhtml_tui.text import clean, one_line

if TYPE_CHECKING:
    from memhtml_core.browse.blocks import Block, FacetPair, Run
    from memhtml_core.browse.memory import EdgeView, MemoryView


def memory_text(view: MemoryView) -> str:
    """Everything a reader of this memory should see, the claim marked with `*`."""
    lines = [view.title or "(no title)", view.path, *_head(view), ""]
    for block in view.blocks:
        lines += [*_block(block), ""]
    lines += _links("links", view.links_out, "->")
    lines += _links("linked from", view.links_in, "<-")
    return "\n".join(lines).rstrip("\n")


def _head(view: MemoryView) -> list[str]:
    memory, card = view.memory, view.card
    facts: list[tuple[str, str | None]] = []
    if memory is not None:
        entities = ", ".join(f"{kind}:{name}" for kind, name in memory.entities)
        facts = [
            ("type", memory.memory_type),
            ("workspace", memory.workspace),
            ("task", memory.task_status),
            ("due", memory.due_at),
            ("created", memory.created_at),
            ("updated", memory.updated_at),
            ("event", memory.event_at),
            ("valid from", memory.valid_from),
            ("valid until", memory.valid_until),
            ("confidence", f"{memory.confidence:g}"),
            ("importance", str(memory.importance)),
            ("tags", ", ".join(memory.tags)),
            ("entities", entities),
        ]
    if card is not None:
        facts.append(("superseded by", card.superseded_by))
    if view.access is not None:
        last = view.access.last_accessed_at or "never"
        facts.append(
            ("opens", f"{view.access.access_count}, last {last}, outcome {view.access.outcome_score:g}")
        )
    if view.problem is not None:
        codes = ", ".join(view.problem.violations)
        facts.append(("not indexed", f"{view.problem.reason}: {codes or view.problem.detail}"))
    if view.gone:
        facts.append(("file", "cannot be read; this is what the index has of it"))
    elif view.stale:
        facts.append(("index", "holds an older version of this file"))
    return [f"{name}: {one_line(value)}" for name, value in facts if value]


def _block(block: Block) -> list[str]:
    from memhtml_core.browse import blocks

    if isinstance(block, blocks.Paragraph):
        return [("* " if block.claim else "") + _inline(block.runs)]
    if isinstance(block, blocks.ItemList):
        lines: list[str] = []
        for number, item in enumerate(block.items, start=1):
            mark = f"{number}. " if block.ordered else "- "
            lines += _hanging(mark, _joined(item))
        return lines
    if isinstance(block, blocks.Code):
        text = clean(block.text).rstrip("\n").split("\n")
        return [f"code ({one_line(block.language) or 'no language'}):", *(f"    {line}" for line in text)]
    if isinstance(block, blocks.FacetList):
        return [_facet(pair) for pair in block.pairs]
    if isinstance(block, blocks.Details):
        return [f"> {_inline(block.summary) or 'details'}", *_hanging("  ", _joined(block.blocks))]
    if isinstance(block, blocks.Aside):
        return _hanging("! ", _joined(block.blocks))
    if isinstance(block, blocks.Figure):
        caption = [_inline(block.caption)] if block.caption else []
        return [*_joined(block.blocks), *caption]
    rows = [" | ".join(_inline(cell.runs) for cell in row) for row in block.rows]
    return [*([_inline(block.caption)] if block.caption else []), *rows]


def _joined(found: Iterable[Block]) -> list[str]:
    return [line for block in found for line in _block(block)]


def _hanging(mark: str, lines: list[str]) -> list[str]:
    rest = " " * len(mark)
    return [(rest if place else mark) + line for place, line in enumerate(lines)]


def _inline(runs: Iterable[Run]) -> str:
    return one_line("".join(_run(run) for run in runs))


def _run(run: Run) -> str:
    """The text, with the address behind a link and the instant behind a time where they say more."""
    if run.target and run.styles and run.styles[-1] in ("a", "q", "time") and run.target != run.text:
        return f"{run.text} <{run.target}>"
    return run.text


def _facet(pair: FacetPair) -> str:
    number = "" if pair.numeric is None else f" ({pair.numeric:g})"
    return f"{one_line(pair.name)} = {one_line(pair.value)}{number}"


def _links(head: str, edges: Iterable[EdgeView], arrow: str) -> list[str]:
    lines = []
    for edge in edges:
        notes = [word for word, holds in (("mined", edge.derived), ("archived", edge.archived)) if holds]
        if not edge.indexed:
            notes.append("not in the index")
        end = f" ({', '.join(notes)})" if notes else ""
        lines.append(
            f"  {edge.rel} {arrow} {one_line(edge.title or edge.other)}  {one_line(edge.other)}{end}"
        )
    return [f"{head}:", *lines] if lines else []
