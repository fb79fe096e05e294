"""The rank table: place, title, one rank per arm, the fused score and its bar, of one `Outcome` (DESIGN 9).

Ranks are the main thing. `-` is *not seen*, an arm that did not run has a struck letter. A fused score is
never a percentage and its bar is never stretched: all rows share one scale.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from rich.style import Style
from rich.text import Text
from textual.content import Content

from memhtml_tui.look import NOT_SEEN, ArmLook, Look, bar
from memhtml_tui.panes.draw import BOLD, DIM, cut, line, marked, query_words, span
from memhtml_tui.panes.ranking import END, orders, passed_over, ranked
from memhtml_tui.panes.rows import Column, Rows

if TYPE_CHECKING:
    from memhtml_core.rank.outcome import Candidate, Outcome
    from memhtml_tui.panes.ranking import Ranked

Registry = Sequence[tuple[str, str, str]]
"""The arms in the order in which they are shown: name, letter, label."""

EXTRA = (
    ("fused", "fused score"),
    ("bar", "contribution of each arm"),
    ("snippet", "snippet with the matched words"),
    ("type", "type"),
    ("workspace", "workspace"),
    ("updated", "updated"),
)
"""Columns that a person may choose beside place, title and the arms: key and words."""

WIDE_FOR_SNIPPET = 120
"""Cells from which a table shows snippets unasked."""

_STRUCK = Style(strike=True, dim=True)
_BEFORE_MATCH = 12
_WIDTHS = {"fused": 6, "type": 10, "workspace": 12, "updated": 10}


class RankTable(Rows):
    """Hits of a search in their order, with the rest of its pool where a person wants to see it."""

    HELP = (
        "The ranked memories. An arm's letter heads its ranks; - means that it did not see the memory. "
        "(habit) marks a memory that only recency and salience brought, (passed over) one that stood in the "
        "pool and did not make it into the hits."
    )

    def __init__(self, look: Look, *, id: str | None = None) -> None:
        super().__init__(look, id=id)
        self.rest = False
        self.sort_by = END
        self.chosen_columns: tuple[str, ...] | None = None
        self._outcome: Outcome | None = None
        self._registry: Registry = ()
        self._arms: list[ArmLook] = []
        self._rows: dict[str, Ranked] = {}
        self._words: frozenset[str] = frozenset()
        self._scale = 0.0

    def show(self, outcome: Outcome, registry: Registry, *, top: bool = False) -> None:
        """Draw the hits of `outcome`, and with `rest` what its pool held besides."""
        self._outcome, self._registry = outcome, registry
        self._arms = self.look.arms(outcome, registry)
        rows = ranked(outcome, rest=self.rest, sort=self.order_key)
        self._rows = {row.path: row for row in rows}
        self._words = query_words(outcome.forms.used)
        self._scale = max((row.candidate.fused for row in rows if row.candidate is not None), default=0.0)
        self.border_title = Content(self.heading())
        self.fill([row.path for row in rows], top=top)

    @property
    def order_key(self) -> str:
        """The order in force: the one chosen, or the answer's own where the chosen arm did not run."""
        if self._outcome is None:
            return END
        return self.sort_by if self.sort_by in dict(orders(self._outcome, self._registry)) else END

    def heading(self) -> str:
        """What is listed: how many of which limit, what was passed over, in which order."""
        outcome = self._outcome
        if outcome is None:
            return "ranks"
        parts = [f"ranks: {len(outcome.hits)} of limit {outcome.request.limit}"]
        over = passed_over(outcome)
        if over:
            parts.append(f"{over} passed over" + ("" if self.rest else " (p)"))
        if self.order_key != END:
            parts.append(f"sorted: {dict(orders(outcome, self._registry))[self.order_key]}")
        else:
            parts.append(f"in {'MMR' if outcome.request.ranking.mmr else 'fused'} order")
        return f" {self.look.dot} ".join(parts)

    def columns_for(self, width: int) -> Sequence[Column]:
        """Those chosen, as far as they fit; else by falling importance when it gets narrow: the bar goes
        first, then arms from the last.
        """
        arms = [self._arm_column(arm, 2 if width < 50 else 3) for arm in self._arms]
        head = [
            Column("place", self._label("#", END), 3 if width >= 50 else 2, right=True),
            Column("title", Text("title"), 0, grows=True),
        ]
        if self.chosen_columns is not None:
            wanted = [column for column in arms if column.key in self.chosen_columns]
            wanted += [self._extra(key, width) for key, _ in EXTRA if key in self.chosen_columns]
            return _fitting([*head, *wanted], width, 2 * self.cell_padding)
        if width < 50:
            arms = arms[: max(2, (width - 24) // 4)]
        keys = ["fused"]
        keys += ["bar"] if width >= 74 else []
        keys += ["snippet"] if width >= WIDE_FOR_SNIPPET else []
        return [*head, *arms, *(self._extra(key, width) for key in keys)]

    def _arm_column(self, arm: ArmLook, width: int) -> Column:
        label = span(arm.letter, arm.style if arm.ran else _STRUCK)
        if self.order_key == arm.name:
            label.append(self.look.sign("↓", "v"))
        return Column(arm.name, label, width, right=True)

    def _label(self, words: str, key: str) -> Text:
        """A heading, marked where the rows stand in its order and that is not the answer's own."""
        sorted_by = self.order_key == key and key != END
        return Text(words + (self.look.sign("↓", "v") if sorted_by else ""))

    def _extra(self, key: str, width: int) -> Column:
        if key == "bar":
            return Column(key, Text("contribution"), 20 if width >= 110 else 12)
        if key == "snippet":
            return Column(key, Text("snippet"), max(16, width * 2 // 5))
        return Column(key, self._label(key, key), _WIDTHS[key], right=key == "fused")

    def cells(self, path: str, columns: Sequence[Column]) -> Sequence[Text]:
        """The cells of a row."""
        row = self._rows[path]
        arms = {arm.name: arm for arm in self._arms}
        short = any(column.key == "place" and column.width < 3 for column in columns)
        cells = []
        for column in columns:
            if column.key in arms:
                rank = None if row.candidate is None else row.candidate.ranks.get(column.key)
                cell = span(NOT_SEEN, DIM) if rank is None else span(str(rank), arms[column.key].style)
            else:
                cell = self._cell(row, column, short)
            if column.right:
                cell.justify = "right"
            cells.append(cell)
        return cells

    def _cell(self, row: Ranked, column: Column, short: bool) -> Text:
        candidate, card = row.candidate, row.card
        if column.key == "place":
            return span(self.look.dot, DIM) if row.place is None else span(str(row.place), BOLD)
        if column.key == "title":
            return cut(self._title(row, short), column.width, self.look)
        if column.key == "fused":
            return Text("" if candidate is None else f"{candidate.fused:.4f}")
        if column.key == "bar":
            return Text() if candidate is None else self._bar(candidate, column.width)
        if column.key == "snippet":
            return self._snippet(row, column.width)
        said = {"type": card.memory_type, "workspace": card.workspace or "-", "updated": card.updated_at[:10]}
        return cut(line(said[column.key]), column.width, self.look)

    def _title(self, row: Ranked, short: bool) -> Text:
        card = row.card
        more = []
        if row.place is None and not short:
            more.append("passed over")
        if row.candidate is not None and _by_habit(row.candidate):
            more.append("habit")
        text = marks(card.memory_type, card.archived, card.superseded_by, more)
        faint = DIM if row.place is None else ""
        text.append_text(line(card.title, faint) if card.title.strip() else line(row.path, DIM))
        return text

    def _snippet(self, row: Ranked, width: int) -> Text:
        """The text from shortly before its first matched word, so that the word is in sight."""
        text = line(row.snippet if row.snippet.strip() else row.card.gist)
        found = marked(text, self._words, self.look)
        first = found.plain.find(self.look.open_quote) if found is not text else -1
        if first > width // 2:
            found = Text(self.look.ellipsis).append_text(found[first - _BEFORE_MATCH :])
        return cut(found, width, self.look)

    def _bar(self, candidate: Candidate, width: int) -> Text:
        parts = [(candidate.contributions.get(a.name, 0.0), a.pattern, a.style) for a in self._arms]
        return bar(parts, self._scale, width)


def marks(memory_type: str, archived: bool, superseded_by: str | None, more: Sequence[str] = ()) -> Text:
    """Words in front of a title for what a reader must not overlook."""
    words = list(more)
    if archived:
        words.append("archived")
    if superseded_by:
        words.append("superseded")
    if memory_type in ("task", "arc", "person"):
        words.append(memory_type)
    return span("".join(f"({word}) " for word in words), DIM)


def _by_habit(candidate: Candidate) -> bool:
    from memhtml_core.browse.empty import by_habit_alone

    return by_habit_alone(candidate)


def _fitting(columns: Sequence[Column], width: int, padding: int) -> list[Column]:
    """The columns up to the first that leaves the growing one less than its least width."""
    kept: list[Column] = []
    room = width - padding - Rows.MIN_GROW
    for column in columns:
        room -= 0 if column.grows else column.width + padding
        if room < 0 and not column.grows:
            break
        kept.append(column)
    return kept
