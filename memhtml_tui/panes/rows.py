"""The base of every list: a table whose cells are `Text` only, updated in place, cursor on the same memory.

A `str` cell would be parsed as markup by the framework, hence the refusal. Rows are keyed by path.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from rich.text import Text
from textual import events
from textual.binding import BindingType
from textual.widgets import DataTable
from textual.widgets.data_table import RowKey

from memhtml_tui.keys import bindings
from memhtml_tui.look import Look
from memhtml_tui.messages import OpenWanted, PeekWanted, RowPointed

if TYPE_CHECKING:
    from memhtml_core.access.rows import Signal


@dataclass(frozen=True)
class Column:
    """A column of fixed width in cells; a `grows` column takes what the others leave."""

    key: str
    label: Text
    width: int
    grows: bool = False
    right: bool = False


class Rows(DataTable[Text], inherit_bindings=False):
    """A list of memories with one cursor line. Subclasses say which columns fit a width and draw the
    cells."""

    BINDINGS: ClassVar[list[BindingType]] = [*bindings("rows")]
    MIN_GROW = 8

    def __init__(self, look: Look, *, id: str | None = None) -> None:
        super().__init__(
            id=id,
            cursor_type="row",
            zebra_stripes=False,
            cell_padding=1,
            cursor_foreground_priority="renderable",
        )
        self.look = look
        self._paths: tuple[str, ...] = ()
        self._layout: tuple[tuple[str, str, str, int], ...] = ()
        self._chosen: str | None = None
        self._placed: str | None = None
        self._pointed: str | None = None
        self._wished: str | None = None

    def columns_for(self, width: int) -> Sequence[Column]:
        """The columns that fit `width` cells."""
        raise NotImplementedError

    def cells(self, path: str, columns: Sequence[Column]) -> Sequence[Text]:
        """The cells of one row, already cut to their columns."""
        raise NotImplementedError

    @property
    def paths(self) -> tuple[str, ...]:
        """The memories listed, in order."""
        return self._paths

    @property
    def pointed(self) -> str | None:
        """The memory under the cursor."""
        if 0 <= self.cursor_row < len(self._paths):
            return self._paths[self.cursor_row]
        return None

    def fill(self, paths: Sequence[str], *, top: bool = False) -> None:
        """List these memories.

        While the list has the focus the cursor stays on its memory; while a query is being written it goes
        to the memory that a person chose last, and as long as nobody chose, it stays at the top. A memory
        that is not listed leaves it at the top, and so does `top`.
        """
        kept = None if top else self.pointed if self.has_focus else self._chosen
        if self._wished in paths:
            kept, self._wished = self._wished, None
        columns = self._fitted()
        layout = _layout(columns)
        if layout == self._layout and tuple(paths) == self._paths:
            for path in paths:
                for column, cell in zip(columns, self.cells(path, columns), strict=True):
                    if self.get_cell(path, column.key) != cell:
                        self.update_cell(path, column.key, cell)
        else:
            self._rebuild(paths, columns, layout)
        self._paths = tuple(paths)
        place = self._paths.index(kept) if kept in self._paths else 0
        if self._paths and (place != self.cursor_row or top):
            self.move_cursor(row=place, scroll=True)
        self._placed = self.pointed
        self._point()

    def point_at(self, path: str | None) -> None:
        """Put the cursor on a memory as soon as it is listed, unless a person moves it before."""
        self._chosen = self._wished = path

    def _rebuild(
        self, paths: Sequence[str], columns: Sequence[Column], layout: tuple[tuple[str, str, str, int], ...]
    ) -> None:
        with self.prevent(DataTable.RowHighlighted):
            if layout != self._layout:
                self.clear(columns=True)
                for column in columns:
                    label = column.label.copy()
                    label.justify = "right" if column.right else "left"
                    self.add_column(label, width=column.width, key=column.key)
                self._layout = layout
            else:
                self.clear()
            for path in paths:
                self.add_row(*self.cells(path, columns), key=path)

    def add_row(
        self, *cells: Text, height: int | None = 1, key: str | None = None, label: str | Text | None = None
    ) -> RowKey:
        """As in the base class, for `Text` cells only; raises `TypeError` for anything that would be
        parsed."""
        if not all(isinstance(cell, Text) for cell in cells):
            raise TypeError("cells of a list are Text, never str: a str would be parsed as markup")
        return super().add_row(*cells, height=height, key=key, label=None)

    def _fitted(self) -> Sequence[Column]:
        width = self.scrollable_content_region.width or self.size.width or 80
        columns = list(self.columns_for(width))
        taken = sum(c.width + 2 * self.cell_padding for c in columns if not c.grows)
        return [
            Column(c.key, c.label, max(self.MIN_GROW, width - taken - 2 * self.cell_padding), True, c.right)
            if c.grows
            else c
            for c in columns
        ]

    def refit(self) -> None:
        """Draw everything again, for another width, glyph set or theme."""
        self.fill(self._paths)

    def on_resize(self, event: events.Resize) -> None:
        """Columns follow the width."""
        columns = self._fitted()
        if _layout(columns) != self._layout:
            self.refit()

    def on_data_table_row_highlighted(self, event: DataTable.RowHighlighted) -> None:
        """Tell the screen which memory the cursor is on."""
        event.stop()
        if self.has_focus and self.pointed != self._placed:
            self._wished = None
            self._chosen = self._placed = self.pointed
        self._point()

    def on_data_table_row_selected(self, event: DataTable.RowSelected) -> None:
        """A click on the current row only points; opening is a key (DESIGN 8)."""
        event.stop()

    def _point(self) -> None:
        if self.pointed != self._pointed:
            self._pointed = self.pointed
            self.post_message(RowPointed(self._pointed))

    def action_open(self, signal: Signal) -> None:
        """Open the memory under the cursor."""
        if self.pointed is not None:
            self.post_message(OpenWanted(self.pointed, signal))

    def action_peek(self) -> None:
        """Look at the memory under the cursor."""
        if self.pointed is not None:
            self.post_message(PeekWanted(self.pointed))


def _layout(columns: Sequence[Column]) -> tuple[tuple[str, str, str, int], ...]:
    """What makes a rebuild necessary when it changes: keys, labels with their styles, widths."""
    return tuple((c.key, c.label.plain, str(c.label.spans or c.label.style), c.width) for c in columns)
