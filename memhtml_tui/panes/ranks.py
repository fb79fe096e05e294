"""The rank table: place, title, one rank per arm, the fused score and its bar, of one `Outcome` (DESIGN 9).

Ranks are the main thing. `-` is *not seen*, an arm that did not run has a struck letter. A fused score is
never a percentage and its bar is never stretched: all rows share one scale.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from rich.style import Style
from rich.text import Text

from memhtml_tui.look import NOT_SEEN, ArmLook, Look, bar
from memhtml_tui.panes.draw import BOLD, DIM, cut, line, span
from memhtml_tui.panes.rows import Column, Rows

if TYPE_CHECKING:
    from memhtml_core.rank.outcome import Candidate, Hit, Outcome

Registry = Sequence[tuple[str, str, str]]
"""The arms in the order in which they are shown: name, letter, label."""

_STRUCK = Style(strike=True, dim=True)


class RankTable(Rows):
    """Hits of a search, in their order."""

    HELP = "The ranked memories. An arm's letter heads its ranks; - means that it did not see the memory."

    def __init__(self, look: Look, *, id: str | None = None) -> None:
        super().__init__(look, id=id)
        self._arms: list[ArmLook] = []
        self._hits: dict[str, Hit] = {}
        self._lines: dict[str, Candidate] = {}
        self._scale = 0.0

    def show(self, outcome: Outcome, registry: Registry, *, top: bool = False) -> None:
        """Draw the hits of `outcome`."""
        self._arms = self.look.arms(outcome, registry)
        self._hits = {hit.path: hit for hit in outcome.hits}
        self._lines = {c.path: c for c in outcome.candidates if c.path in self._hits}
        self._scale = max((c.fused for c in self._lines.values()), default=0.0)
        self.fill([hit.path for hit in outcome.hits], top=top)

    def columns_for(self, width: int) -> Sequence[Column]:
        """By falling importance when it gets narrow: the bar goes first, then arms from the last."""
        place = Column("place", Text("#"), 3 if width >= 50 else 2, right=True)
        title = Column("title", Text("title"), 0, grows=True)
        fused = Column("fused", Text("fused"), 6, right=True)
        arms = [
            Column(
                arm.name,
                span(arm.letter, arm.style if arm.ran else _STRUCK),
                2 if width < 50 else 3,
                right=True,
            )
            for arm in self._arms
        ]
        if width < 50:
            arms = arms[: max(2, (width - 24) // 4)]
        sum_bar = Column("bar", Text("contribution"), 20 if width >= 110 else 12)
        columns = [place, title, *arms, fused]
        return [*columns, sum_bar] if width >= 74 else columns

    def cells(self, path: str, columns: Sequence[Column]) -> Sequence[Text]:
        """The cells of a hit."""
        hit, candidate = self._hits[path], self._lines.get(path)
        arms = {arm.name: arm for arm in self._arms}
        cells = []
        for column in columns:
            if column.key == "place":
                cell = span(str(hit.place), BOLD)
            elif column.key == "title":
                cell = cut(self._title(hit), column.width, self.look)
            elif column.key == "fused":
                cell = Text("" if candidate is None else f"{candidate.fused:.4f}")
            elif column.key == "bar":
                cell = Text() if candidate is None else self._bar(candidate, column.width)
            else:
                rank = None if candidate is None else candidate.ranks.get(column.key)
                cell = span(NOT_SEEN, DIM) if rank is None else span(str(rank), arms[column.key].style)
            if column.right:
                cell.justify = "right"
            cells.append(cell)
        return cells

    def _title(self, hit: Hit) -> Text:
        text = marks(hit.card.memory_type, hit.card.archived, hit.card.superseded_by)
        text.append_text(line(hit.card.title) if hit.card.title.strip() else line(hit.path, DIM))
        return text

    def _bar(self, candidate: Candidate, width: int) -> Text:
        parts = [(candidate.contributions.get(a.name, 0.0), a.pattern, a.style) for a in self._arms]
        return bar(parts, self._scale, width)


def marks(memory_type: str, archived: bool, superseded_by: str | None) -> Text:
    """Words in front of a title for what a reader must not overlook."""
    words = []
    if archived:
        words.append("archived")
    if superseded_by:
        words.append("superseded")
    if memory_type in ("task", "arc", "person"):
        words.append(memory_type)
    return span("".join(f"({word}) " for word in words), DIM)
