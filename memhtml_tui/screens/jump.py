"""Jump mode: a letter on every pane that can have the focus; the letter goes there, anything else stays."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import ClassVar

from textual import events
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.screen import ModalScreen
from textual.widget import Widget
from textual.widgets import Static

from memhtml_tui.resources import stylesheet

LETTERS = "asdfghjklqwertyuiopzxcvbnm"


class JumpScreen(ModalScreen["Widget | None"]):
    """Dismissed with the pane whose letter was pressed, None for any other key."""

    CSS_PATH = stylesheet("jump.tcss")
    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape", "leave", "close", id="jump.close")]

    def __init__(self, panes: Sequence[Widget]) -> None:
        super().__init__()
        self._panes = dict(lettered(panes))

    def compose(self) -> ComposeResult:
        """A letter at the top left corner of each pane."""
        for letter, pane in self._panes.items():
            sign = Static(Content(f" {letter} "), classes="jump-letter")
            sign.styles.offset = (pane.region.x, pane.region.y)
            yield sign

    def on_key(self, event: events.Key) -> None:
        """Go there, or close."""
        event.stop()
        self.dismiss(self._panes.get(event.key))

    def action_leave(self) -> None:
        """Stay."""
        self.dismiss(None)


def lettered(panes: Sequence[Widget]) -> Iterator[tuple[str, Widget]]:
    """A letter for each pane that is on screen, in their order."""
    shown = [pane for pane in panes if pane.region.area > 0]
    yield from zip(LETTERS, shown, strict=False)
