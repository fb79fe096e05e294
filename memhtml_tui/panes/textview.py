"""A scrolling view of lines that draws only what is on screen: the exact pack, a memory, the why of a row.

Line API instead of one big widget, so that the length of a memory costs nothing but its wrapping.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import ClassVar

from rich.segment import Segment
from rich.text import Text
from textual import events
from textual.binding import BindingType
from textual.content import Content
from textual.geometry import Size
from textual.scroll_view import ScrollView
from textual.strip import Strip

from memhtml_tui.keys import bindings
from memhtml_tui.panes.draw import Line, wrapped


class TextView(ScrollView, can_focus=True, inherit_bindings=False):
    """Lines, wrapped to the width. `show` keeps the place when asked to, else starts at the top."""

    BINDINGS: ClassVar[list[BindingType]] = [*bindings("text")]
    HELP = "A text. It shows stored text as it is: no markup, no escape and no link acts."

    def __init__(self, title: str = "", *, id: str | None = None, classes: str | None = None) -> None:
        super().__init__(id=id, classes=classes)
        self._lines: Sequence[Line] = ()
        self._draw: Callable[[int], Sequence[Line]] | None = None
        self._rows: list[Text] = []
        self._wrapped_at = -1
        if title:
            self.border_title = Content(title)

    def show(self, lines: Sequence[Line], *, keep_place: bool = False) -> None:
        """Show fixed lines."""
        self._draw, self._lines = None, tuple(lines)
        self._redraw(keep_place)

    def draw_with(self, draw: Callable[[int], Sequence[Line]], *, keep_place: bool = False) -> None:
        """Show what `draw` makes of the width in cells; called again when that changes."""
        self._draw = draw
        self._redraw(keep_place)

    @property
    def plain(self) -> str:
        """What is shown, as text."""
        return "\n".join(row.plain for row in self._rows)

    @property
    def allow_horizontal_scroll(self) -> bool:
        """Lines are wrapped, so the left and right keys stay free."""
        return False

    def on_resize(self, event: events.Resize) -> None:
        """Wrap again at the new width."""
        if self.scrollable_content_region.width != self._wrapped_at:
            self._redraw(keep_place=True)

    def _redraw(self, keep_place: bool) -> None:
        width = self.scrollable_content_region.width
        self._wrapped_at = width
        if width > 0:
            lines = self._lines if self._draw is None else self._draw(width)
            self._rows = wrapped(lines, width)
        self.virtual_size = Size(max(width, 0), len(self._rows))
        if not keep_place:
            self.scroll_to(y=0, animate=False, immediate=True)
        self.refresh()

    def render_line(self, y: int) -> Strip:
        """One row of the view."""
        row = y + self.scroll_offset.y
        width = self.size.width
        style = self.rich_style
        if row >= len(self._rows):
            return Strip.blank(width, style)
        segments: list[Segment] = list(self._rows[row].render(self.app.console, end=""))
        return Strip(segments).apply_style(style).adjust_cell_length(width, style)
