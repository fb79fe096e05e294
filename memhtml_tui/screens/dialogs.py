"""Small dialogs: a number to type, the help of a view, and where to find a store."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import ClassVar

from rich.text import Text
from textual import events
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Input, Static

from memhtml_tui.keys import Act, key_text
from memhtml_tui.panes.draw import BOLD, DIM, Line, span
from memhtml_tui.panes.query import LineInput
from memhtml_tui.panes.textview import TextView
from memhtml_tui.resources import stylesheet

_STYLE = stylesheet("dialogs.tcss")
_CLOSE = Binding("escape", "leave", "close", id="dialog.close")


class NumberDialog(ModalScreen["int | None"]):
    """Asks for a number of 0 or more; escape leaves it as it was."""

    CSS_PATH = _STYLE
    BINDINGS: ClassVar[list[BindingType]] = [_CLOSE]

    def __init__(self, question: str, number: int) -> None:
        super().__init__()
        self._question = question
        self._number = number

    def compose(self) -> ComposeResult:
        """The question and the field."""
        with Vertical(classes="dialog"):
            yield Static(Content(self._question))
            yield LineInput(placeholder="digits", id="number")
            yield Static(Content("Enter sets it, esc leaves it"), id="dialog-says")

    def on_mount(self) -> None:
        """Start from the present number."""
        field = self.query_one(LineInput)
        field.value = str(self._number)
        field.focus()
        # What is typed takes the place of the present number.
        field.action_select_all()

    async def on_key(self, event: events.Key) -> None:
        """Keys that came before the field had the focus are meant for it."""
        if await self.query_one(LineInput).take_key(event):
            event.stop()

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Take it, or say what is wrong with it."""
        event.stop()
        digits = event.value.replace(",", "").replace(" ", "").strip()
        if digits.isascii() and digits.isdigit() and len(digits) <= 9:
            self.dismiss(int(digits))
        else:
            self.query_one("#dialog-says", Static).update(Content("a whole number of 0 or more, please"))

    def action_leave(self) -> None:
        """As it was."""
        self.dismiss(None)


class HelpDialog(ModalScreen[None]):
    """The keys of a view and of the pane in focus."""

    CSS_PATH = _STYLE
    BINDINGS: ClassVar[list[BindingType]] = [
        _CLOSE,
        Binding("f1,question_mark", "leave", "close", show=False),
    ]

    def __init__(self, about: Sequence[str], acts: Sequence[Act]) -> None:
        super().__init__()
        self._about = about
        self._acts = acts

    def compose(self) -> ComposeResult:
        """One scrolling text."""
        yield TextView("help: esc closes", id="help")

    def on_mount(self) -> None:
        """Sentences first, then the keys."""
        lines = [Line(Text(sentence)) for sentence in self._about if sentence]
        lines += [Line(Text()), Line(span("keys", BOLD))]
        lines += [Line(Text(act.help), span(key_text(act).ljust(12), BOLD), 13) for act in self._acts]
        lines += [
            Line(Text("Command palette: every action by name"), span("ctrl+p".ljust(12), BOLD), 13),
            Line(Text("Next or previous pane"), span("tab".ljust(12), BOLD), 13),
            Line(Text()),
            Line(span("Letters act where no text field has the focus.", DIM)),
        ]
        self.query_one(TextView).show(lines)
        self.query_one(TextView).focus()

    def action_leave(self) -> None:
        """Close."""
        self.dismiss(None)


class StartDialog(ModalScreen["Path | None"]):
    """No store was found: open a folder, or the demo. Dismissed with the folder; None asks for the demo."""

    CSS_PATH = _STYLE
    BINDINGS: ClassVar[list[BindingType]] = [Binding("f2", "demo", "demo store", id="start.demo")]

    def __init__(self, looked: Sequence[str]) -> None:
        super().__init__()
        self._looked = looked

    def compose(self) -> ComposeResult:
        """What was looked for, and a field."""
        with Vertical(classes="dialog"):
            yield Static(Content("No memory store was found."), classes="strong")
            for place in self._looked:
                yield Static(Content(f"  looked at {place}"), classes="dim")
            yield LineInput(placeholder="folder of a store, then Enter", id="folder")
            yield Static(Content("F2 opens the demo store, ctrl+q quits"), id="dialog-says")

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """A folder, or what is wrong with it."""
        event.stop()
        folder = Path(os.path.expanduser(event.value.strip()))
        if event.value.strip() and folder.is_dir():
            self.dismiss(folder)
        else:
            self.query_one("#dialog-says", Static).update(Content("that is no folder; F2 opens the demo"))

    def action_demo(self) -> None:
        """The demo store."""
        self.dismiss(None)
