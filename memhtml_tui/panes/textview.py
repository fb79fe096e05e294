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
from memhtml_tui.panes.finding import Place, places


class TextView(ScrollView, can_focus=True, inherit_bindings=False):
    """Lines, wrapped to the width. `show` keeps the place when asked to, else starts at the top."""

    BINDINGS: ClassVar[list[BindingType]] = [*bindings("text")]
    PLACE = "text"
    HELP = "A text. It shows stored text as it is: no markup, no escape and no link acts."

    def __init__(self, title: str = "", *, id: str | None = None, classes: str | None = None) -> None:
        super().__init__(id=id, classes=classes)
        self._lines: Sequence[Line] = ()
        self._draw: Callable[[int], Sequence[Line]] | None = None
        self._rows: list[Text] = []
        self._wrapped_at = -1
        self._words = ""
        self._found: list[tuple[Place, ...]] = []
        self._match = 0
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

    def find(self, words: str) -> None:
        """Mark every match of `words` and go to the first one at or below the top row; "" marks none."""
        self._words = words
        self._found = places([row.plain for row in self._rows], words)
        top = self.scroll_offset.y
        below = [n for n, stretches in enumerate(self._found) if stretches[0].row >= top]
        self._match = below[0] if below else 0
        self._to_match()

    def next_match(self, step: int) -> None:
        """To the next match, or with -1 to the one before, round the ends."""
        if self._found:
            self._match = (self._match + step) % len(self._found)
            self._to_match()

    @property
    def matches(self) -> tuple[int, int]:
        """The number of the current match, from 1, and how many there are; 0 and 0 without any."""
        return (self._match + 1 if self._found else 0, len(self._found))

    def _to_match(self) -> None:
        if self._found:
            row = self._found[self._match][0].row
            height = max(1, self.scrollable_content_region.height)
            if not self.scroll_offset.y <= row < self.scroll_offset.y + height:
                self.scroll_to(y=max(0, row - height // 3), animate=False, immediate=True)
        self.refresh()

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
            if self._words:
                self._found = places([row.plain for row in self._rows], self._words)
                self._match = min(self._match, max(0, len(self._found) - 1))
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
        text = self._rows[row]
        if self._found:
            text = text.copy()
            for number, stretches in enumerate(self._found):
                for place in stretches:
                    if place.row == row:
                        sign = "reverse bold" if number == self._match else "reverse"
                        text.stylize(sign, place.start, place.end)
        segments: list[Segment] = list(text.render(self.app.console, end=""))
        return Strip(segments).apply_style(style).adjust_cell_length(width, style)
