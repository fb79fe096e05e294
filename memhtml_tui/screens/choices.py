"""Dialogs that choose from a list: one of several, some of several, or one found by typing.

What is listed are lines that passed through `draw.line`; nothing in them is markup.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import ClassVar

from rich.text import Text
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Input, OptionList, Static

from memhtml_tui.panes.draw import span
from memhtml_tui.panes.query import LineInput
from memhtml_tui.resources import stylesheet

LISTED = 200
"""Lines that a dialog lists at once; typing finds the others."""


@dataclass(frozen=True)
class Choice:
    """A line to choose: what it stands for, and its text."""

    key: str
    text: Text


class Lines(OptionList):
    """The lines, with the keys of every other list."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("j", "cursor_down", "down", show=False),
        Binding("k", "cursor_up", "up", show=False),
        Binding("g", "first", "first", show=False),
        Binding("G", "last", "last", show=False),
    ]

    def show(self, choices: Sequence[Choice], highlighted: int = 0) -> None:
        """List these; the first of them is highlighted, or the one at `highlighted`."""
        self.set_options([Content.from_rich_text(choice.text) for choice in choices])
        self.highlighted = min(highlighted, len(choices) - 1) if choices else None


class _ListDialog(ModalScreen["tuple[str, str] | None"]):
    """A title, lines, and a sentence about the keys."""

    CSS_PATH = stylesheet("choices.tcss")

    def __init__(self, title: str, choices: Sequence[Choice], says: str) -> None:
        super().__init__()
        self._title = title
        self._choices = tuple(choices)
        self._says = says

    def compose(self) -> ComposeResult:
        """Title, lines, keys."""
        with Vertical(classes="choices"):
            yield Static(Content(self._title), classes="strong")
            yield from self.above()
            yield Lines(id="choices-list")
            yield Static(Content(self._says), classes="choices-says")

    def above(self) -> ComposeResult:
        """What stands between the title and the lines."""
        yield from ()

    @property
    def lines(self) -> Lines:
        """The list."""
        return self.query_one(Lines)

    @property
    def choice(self) -> Choice | None:
        """The highlighted line."""
        place = self.lines.highlighted
        return None if place is None or place >= len(self._choices) else self._choices[place]

    def action_leave(self) -> None:
        """Nothing is chosen."""
        self.dismiss(None)


class ChoiceDialog(_ListDialog):
    """Choose one line. Dismissed with its key and how: "enter", or the letter of `others` that was pressed.

    `others` are letters that choose too, in another way; `says` tells which.
    """

    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape", "leave", "close", id="choices.close")]

    def __init__(
        self, title: str, choices: Sequence[Choice], says: str, *, start: int = 0, others: str = ""
    ) -> None:
        super().__init__(title, choices, says)
        self._start = start
        for letter in others:
            self._bindings.bind(letter, f"choose('{letter}')", show=False)

    def on_mount(self) -> None:
        """List them."""
        self.lines.show(self._choices, self._start)
        self.lines.focus()

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        """Enter, or a click."""
        event.stop()
        self.action_choose("enter")

    def action_choose(self, how: str) -> None:
        """Take the highlighted line."""
        if self.choice is not None:
            self.dismiss((self.choice.key, how))


class SomeDialog(_ListDialog):
    """Choose any number of lines: space turns one on or off, Enter takes them.

    Dismissed with the keys that are on, joined by spaces, and "enter".
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "leave", "leave as it was", id="choices.close"),
        Binding("space", "turn", "on or off", id="choices.turn"),
    ]

    def __init__(self, title: str, choices: Sequence[Choice], says: str, on: Sequence[str]) -> None:
        super().__init__(title, choices, says)
        self._on = set(on)

    def on_mount(self) -> None:
        """List them with their marks."""
        self._draw(0)
        self.lines.focus()

    def _draw(self, place: int) -> None:
        marked = [
            Choice(each.key, span("[x] " if each.key in self._on else "[ ] ").append_text(each.text))
            for each in self._choices
        ]
        self.lines.show(marked, place)

    def action_turn(self) -> None:
        """Turn the highlighted line on or off."""
        if self.choice is not None:
            self._on ^= {self.choice.key}
            self._draw(self.lines.highlighted or 0)

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        """Take what is on."""
        event.stop()
        self.dismiss((" ".join(each.key for each in self._choices if each.key in self._on), "enter"))


class FindDialog(_ListDialog):
    """Choose one line after narrowing the list by typing. `find` gives the lines for what is typed."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "leave", "close", id="choices.close"),
        Binding("down", "move(1)", "down", show=False, priority=True),
        Binding("up", "move(-1)", "up", show=False, priority=True),
    ]

    def __init__(self, title: str, find: Callable[[str], Sequence[Choice]], says: str) -> None:
        super().__init__(title, (), says)
        self._find = find

    def above(self) -> ComposeResult:
        """The field."""
        yield LineInput(placeholder="words to find", id="find")

    def on_mount(self) -> None:
        """Everything, newest first."""
        self._draw("")
        self.query_one(LineInput).focus()

    def on_input_changed(self, event: Input.Changed) -> None:
        """Narrow."""
        event.stop()
        self._draw(event.value)

    def _draw(self, words: str) -> None:
        self._choices = tuple(self._find(words))[:LISTED]
        self.lines.show(self._choices)

    def action_move(self, step: int) -> None:
        """Another line, from within the field."""
        if step > 0:
            self.lines.action_cursor_down()
        else:
            self.lines.action_cursor_up()

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Take the highlighted line."""
        event.stop()
        if self.choice is not None:
            self.dismiss((self.choice.key, "enter"))

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        """A click."""
        event.stop()
        if self.choice is not None:
            self.dismiss((self.choice.key, "enter"))
