"""Questions of the Pack and the Memory view: where to export to, whether to open a link, which versions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, ClassVar

from rich.text import Text
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Input, Static

from memhtml_tui.look import Look
from memhtml_tui.panes.draw import Line
from memhtml_tui.panes.query import LineInput
from memhtml_tui.panes.source import between_lines
from memhtml_tui.panes.textview import TextView
from memhtml_tui.resources import stylesheet
from memhtml_tui.text import content, one_line

if TYPE_CHECKING:
    from memhtml_core.browse.history import Diff

_STYLE = stylesheet("dialogs.tcss")
_CLOSE = Binding("escape", "leave", "close", id="question.close")


class PathDialog(ModalScreen["str | None"]):
    """Asks for the name of a file; escape writes nothing. `check` says what is wrong with a name, "" if
    nothing is."""

    CSS_PATH = _STYLE
    BINDINGS: ClassVar[list[BindingType]] = [_CLOSE]

    def __init__(self, question: str, name: str, where: str, check: Callable[[str], str]) -> None:
        super().__init__()
        self._question = question
        self._suggested = name
        self._where = where
        self._check = check

    def compose(self) -> ComposeResult:
        """The question, the field, and the folder that the name is relative to."""
        with Vertical(classes="dialog"):
            yield Static(content(self._question), classes="strong")
            yield LineInput(placeholder="file name", id="path")
            yield Static(content(one_line(f"in {self._where}")), classes="dim")
            yield Static(Content("Enter writes it, esc leaves it"), id="dialog-says")

    def on_mount(self) -> None:
        """Start from the suggested name."""
        field = self.query_one(LineInput)
        field.value = self._suggested
        field.cursor_position = len(self._suggested)
        field.focus()

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Take it, or say what is wrong with it."""
        event.stop()
        wrong = self._check(event.value)
        if wrong:
            self.query_one("#dialog-says", Static).update(content(wrong))
        else:
            self.dismiss(event.value)

    def action_leave(self) -> None:
        """Nothing is written."""
        self.dismiss(None)


class LinkDialog(ModalScreen[bool]):
    """Shows where a link leads before it is opened; only `y` opens it."""

    CSS_PATH = _STYLE
    BINDINGS: ClassVar[list[BindingType]] = [
        _CLOSE,
        Binding("y", "yes", "open it", id="question.yes"),
        Binding("n", "leave", "leave it", id="question.no", show=False),
    ]

    def __init__(self, link: str) -> None:
        super().__init__()
        self._link = link

    def compose(self) -> ComposeResult:
        """The whole target, then the keys."""
        with Vertical(classes="dialog"):
            yield Static(Content("Open this link outside?"), classes="strong")
            yield Static(content(self._link), id="link-target")
            yield Static(
                Content("y opens it in the browser or mail program, esc leaves it"), id="dialog-says"
            )

    def action_yes(self) -> None:
        """Open it."""
        self.dismiss(True)

    def action_leave(self) -> None:
        """Leave it."""
        self.dismiss(False)


class VersionsDialog(ModalScreen[None]):
    """What lies between a version and the one before it; left and right go through the history.

    `fetch` asks for the diff of the version at a place of the history; `show` gets it later.
    """

    CSS_PATH = _STYLE
    BINDINGS: ClassVar[list[BindingType]] = [
        _CLOSE,
        Binding("left,h", "go(1)", "older", id="versions.older"),
        Binding("right,l", "go(-1)", "newer", id="versions.newer"),
    ]

    def __init__(self, look: Look, place: int, count: int, fetch: Callable[[int], None]) -> None:
        super().__init__()
        self._look = look
        self._place = place
        self._count = count
        self._fetch = fetch

    def compose(self) -> ComposeResult:
        """One scrolling text."""
        yield TextView("", id="versions")

    def on_mount(self) -> None:
        """Ask for the first one."""
        self.query_one(TextView).focus()
        self._ask()

    def _ask(self) -> None:
        text = self.query_one(TextView)
        title = f"version {self._count - self._place} of {self._count}: left older, right newer, esc closes"
        text.border_title = Content(title)
        text.show([Line(Text("Reading both versions"))])
        self._fetch(self._place)

    def show(self, diff: Diff) -> None:
        """Draw what was asked for."""
        lines: Sequence[Line] = between_lines(diff, self._look)
        self.query_one(TextView).show(lines)

    def action_go(self, step: int) -> None:
        """To an older or newer version."""
        if 0 <= self._place + step < self._count:
            self._place += step
            self._ask()

    def action_leave(self) -> None:
        """Close."""
        self.dismiss(None)
