"""The pack: its entries with tier, cost and reason, its budgets as bars with numbers (DESIGN 6, 9)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from rich.text import Text

from memhtml_core.pack.entries import Envelope, EnvelopeName, Pack, PackEntry, Tier, TierReason
from memhtml_tui.look import Look, bar
from memhtml_tui.panes.draw import BOLD, DIM, Line, block, cut, line, pair, span
from memhtml_tui.panes.rows import Column, Rows

if TYPE_CHECKING:
    from memhtml_core.pack.render import Rendered


class PackTable(Rows):
    """The entries of both envelopes in the order in which they are rendered, arcs first."""

    HELP = "What the agent would read: F in full, D its claim on one line, I title and path only."

    def __init__(self, look: Look, *, id: str | None = None) -> None:
        super().__init__(look, id=id)
        self._entries: dict[str, PackEntry] = {}
        self._homes: dict[str, EnvelopeName] = {}

    def show(self, pack: Pack, *, top: bool = False) -> None:
        """Draw a pack."""
        both = (pack.arcs, pack.memories)
        self._entries = {entry.path: entry for envelope in both for entry in envelope.entries}
        self._homes = {entry.path: envelope.name for envelope in both for entry in envelope.entries}
        self.fill(list(self._entries), top=top)

    @property
    def envelope(self) -> EnvelopeName:
        """The envelope under the cursor; the memories' where nothing is listed."""
        return self._homes.get(self.pointed or "", "memories")

    @property
    def entry(self) -> PackEntry | None:
        """The entry under the cursor."""
        return self._entries.get(self.pointed or "")

    def columns_for(self, width: int) -> Sequence[Column]:
        """Place, tier and title always; costs and reasons as they fit."""
        columns = [Column("place", Text("#"), 3, right=True), Column("tier", Text("tier"), 4)]
        if width >= 46:
            columns.append(Column("cost", Text("chars"), 6, right=True))
        columns.append(Column("title", Text("title"), 0, grows=True))
        if width >= 62:
            columns.append(Column("reason", Text("reason"), 26))
        return columns

    def cells(self, path: str, columns: Sequence[Column]) -> Sequence[Text]:
        """The cells of an entry."""
        entry = self._entries[path]
        mark = "a" if self._homes[path] == "arcs" else ""
        texts = {
            "place": span(f"{mark}{entry.place}", BOLD),
            "tier": span(self.look.tier(entry.tier), self.look.style(_TIER_HUES[entry.tier])),
            "cost": span(f"{entry.cost:,}" if entry.cost else "-", "" if entry.cost else DIM),
            "title": line(entry.title) if entry.title.strip() else line(path, DIM),
            "reason": span(short_reason(entry), DIM),
        }
        cells = []
        for column in columns:
            cell = cut(texts[column.key], column.width, self.look).copy()
            cell.justify = "right" if column.right else "left"
            cells.append(cell)
        return cells


_TIER_HUES = {"full": "success", "disclosure": "warning", "index": "foreground"}


def short_reason(entry: PackEntry) -> str:
    """The reason of the tier in a few words, for a column."""
    if entry.full_reason is TierReason.QUOTED:
        return "quoted"
    if entry.full_reason is TierReason.CAPPED:
        return f"cap: {line(entry.cap_entity or '').plain}"
    return f"needs {entry.needs:,}, {entry.left:,} left"


def reason_lines(entry: PackEntry, titles: dict[str, str], look: Look) -> list[Line]:
    """Why the entry stands in its tier, in full: both passes of the fold."""
    head = span(f"{look.tier(entry.tier)}  ", look.style(_TIER_HUES[entry.tier], bold=True))
    head.append_text(line(entry.title or entry.path, BOLD))
    lines = [Line(head)]
    if entry.full_reason is TierReason.QUOTED:
        lines.append(pair("full", Text(f"quoted: {entry.cost:,} characters of {entry.left:,} left"), 12))
        return lines
    if entry.full_reason is TierReason.CAPPED:
        text = Text("capped by entity ")
        text.append_text(line(entry.cap_entity or "", BOLD))
        text.append(", used up by ")
        text.append_text(line(" and ".join(titles.get(path, path) for path in entry.cap_holders)))
        lines.append(pair("full", text, 12))
    else:
        lines.append(pair("full", Text(f"needs {entry.needs:,} characters, {entry.left:,} were left"), 12))
    if entry.line_reason is TierReason.QUOTED:
        said = f"its claim stands on one line: {entry.cost:,} characters"
    elif entry.line_reason is TierReason.NEEDS_MORE:
        said = f"its claim needs {entry.line_needs:,} characters, {entry.line_left:,} were left"
    else:
        said = entry.line_reason.value if entry.line_reason is not None else ""
    lines.append(pair("disclosure", Text(said), 12))
    if entry.tier == "index":
        lines.append(pair("index", Text("title and path; costs nothing"), 12))
    return lines


def budget_lines(pack: Pack, rendered: Rendered, look: Look, width: int, current: EnvelopeName) -> list[Line]:
    """Both envelopes as bars with numbers, the tiers counted, the whole text's size."""
    lines = [
        Line(_budget(envelope, look, width, envelope.name == current))
        for envelope in (pack.arcs, pack.memories)
    ]
    tiers = Text()
    for tier in _TIERS:
        count = pack.arcs.count(tier) + pack.memories.count(tier)
        tiers.append(look.tier(tier), look.style(_TIER_HUES[tier])).append(f" {tier} ", DIM)
        tiers.append(f"{count}   ", BOLD)
    size = Text(f"{rendered.characters:,} characters as written, about {rendered.tokens_estimate:,} tokens")
    return [*lines, Line(tiers), Line(size)]


_TIERS: tuple[Tier, ...] = ("full", "disclosure", "index")


def _budget(envelope: Envelope, look: Look, width: int, current: bool) -> Text:
    text = span(f"{look.sign('▸', '>') if current else ' '} {envelope.name:<9}", BOLD if current else "")
    numbers = f" {envelope.spent:,} of {envelope.budget:,}"
    room = max(4, min(40, width - len(text.plain) - len(numbers) - 1))
    parts = [
        (float(envelope.full_spent), look.sign("█", "#"), look.style("success")),
        (float(envelope.line_spent), look.sign("▒", "="), look.style("warning")),
    ]
    drawn = bar(parts, float(max(1, envelope.budget)), room)
    text.append_text(drawn)
    text.append(look.rest * (room - len(drawn.plain)), DIM)
    text.append(numbers)
    return text


def budget_line(pack: Pack, look: Look) -> Text:
    """Both budgets in one line, for small screens."""
    parts = []
    for envelope in (pack.arcs, pack.memories):
        if not envelope.entries and envelope.name == "arcs":
            continue
        tiers = [f"{look.tier(tier)} {envelope.count(tier)}" for tier in _TIERS[:2]]
        parts.append(f"{envelope.name} {envelope.spent:,}/{envelope.budget:,}  {'  '.join(tiers)}")
    return Text("   ".join(parts))


def exact_lines(rendered: Rendered) -> list[Line]:
    """The exact text, line by line; what wraps keeps its indentation."""
    lines = []
    for text in block(rendered.text.removesuffix("\n")):
        indent = len(text.plain) - len(text.plain.lstrip(" "))
        lines.append(Line(text[indent:], text[:indent], indent))
    return lines
