"""Header, run line, banner, run panel: what store this is, what ran, what is missing (DESIGN 5, 9)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.text import Text

from memhtml_tui.look import Look
from memhtml_tui.panes.draw import BOLD, DIM, Line, cut, join, line, pair, span
from memhtml_tui.panes.ranks import Registry
from memhtml_tui.panes.why import banner_parts

if TYPE_CHECKING:
    from memhtml_core.index.progress import Progress
    from memhtml_core.rank.outcome import Outcome
    from memhtml_core.rank.request import Scope
    from memhtml_tui.answers import Answer, Page, StoreFacts

VIEWS = (
    ("search", "1", "Search"),
    ("pack", "2", "Pack"),
    ("memory", "3", "Memory"),
    ("health", "5", "Health"),
)

_BAR = 16
_LIFT = "\nesc leaves the query; then x removes the last condition, X all of them."


def head_text(
    facts: StoreFacts | None,
    look: Look,
    width: int,
    view: str,
    *,
    writes: int,
    read_only: bool,
    demo: bool,
) -> Text:
    """The header: store, memories, source, freshness, writes; the views at the right. Always one line."""
    tabs = Text("  ").join(
        span(f"{key} {label}", "bold underline" if name == view else "dim") for name, key, label in VIEWS
    )
    if width < 60:
        tabs = Text(" ").join(
            span(f"[{key}]" if name == view else f" {key} ", "bold" if name == view else "dim")
            for name, key, _ in VIEWS
        )
    written = span("read-only" if read_only else f"writes: {writes}", "bold" if writes else "")
    parts = [written]
    if facts is not None:
        store = Text("demo store" if demo else line(facts.root).plain)
        counted = Text(f"{facts.memories:,} memories")
        parts = [store, counted, line(facts.source), line(facts.freshness), written]
        if facts.problems:
            noun = "problem" if facts.problems == 1 else "problems"
            parts.insert(4, span(f"{facts.problems} {noun} (5)", look.style("warning")))
        if width < 100:
            parts = [written, store, Text(f"{facts.memories:,}"), line(facts.source), line(facts.freshness)]
        if width < 60:
            parts = [written, Text(f"{facts.memories:,}"), store]
    room = width - len(tabs.plain) - 2
    left = cut(Text(" ").join([Text(), join(parts, f" {look.dot} ")]), room, look)
    left.append(" " * max(1, width - left.cell_len - tabs.cell_len - 1))
    left.append_text(tabs)
    return left


def run_text(answer: Answer | None, page: Page | None, look: Look, *, stale: bool, width: int) -> Text:
    """How the last run went, beside the query."""
    if stale:
        return span("searching ", "bold")
    if page is not None:
        first = page.offset + 1 if page.listing.rows else 0
        last = page.offset + len(page.listing.rows)
        counted = f"{first:,}-{last:,} of {page.listing.total:,}"
        return Text(counted + (f" by {page.sort} " if width >= 60 else " "))
    if answer is None:
        return Text()
    outcome = answer.outcome
    shown = len(outcome.hits) if outcome.request.kind == "search" else len(outcome.pool)
    parts = [Text(f"{shown} of {len(outcome.candidates)}")]
    if width >= 60:
        parts.insert(0, Text(f"{outcome.milliseconds:.0f} ms"))
    if answer.waiting:
        parts.insert(0, span("V asked", look.style("warning")))
    elif outcome.degraded:
        parts.insert(0, span("degraded", look.style("warning")))
    text = join(parts, f" {look.dot} ")
    text.append(" ")
    return text


def banner_text(answer: Answer | None, look: Look, registry: Registry) -> Text | None:
    """Every missing arm with its reason, or None where all ran."""
    if answer is None or not answer.outcome.missing:
        return None
    head = "degraded" if answer.outcome.degraded else "without"
    text = span(f" ! {head}: ", look.style("warning", bold=True))
    text.append_text(join(banner_parts(answer.outcome, look, registry, waiting=answer.waiting), "; "))
    return text


def unseen_text(answer: Answer | None, look: Look) -> Text | None:
    """Loud where no arm that reads the query saw anything; None otherwise, and while one is still asked."""
    if answer is None or answer.waiting or not answer.outcome.candidates:
        return None
    from memhtml_core.browse.empty import unseen  # after the first frame: it loads SQLite

    if not unseen(answer.outcome):
        return None
    text = span(" ! neither lexical nor vector arm saw anything", look.style("error", bold=True))
    return text.append("; these are here by recency and salience alone")


def run_lines(
    outcome: Outcome | None, scope: Scope, look: Look, registry: Registry, total: int | None
) -> list[Line]:
    """The panel at the left: the scope in words, the arms that ran, the stages with their numbers."""
    lines = [Line(span("scope", BOLD)), *scope_lines(scope)]
    if outcome is None:
        if total is not None:
            lines += [Line(Text()), pair("in scope", Text(f"{total:,}"))]
        return lines
    lines += [Line(Text()), Line(span("arms", BOLD))]
    runs = {run.name: run for run in outcome.arms}
    for arm in look.arms(outcome, registry):
        label = span(f"{arm.letter} {arm.pattern} ", arm.style)
        run = runs.get(arm.name)
        if run is None:
            reason = next(m.reason.value for m in outcome.missing if m.arm == arm.name)
            lines.append(Line(Text(f"out: {reason}"), label, 4))
        else:
            text = Text(f"{arm.label:<10}")
            text.append(f" x{run.weight:<4g}", DIM)
            text.append(f"{len(run.entries):>4}")
            lines.append(Line(text, label, 4))
    lines += [
        Line(Text()),
        Line(span("stages", BOLD)),
        pair("returned", Text(f"{len(outcome.candidates)} by any arm")),
        pair("pool", Text(f"{len(outcome.pool)}")),
        pair("demoted", Text(f"{sum(m.moved for m in outcome.polarity)} by polarity")),
    ]
    if outcome.request.kind == "search":
        lines.append(pair("shown", Text(f"{len(outcome.hits)} of limit {outcome.request.limit}")))
    lines.append(pair("vectors", Text(f"{outcome.vector_coverage:.0%} of chunks")))
    if outcome.space:
        lines.append(pair("space", line(outcome.space)))
    return lines


def scope_lines(scope: Scope) -> list[Line]:
    """Every axis of the scope, also where it is unset, so that its default is in sight."""
    facets: dict[str, list[str]] = {}
    for facet in scope.facets:
        facets.setdefault(facet.name, []).append(facet.value)
    said = [f"{name}={' or '.join(values)}" for name, values in facets.items()]
    unset = DIM
    return [
        pair(
            "types",
            line(" or ".join(scope.memory_types)) if scope.memory_types else span("all but task", unset),
        ),
        pair("workspace", line(scope.workspace) if scope.workspace else span("any", unset)),
        pair("tags", line(" or ".join(scope.tags)) if scope.tags else span("any", unset)),
        pair("entity", line(scope.entity) if scope.entity else span("any", unset)),
        pair("facets", line(" and ".join(said)) if said else span("any", unset)),
        pair("archived", Text("with them") if scope.include_archived else span("left out", unset)),
        pair("as of", line(scope.as_of) if scope.as_of else span("now", unset)),
    ]


def nothing_text(answer: Answer | None, page: Page | None, look: Look) -> Text:
    """Why the list is empty, and what to press."""
    if page is not None:
        text = span("No memory in this scope.", BOLD)
        return text.append(_LIFT, DIM)
    if answer is None:
        return Text()
    outcome = answer.outcome
    if outcome.request.limit <= 0:
        return span("The limit is 0.", BOLD)
    if not outcome.arms:
        return span("No arm ran, so nothing could be found.", BOLD)
    if not outcome.scope_empty:
        return span("No match.", BOLD).append("\nNo arm returned a memory.", DIM)
    text = span("No match in this scope.", BOLD)
    text.append(_LIFT, DIM)
    if outcome.archived_matches:
        text.append(
            f"\n{outcome.archived_matches} archived memories are in this scope (archived:yes shows them):"
        )
        for pointer in outcome.archived[:5]:
            text.append("\n  ").append_text(line(pointer.path))
            if pointer.superseded_by:
                text.append_text(line(f", superseded by {pointer.superseded_by}", DIM))
    return text


def progress_text(progress: Progress, look: Look) -> Text:
    """How far indexing is, with counts and rate."""
    text = line(progress.phase)
    text.append(f" {progress.done:,}")
    if progress.total:
        text.append(f" of {progress.total:,} ")
        filled = min(_BAR, round(progress.done / progress.total * _BAR))
        text.append(look.sign("█", "#") * filled, look.style("primary"))
        text.append(look.sign("░", ".") * (_BAR - filled), DIM)
    if progress.rate > 0:
        text.append(f" {look.dot} {progress.rate:,.0f}/s", DIM)
    text.append(f" {look.dot} ctrl+c stops it", DIM)
    return text
