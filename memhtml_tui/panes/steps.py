"""The next thresholds of a pack, and what lies between two packs, in words (DESIGN 6, "Next threshold")."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.text import Text

from memhtml_tui.look import Look
from memhtml_tui.panes.draw import BOLD, DIM, Line, join, line, pair, span

if TYPE_CHECKING:
    from memhtml_core.pack.diff import EnvelopeDiff, PackDiff, TierChange
    from memhtml_core.pack.entries import EnvelopeName, Pack
    from memhtml_core.pack.threshold import NextSteps, PackSteps, Step
    from memhtml_core.rank.request import Ranking, Request

NAMED = 3
"""Memories that a threshold's sentence names; the others are counted."""


def step_text(step: Step | None, *, up: bool) -> Text:
    """One threshold as a sentence: how many characters, and what they turn into what."""
    if step is None:
        return span("no budget above turns anything" if up else "no budget below turns anything", DIM)
    count = abs(step.by)
    text = span(f"{count:,} {'more' if up else 'fewer'} ", BOLD)
    text.append(f"{'character turns' if count == 1 else 'characters turn'} ")
    changes = step.diff.changes
    text.append_text(Text(", and ").join([_turned(change) for change in changes[:NAMED]]))
    if len(changes) > NAMED:
        text.append(f", and {len(changes) - NAMED} more", DIM)
    return text


def _turned(change: TierChange) -> Text:
    text = line(change.title if change.title.strip() else change.path, BOLD)
    return text.append(f" from {change.before or 'outside'} to {change.after or 'outside'}")


def step_lines(steps: PackSteps, current: EnvelopeName, look: Look) -> list[Line]:
    """Both directions of both envelopes, the envelope under the cursor first."""
    both: tuple[NextSteps, ...] = (steps.memories, steps.arcs)
    if current == "arcs":
        both = (steps.arcs, steps.memories)
    lines = []
    for number, each in enumerate(both):
        for up, step, sign in ((True, each.up, look.sign("▴", "^")), (False, each.down, look.sign("▾", "v"))):
            if number and step is None:
                continue
            lines.append(pair(f"{each.name} {sign}", step_text(step, up=up), 11))
    return lines


def step_line(steps: PackSteps, current: EnvelopeName) -> Text:
    """The threshold above, of the envelope under the cursor, for small screens."""
    each = steps.arcs if current == "arcs" else steps.memories
    return step_text(each.up, up=True) if each.up is not None else step_text(each.down, up=False)


def setting_text(ranking: Ranking, look: Look) -> Text:
    """The pack order and the cap: what else decides the tiers."""
    parts = [Text(f"order {ranking.pack_order}"), Text(f"cap {ranking.per_entity} full per entity")]
    return join(parts, f" {look.dot} ")


def diff_lines(diff: PackDiff, before: Request, after: Request, look: Look) -> list[Line]:
    """What changed since the kept pack: the request, then every memory whose tier differs."""
    lines = [pair("changed", line(", ".join(request_changes(before, after)) or "nothing in the request"))]
    for each in (diff.arcs, diff.memories):
        if each.changes or each.moved or each.budget_before != each.budget_after:
            lines += _envelope_diff(each, look)
    if not diff.any:
        lines.append(Line(span("No memory changed its tier, came or left.", DIM)))
    return lines


def diff_text(diff: PackDiff) -> Text:
    """The same as one phrase: how many turned, came and left."""
    both = (diff.arcs, diff.memories)
    counts = (
        ("turned", sum(len(each.turned) for each in both)),
        ("came", sum(len(each.came) for each in both)),
        ("left", sum(len(each.left) for each in both)),
        ("moved", sum(each.moved for each in both)),
    )
    return Text(", ".join(f"{count} {word}" for word, count in counts if count) or "no tier changed")


def request_changes(before: Request, after: Request) -> list[str]:
    """What differs between two requests, each as `name before to after`; the instant does not count."""
    found = []
    if before.query != after.query:
        found.append(f"query {before.query or '(empty)'} to {after.query or '(empty)'}")
    if before.like != after.like:
        found.append(f"like {before.like or 'nothing'} to {after.like or 'nothing'}")
    if before.scope != after.scope:
        found.append("the scope")
    if before.simulated != after.simulated:
        found.append("the simulated outages")
    old, new = before.ranking, after.ranking
    for name in old.__dataclass_fields__:
        was, now = getattr(old, name), getattr(new, name)
        if was == now:
            continue
        if name == "weights":
            words = sorted(k for k in {*was, *now} if was.get(k) != now.get(k))
            found.append(f"weights of {', '.join(words)}")
        elif name == "off":
            found.append(f"arms off: {', '.join(sorted(now)) or 'none'}")
        else:
            found.append(f"{_NAMES.get(name, name.replace('_', ' '))} {_said(was)} to {_said(now)}")
    return found


_NAMES = {
    "arcs_budget": "arcs budget",
    "memories_budget": "memories budget",
    "per_entity": "cap",
    "pack_order": "order",
    "mmr_lambda": "lambda",
}


def _said(value: object) -> str:
    if isinstance(value, bool):
        return "on" if value else "off"
    return (
        f"{value:,}" if isinstance(value, int) else f"{value:g}" if isinstance(value, float) else str(value)
    )


def _envelope_diff(diff: EnvelopeDiff, look: Look) -> list[Line]:
    arrow = look.sign("→", "->")
    before = f"{diff.spent_before:,} of {diff.budget_before:,}"
    numbers = f"{before} {arrow} {diff.spent_after:,} of {diff.budget_after:,}"
    lines = [Line(span(f"{diff.name} ", BOLD).append_text(span(numbers, DIM)))]
    for change in diff.changes:
        was = look.tier(change.before) if change.before else _OUT
        now = look.tier(change.after) if change.after else _OUT
        hue = "success" if _height(change.after) > _height(change.before) else "warning"
        label = span(f"{was} {arrow} {now} ", look.style(hue))
        text = line(change.title if change.title.strip() else change.path)
        if change.before is None or change.after is None:
            text.append("  came" if change.before is None else "  left", DIM)
        lines.append(Line(text, label, len(label.plain)))
    if diff.moved:
        lines.append(Line(span(f"{diff.moved} in the same tier at another place", DIM)))
    return lines


_OUT = "-  "


def _height(tier: str | None) -> int:
    return {None: 0, "index": 1, "disclosure": 2, "full": 3}[tier]


def kept_text(pack: Pack) -> Text:
    """The kept pack in one phrase, for the title of the pane."""
    return Text(f"since the kept pack ({pack.arcs.spent + pack.memories.spent:,} characters)")
