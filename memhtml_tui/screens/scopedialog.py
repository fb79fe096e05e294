"""The scope builder as a dialog, for screens that have no room for it as a pane."""

from __future__ import annotations

from collections.abc import Callable
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.screen import ModalScreen

from memhtml_core.rank.request import Scope
from memhtml_tui.look import Look
from memhtml_tui.messages import ScopeEdited
from memhtml_tui.panes.builder import ScopeBuilder
from memhtml_tui.resources import stylesheet


class ScopeDialog(ModalScreen[None]):
    """The builder alone. `take` gets each scope that a person makes; the view below answers it at once.

    `ready` is called when the builder can be drawn.
    """

    CSS_PATH = stylesheet("dialogs.tcss")
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "leave", "close", id="scope.close"),
        Binding("f", "close", "close", show=False, id="scope.shut"),
        Binding("slash", "narrow", "narrow", id="scope.narrow"),
        Binding("X", "clear", "clear all", id="scope.clear_all"),
    ]

    def __init__(self, look: Look, take: Callable[[Scope], None], ready: Callable[[], None]) -> None:
        super().__init__()
        self._look = look
        self._take = take
        self._ready = ready

    def compose(self) -> ComposeResult:
        """The builder."""
        yield ScopeBuilder(self._look, id="builder")

    @property
    def builder(self) -> ScopeBuilder:
        """The builder."""
        return self.query_one(ScopeBuilder)

    def on_mount(self) -> None:
        """Start in the list."""
        self.builder.values.focus()
        self._ready()

    def on_scope_edited(self, event: ScopeEdited) -> None:
        """The view below takes it."""
        event.stop()
        self._take(event.scope)

    def action_narrow(self) -> None:
        """Into the field to narrow by."""
        self.builder.narrow.focus()

    def action_clear(self) -> None:
        """No condition."""
        self._take(Scope())

    def action_close(self) -> None:
        """Back to the view; the scope stays as it was made."""
        self.dismiss(None)

    def action_leave(self) -> None:
        """From a field to the list, else close."""
        if not self.builder.step_back():
            self.dismiss(None)
