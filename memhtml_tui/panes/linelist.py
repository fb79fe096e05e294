"""A list of any length with one cursor line, drawn line by line: only what is on screen costs anything.

The framework's list of options measures every option before it shows the first (craft of speed); this one
knows that each is one row.
"""

from __future__ import annotations

from typing import ClassVar

from rich.segment import Segment
from rich.style import Style
from rich.text import Text
from textual import events
from textual.binding import BindingType
from textual.geometry import Region, Size
from textual.message import Message
from textual.scroll_view import ScrollView
from textual.strip import Strip

from memhtml_tui.keys import bindings
from memhtml_tui.look import Look
from memhtml_tui.panes.draw import cut


class LineList(ScrollView, can_focus=True, inherit_bindings=False):
    """Rows by number. A subclass says how many there are, draws one, and which of them can be chosen.

    `nothing` is said where there are none.
    """

    BINDINGS: ClassVar[list[BindingType]] = [*bindings("lines")]

    class Chosen(Message):
        """Enter, `space` or a click on the row under the cursor."""

        def __init__(self, lines: LineList, row: int) -> None:
            super().__init__()
            self.lines = lines
            self.row = row

        @property
        def control(self) -> LineList:
            """The list."""
            return self.lines

    class Pointed(Message):
        """The cursor stands on another row."""

        def __init__(self, lines: LineList) -> None:
            super().__init__()
            self.lines = lines

        @property
        def control(self) -> LineList:
            """The list."""
            return self.lines

    def __init__(self, look: Look, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self.look = look
        self.cursor = 0
        self.nothing = ""

    @property
    def count(self) -> int:
        """How many rows there are."""
        raise NotImplementedError

    def row(self, place: int, width: int) -> Text:
        """One row in at most `width` cells."""
        raise NotImplementedError

    def choosable(self, place: int) -> bool:
        """Whether the cursor may stand on this row."""
        return 0 <= place < self.count

    @property
    def allow_horizontal_scroll(self) -> bool:
        """Rows are cut, so the left and right keys stay free."""
        return False

    def changed(self, cursor: int | None = None) -> None:
        """Draw anew after the rows changed, the cursor at `cursor` or the nearest row it may stand on."""
        self.virtual_size = Size(self.scrollable_content_region.width, self.count)
        self.cursor = self._nearest(self.cursor if cursor is None else cursor)
        self._follow()
        self.refresh()
        self.post_message(self.Pointed(self))

    def on_resize(self, event: events.Resize) -> None:
        """Keep the cursor in sight."""
        self.virtual_size = Size(self.scrollable_content_region.width, self.count)
        self._follow()

    def move(self, steps: int) -> None:
        """Move the cursor by choosable rows; a screenful is cut short at the ends."""
        place, left, step = self.cursor, abs(steps), 1 if steps > 0 else -1
        seen = place + step
        while left and 0 <= seen < self.count:
            if self.choosable(seen):
                place, left = seen, left - 1
            seen += step
        self.point(place)

    def point(self, place: int) -> None:
        """Put the cursor on a row, or on the nearest one that it may stand on."""
        place = self._nearest(place)
        if place != self.cursor:
            self.cursor = place
            self.refresh()
            self.post_message(self.Pointed(self))
        self._follow()

    def _nearest(self, place: int) -> int:
        place = max(0, min(place, self.count - 1))
        for distance in range(self.count):
            for near in (place + distance, place - distance):
                if 0 <= near < self.count and self.choosable(near):
                    return near
        return 0

    def _follow(self) -> None:
        if self.size.height:
            top = self.cursor - 1 if self.cursor and not self.choosable(self.cursor - 1) else self.cursor
            span = Region(0, top, 1, self.cursor - top + 1)
            self.scroll_to_region(span, animate=False, force=True, immediate=True)

    def render_line(self, y: int) -> Strip:
        """One row on screen."""
        place = y + self.scroll_offset.y
        width = self.scrollable_content_region.width
        style = self.rich_style
        current = False
        if place < self.count:
            current = place == self.cursor and self.choosable(place)
            mark = self.look.sign("▌", ">") if current else " "
            text = Text(mark).append_text(self.row(place, max(0, width - 1)))
        else:
            text = Text(f" {self.nothing}" if not self.count and not y else "", "dim")
        segments: list[Segment] = list(cut(text, width, self.look).render(self.app.console, end=""))
        strip = Strip(segments)
        strip = strip.apply_style(style).adjust_cell_length(width, style)
        if current:
            strip = strip.apply_style(Style(bold=True, reverse=self.has_focus or None))
        return strip

    def on_focus(self) -> None:
        """The cursor row looks different then."""
        self.refresh()

    def on_blur(self) -> None:
        """The cursor row looks different then."""
        self.refresh()

    def on_click(self, event: events.Click) -> None:
        """A click points; on the row under the cursor it chooses."""
        event.stop()
        offset = event.get_content_offset(self)
        place = -1 if offset is None else offset.y + self.scroll_offset.y
        if not self.choosable(place):
            return
        if place == self.cursor:
            self.action_choose()
        else:
            self.point(place)

    def action_choose(self) -> None:
        """Choose the row under the cursor."""
        if self.choosable(self.cursor):
            self.post_message(self.Chosen(self, self.cursor))

    def action_cursor(self, steps: int) -> None:
        """Up or down."""
        self.move(steps)

    def action_screenful(self, steps: int) -> None:
        """A screenful."""
        self.move(steps * max(1, self.size.height - 1))

    def action_edge(self, place: int) -> None:
        """To the first row, or with -1 to the last."""
        self.point(self.count - 1 if place < 0 else 0)
