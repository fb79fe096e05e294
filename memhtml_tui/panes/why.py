"""Why a memory stands where it stands: its arms, polarity, MMR, the snippet (DESIGN 7, 9).

Everything comes from the `Outcome` of the run that made the list; nothing is computed again.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from rich.style import Style
from rich.text import Text

from memhtml_tui.look import NOT_SEEN, ArmLook, Look, bar
from memhtml_tui.panes.draw import BOLD, DIM, Line, block, join, line, marked, pair, query_words, span
from memhtml_tui.panes.ranks import Registry

if TYPE_CHECKING:
    from memhtml_core.rank.outcome import ArmEntry, Card, MmrStep, Outcome, PolarityMove

_LABEL = 12


def why_lines(
    outcome: Outcome, path: str, look: Look, registry: Registry, width: int, access: Text | None = None
) -> list[Line]:
    """The whole panel for one memory of the answer."""
    card = outcome.cards.get(path)
    if card is None:
        return [Line(span("This memory is not in the answer on screen.", DIM))]
    place = next((hit.place for hit in outcome.hits if hit.path == path), None)
    head = span(f"{look.sign('▌', '|')}{place or NOT_SEEN} ", BOLD)
    head.append_text(line(card.title or path, BOLD))
    lines = [Line(head), pair("", card_line(card, look), 2)]
    lines += [_arm_line(outcome, path, arm, look, width) for arm in look.arms(outcome, registry)]
    lines.append(pair("fused", fused_text(outcome, path), _LABEL))
    lines.append(pair("polarity", polarity_text(outcome, path), _LABEL))
    lines.append(pair("MMR", mmr_text(outcome, path), _LABEL))
    if access is not None:
        lines.append(pair("use", access, _LABEL))
    lines.append(Line(Text()))
    return lines + snippet_lines(outcome, path, look)


def card_line(card: Card, look: Look) -> Text:
    """Type, workspace, event or update day, path: one dim line."""
    day = f"event {card.event_at[:10]}" if card.event_at else f"updated {card.updated_at[:10]}"
    parts = [
        line(card.memory_type, DIM),
        line(card.workspace or "", DIM),
        line(day, DIM),
        line(card.path, DIM),
    ]
    if card.superseded_by:
        parts.append(line(f"superseded by {card.superseded_by}", look.style("warning")))
    return join(parts, f" {look.dot} ")


def snippet_lines(outcome: Outcome, path: str, look: Look) -> list[Line]:
    """The snippet (or the claim, where there is none) with the matched words marked by style and sign."""
    words = query_words(outcome.forms.used)
    snippet = next((hit.snippet for hit in outcome.hits if hit.path == path), "")
    text = snippet if snippet.strip() else outcome.cards[path].gist
    if not text.strip():
        return [Line(span("no text", DIM))]
    return [Line(marked(part, words, look)) for part in block(text)]


def one_line(outcome: Outcome, path: str, look: Look, registry: Registry, *, tiny: bool = False) -> Text:
    """Ranks, fused score and moves in one line, for narrow screens; `tiny` leaves the ranks alone."""
    candidate = outcome.candidate(path)
    parts = []
    for arm in look.arms(outcome, registry):
        rank = None if candidate is None else candidate.ranks.get(arm.name)
        said = "out" if not arm.ran else NOT_SEEN if rank is None else str(rank)
        text = span(f"{arm.letter}{'' if tiny else ' '}{said}", arm.style if arm.ran else DIM)
        if rank is not None and not tiny:
            text.append(f" {arm.pattern * 2}", arm.style)
        parts.append(text)
    if candidate is not None and not tiny:
        parts.append(Text(f"fused {candidate.fused:.4f}"))
    if any(move.path == path and move.moved for move in outcome.polarity):
        parts.append(span("demoted" if tiny else "demoted by polarity", look.style("warning")))
    return Text(" " if tiny else "  ").join(parts)


def fused_text(outcome: Outcome, path: str) -> Text:
    """The sum and the place after every stage."""
    candidate = outcome.candidate(path)
    if candidate is None:
        return span("no arm returned it", DIM)
    text = span(f"{candidate.fused:.4f}", BOLD)
    text.append(f"  place {candidate.position} of {len(outcome.candidates)} after fusion", DIM)
    for number, (pooled, _) in enumerate(outcome.pool, 1):
        if pooled == path:
            text.append(f", {number} after polarity", DIM)
    for hit in outcome.hits:
        if hit.path == path:
            text.append(f", {hit.place} at the end", DIM)
    return text


def polarity_text(outcome: Outcome, path: str) -> Text:
    """What the polarity step did to it."""
    if not outcome.request.ranking.polarity:
        return span("switched off", DIM)
    move = next((m for m in outcome.polarity if m.path == path), None)
    if move is None:
        return span("not moved", DIM)
    return _move_text(outcome, move)


def _move_text(outcome: Outcome, move: PolarityMove) -> Text:
    said = ", ".join(move.words)
    text = Text("demoted: " if move.moved else "already below: ")
    text.append_text(line(f"it says {said}" if said else "it does not say no"))
    text.append(f" where the query does {'not' if said else ''}".rstrip())
    text.append("; its twin is ", DIM)
    text.append_text(title_of(outcome, move.twin))
    text.append(f" (cosine {move.cosine:.2f})", DIM)
    if move.moved:
        text.append(f", score {move.score_before:.3f} to {move.score_after:.3f}", DIM)
    return text


def mmr_text(outcome: Outcome, path: str) -> Text:
    """What diversification did to it, and the rival that cost it."""
    if outcome.request.kind == "recall":
        return span("not part of a recall", DIM)
    if not outcome.request.ranking.mmr:
        return span("switched off", DIM)
    for number, step in enumerate(outcome.mmr, 1):
        if step.path == path:
            return _step_text(outcome, step, number)
    return span("not needed" if not outcome.mmr else "passed over", DIM)


def _step_text(outcome: Outcome, step: MmrStep, number: int) -> Text:
    text = Text(f"chosen {number}: value {step.objective:.3f}")
    if step.rival is None:
        text.append("  nothing like it above", DIM)
        return text
    text.append(f"  cosine {step.penalty:.2f} with ", DIM)
    text.append_text(title_of(outcome, step.rival))
    return text


def title_of(outcome: Outcome, path: str) -> Text:
    """The title of another memory of the answer, or its path."""
    card = outcome.cards.get(path)
    return line(card.title if card is not None and card.title.strip() else path)


def _arm_line(outcome: Outcome, path: str, arm: ArmLook, look: Look, width: int) -> Line:
    label = span(f"{arm.letter} {arm.label}"[: _LABEL - 1].ljust(_LABEL), arm.style if arm.ran else DIM)
    candidate = outcome.candidate(path)
    missing = next((m for m in outcome.missing if m.arm == arm.name), None)
    if missing is not None:
        text = Text("out: ")
        text.append("simulated " if missing.simulated else "")
        text.append(missing.reason.value, look.style("warning"))
        return Line(text, label, _LABEL)
    run = next(run for run in outcome.arms if run.name == arm.name)
    rank = None if candidate is None else candidate.ranks.get(arm.name)
    if candidate is None or rank is None:
        full = len(run.entries) >= outcome.request.ranking.arm_limit
        text = Text(f"{NOT_SEEN}  not seen")
        text.append(
            f" among its first {len(run.entries)}" if full else f"; it returned {len(run.entries)}", DIM
        )
        return Line(text, label, _LABEL)
    gave = candidate.contributions.get(arm.name, 0.0)
    text = span(f"rank {rank}".ljust(8), BOLD)
    k = outcome.request.ranking.k
    if width >= 64:
        text.append(f" {run.weight:.2f}/({k}+{rank})".ljust(14), DIM)
    text.append(f"= {gave:.4f} ")
    scale = max((c.fused for c in outcome.candidates[:1]), default=gave)
    drawn = bar([(gave, arm.pattern, arm.style)], scale, 12)
    text.append_text(drawn)
    text.append(" " * (13 - len(drawn.plain)))
    entry = next((e for e in run.entries if e.path == path), None)
    if entry is not None:
        text.append_text(_value(arm.name, entry))
    return Line(text, label, _LABEL)


def _value(arm: str, entry: ArmEntry) -> Text:
    value = entry.value
    if value is None:
        return Text()
    if isinstance(value, str):
        return line(f"event {value[:10]}" if arm == "recency" else value, Style(dim=True))
    if arm == "vector":
        return span(f"cosine {1 - value:.2f}", DIM)
    name = {"fts": "bm25", "salience": "score"}.get(arm, "value")
    return span(f"{name} {value:.2f}", DIM)


def banner_parts(outcome: Outcome, look: Look, registry: Registry, *, waiting: bool) -> Sequence[Text]:
    """One part per missing arm: letter, name and the reason from the closed list."""
    looks = {arm.name: arm for arm in look.arms(outcome, registry)}
    parts = []
    for missing in outcome.missing:
        arm = looks[missing.arm]
        text = span(f"{arm.letter} {arm.label}: ", BOLD)
        if waiting and missing.arm == "vector":
            text.append("asking the embedder, will refresh")
        else:
            if missing.simulated:
                text.append("simulated ", look.style("warning"))
            text.append(missing.reason.value)
            if missing.detail:
                text.append(" ").append_text(line(f"({missing.detail})"))
        parts.append(text)
    return parts
