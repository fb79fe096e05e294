"""Browse: every memory in scope as a page of rows; what an empty query shows (DESIGN 9)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from rich.text import Text

from memhtml_tui.look import Look
from memhtml_tui.messages import PageWanted
from memhtml_tui.panes.draw import DIM, cut, line
from memhtml_tui.panes.ranks import marks
from memhtml_tui.panes.rows import Column, Rows
from memhtml_tui.panes.tasks import due_text, held_text

if TYPE_CHECKING:
    from memhtml_core.browse.listing import Listing
    from memhtml_core.browse.tasks import TaskFacts
    from memhtml_core.rank.outcome import Card


class BrowseTable(Rows):
    """One page of the memories in scope. Moving past an edge asks for the next page."""

    HELP = (
        "Every memory in scope. Write a query to rank them; s sorts by the next column, S turns the order; "
        "moving past the last row turns the page, and so do . and ,"
    )

    def __init__(self, look: Look, *, id: str | None = None) -> None:
        super().__init__(look, id=id)
        self._listing: Listing | None = None
        self._cards: dict[str, Card] = {}
        self._tasks: Mapping[str, TaskFacts] = {}
        self._now = 0.0

    def show(self, listing: Listing, tasks: Mapping[str, TaskFacts] | None = None, now: float = 0.0) -> None:
        """Draw a page, with the facts of its tasks as of `now` (seconds since 1970).

        Coming back from the page behind it, the cursor stands on the last row.
        """
        before = self._listing
        turned = before is not None and _order(before) != _order(listing)
        self._listing = listing
        self._tasks, self._now = tasks or {}, now
        self._cards = {card.path: card for card in listing.rows}
        self.fill([card.path for card in listing.rows], top=turned)
        backwards = turned and before is not None and before.sort == listing.sort
        if backwards and before is not None and before.offset == listing.offset + len(listing.rows):
            self.move_cursor(row=len(listing.rows) - 1, scroll=True)

    def columns_for(self, width: int) -> Sequence[Column]:
        """Title and what it is sorted by stay; type, workspace and the other dates go first."""
        sort = self._listing.sort if self._listing is not None else "path"
        columns = [Column("title", Text("title"), 0, grows=True)]
        tasks = [card.memory_type == "task" for card in self._cards.values()]
        if width >= 50 and not (tasks and all(tasks)):
            columns.append(Column("type", Text("type"), 10))
        if width >= (100 if any(tasks) else 70):
            columns.append(Column("workspace", Text("workspace"), 14))
        if any(tasks) and width >= 60:
            columns.append(Column("status", Text("status"), 8))
            columns.append(Column("due", Text("due"), 14))
            if width >= 84 and any(each.waits_for for each in self._tasks.values()):
                columns.append(Column("waits", Text("waits for"), 14))
        dated = "event" if sort == "event" else "updated"
        columns.append(Column(dated, Text(dated), 10))
        if (
            self._listing is not None
            and self._listing.opens is not None
            and (width >= (110 if any(tasks) else 84) or sort == "opens")
        ):
            columns.append(Column("opens", Text("opens"), 5, right=True))
        return [
            Column(
                c.key,
                Text(f"{c.label.plain}{self._arrow() if c.key == sort else ''}"),
                c.width,
                c.grows,
                c.right,
            )
            for c in columns
        ]

    def _arrow(self) -> str:
        falling = self._listing is not None and self._listing.descending
        return self.look.sign("↓" if falling else "↑", "v" if falling else "^")

    def cells(self, path: str, columns: Sequence[Column]) -> Sequence[Text]:
        """The cells of a memory."""
        card = self._cards[path]
        opens = (
            None if self._listing is None or self._listing.opens is None else self._listing.opens.get(path, 0)
        )
        texts = {
            "type": line(card.memory_type),
            "workspace": line(card.workspace or "-"),
            "status": line(card.task_status or "-"),
            "due": line((card.due_at or "-")[:10]),
            "waits": Text("-"),
            "updated": line(card.updated_at[:10]),
            "event": line((card.event_at or "-")[:10]),
            "opens": Text("" if opens is None else str(opens), justify="right"),
        }
        if path in self._tasks:
            texts["due"] = due_text(self._tasks[path], self._now, self.look)
            texts["waits"] = held_text(self._tasks[path], self.look)
        cells = []
        for column in columns:
            if column.key == "title":
                title = marks(card.memory_type, card.archived, card.superseded_by)
                title.append_text(line(card.title) if card.title.strip() else line(path, DIM))
                cells.append(cut(title, column.width, self.look))
            else:
                cell = cut(texts[column.key], column.width, self.look)
                cell.justify = "right" if column.right else "left"
                cells.append(cell)
        return cells

    def action_page_down(self) -> None:
        """A screenful on; past the last row, the next page."""
        if self.cursor_row >= len(self.paths) - 1:
            self.post_message(PageWanted(1))
        else:
            super().action_page_down()

    def action_page_up(self) -> None:
        """A screenful back; before the first row, the previous page."""
        if self.cursor_row <= 0:
            self.post_message(PageWanted(-1))
        else:
            super().action_page_up()

    def action_cursor_down(self) -> None:
        """One row on; past the last, the next page."""
        if self.cursor_row >= len(self.paths) - 1:
            self.post_message(PageWanted(1))
        else:
            super().action_cursor_down()

    def action_cursor_up(self) -> None:
        """One row back; before the first, the previous page."""
        if self.cursor_row <= 0:
            self.post_message(PageWanted(-1))
        else:
            super().action_cursor_up()


def _order(listing: Listing) -> tuple[int, str, bool]:
    """What makes another page of the same list."""
    return listing.offset, listing.sort, listing.descending
