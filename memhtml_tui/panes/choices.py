"""A text with a cursor: some lines lead somewhere, and the cursor goes from one such line to the next."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal

from rich.text import Text
from textual.binding import BindingType

from memhtml_tui.keys import bindings
from memhtml_tui.look import Look
from memhtml_tui.panes.draw import BOLD, Line, wrapped
from memhtml_tui.panes.textview import TextView


@dataclass(frozen=True, slots=True)
class Goal:
    """Where a line leads: a memory by path, a link by address, a version by its place in the history."""

    kind: Literal["memory", "link", "version"]
    value: str


@dataclass(frozen=True, slots=True)
class Choice:
    """One line, and where it leads; None for a heading or a remark."""

    line: Line
    goal: Goal | None = None


class Choices(TextView, inherit_bindings=False):
    """Lines with a cursor that stands on those with a goal only. `show_choices` keeps it on its goal."""

    BINDINGS: ClassVar[list[BindingType]] = [*bindings("around")]
    PLACE = "around"
    HELP = "Links, neighbours, citations and versions. Space or Enter follows: a peek, which writes nothing."

    def __init__(self, look: Look, title: str = "", *, id: str | None = None) -> None:
        super().__init__(title, id=id)
        self.look = look
        self._choices: tuple[Choice, ...] = ()
        self._at = -1
        self._first_rows: list[tuple[int, int]] = []

    @property
    def goal(self) -> Goal | None:
        """Where the line under the cursor leads; None where no line leads anywhere."""
        return self._choices[self._at].goal if 0 <= self._at < len(self._choices) else None

    def show_choices(self, choices: Sequence[Choice], *, fresh: bool = False) -> None:
        """Show these lines; the cursor stays on its goal, or goes to the first one (`fresh`: always)."""
        kept = None if fresh else self.goal
        self._choices = tuple(choices)
        places = self._places()
        again = [place for place in places if self._choices[place].goal == kept]
        self._at = (again or places or [-1])[0]
        self.draw_with(self._drawn, keep_place=not fresh)

    def _places(self) -> list[int]:
        return [place for place, choice in enumerate(self._choices) if choice.goal is not None]

    def _drawn(self, width: int) -> list[Line]:
        lines: list[Line] = []
        self._first_rows = []
        row = 0
        for place, choice in enumerate(self._choices):
            mark = self.look.sign("▌", ">") if place == self._at else " "
            label = Text(f"{mark} " if choice.goal is not None else "", BOLD if place == self._at else "")
            label.append_text(choice.line.label)
            shift = 2 if choice.goal is not None else 0
            body = choice.line.body
            if place == self._at:
                body = body.copy()
                body.stylize(BOLD)
            made = Line(body, label, choice.line.indent + shift if choice.line.indent or shift else 0)
            rows = len(wrapped([made], width))
            self._first_rows.append((row, rows))
            row += rows
            lines.append(made)
        return lines

    def action_choose(self, step: int) -> None:
        """The cursor to the next or previous line that leads somewhere; at an end the text scrolls."""
        places = self._places()
        after = [place for place in places if (place - self._at) * step > 0]
        if not after:
            (self.scroll_end if step > 0 else self.scroll_home)(animate=False)
            return
        self._put(min(after) if step > 0 else max(after))

    def action_choose_end(self, step: int) -> None:
        """The cursor to the first or last line that leads somewhere."""
        places = self._places()
        if places:
            self._put(places[-1] if step > 0 else places[0])

    def _put(self, place: int) -> None:
        self._at = place
        self.draw_with(self._drawn, keep_place=True)
        if place >= len(self._first_rows):
            return
        row, rows = self._first_rows[place]
        height = max(1, self.scrollable_content_region.height)
        top = self.scroll_offset.y
        if row < top:
            self.scroll_to(y=max(0, row - 1), animate=False, immediate=True)
        elif row + rows > top + height:
            self.scroll_to(y=row + rows - height, animate=False, immediate=True)
