"""The scope line: one chip per condition, and its typed form in one line to write (DESIGN 9)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from textual import events
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, HorizontalScroll
from textual.content import Content
from textual.widgets import Input, Static

from memhtml_core.errors import UsageError
from memhtml_core.rank.request import Scope
from memhtml_core.rank.typed import format_scope, parse_scope, scope_words
from memhtml_tui.look import Look
from memhtml_tui.messages import ScopeEdited
from memhtml_tui.panes.draw import cut, line
from memhtml_tui.panes.query import LineInput

_CHIP = 34


class Chip(Static, can_focus=True):
    """One condition of the scope. `x` or a click on it removes it."""

    HELP = "A condition of the scope; x removes it."

    def __init__(self, word: str, place: int, look: Look) -> None:
        text = cut(line(word), _CHIP, look)
        super().__init__(Content(f" {text.plain} {look.sign('✕', 'x')} "), classes="chip")
        self.place = place

    def on_click(self, event: events.Click) -> None:
        """Remove it."""
        event.stop()
        self.screen.query_one(ScopeLine).drop(self.place)


class ScopeInput(LineInput):
    """The scope in its typed form."""

    HELP = 'Scope words: type: ws: tag: entity: facet:name=value archived:yes as-of:, spaces in "quotes".'
    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape", "leave", "leave as it was", id="scope.leave")]

    def action_leave(self) -> None:
        """Back to the chips, nothing changed."""
        self.screen.query_one(ScopeLine).finish()


class ScopeLine(Horizontal):
    """Chips of the current scope; `edit` swaps them for the typed form."""

    def __init__(self, look: Look, *, id: str) -> None:
        super().__init__(id=id)
        self._look = look
        self._scope = Scope()
        self._words: tuple[str, ...] | None = None

    def compose(self) -> ComposeResult:
        """Label, chips, and the hidden field."""
        yield Static(Content(" scope "), id="scope-label")
        yield HorizontalScroll(id="chips", can_focus=False)
        yield ScopeInput(
            placeholder="type:arc ws:name tag:name entity:type:name facet:name=value", id="scope-input"
        )

    def on_mount(self) -> None:
        """Chips, not the field."""
        self.query_one(ScopeInput).display = False

    @property
    def editing(self) -> bool:
        """Whether the typed form is being written."""
        return self.query_one(ScopeInput).display

    def show(self, scope: Scope) -> None:
        """Draw the chips of `scope`."""
        self._scope = scope
        words = scope_words(scope)
        if words == self._words:
            return
        self._words = words
        chips = self.query_one("#chips", HorizontalScroll)
        chips.remove_children()
        chips.mount_all(self._chips(words))

    def _chips(self, words: Sequence[str]) -> list[Static]:
        if not words:
            return [Static(Content("every memory but tasks and archived ones"), classes="no-scope")]
        return [Chip(word, place, self._look) for place, word in enumerate(words)]

    def edit(self) -> None:
        """Write the scope in one line."""
        field = self.query_one(ScopeInput)
        text = format_scope(self._scope)
        field.value = text + " " if text else ""
        field.cursor_position = len(field.value)
        self.query_one("#chips").display = False
        field.display = True
        field.focus()

    def finish(self) -> None:
        """Back to the chips."""
        self.query_one(ScopeInput).display = False
        self.query_one("#chips").display = True
        self.screen.focus_next(".list")

    def on_input_changed(self, event: Input.Changed) -> None:
        """Nothing happens before Enter: a half-written condition would empty the list."""
        event.stop()

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Take the scope as written; what cannot be meant is said, and stays to be mended."""
        event.stop()
        try:
            scope = parse_scope(event.value)
        except UsageError as error:
            self.notify(line(str(error)).plain, title="scope", severity="warning", markup=False)
            return
        self.finish()
        self.post_message(ScopeEdited(scope))

    def drop(self, place: int | None = None) -> bool:
        """Drop the condition at `place`, by default the one in focus, else the last. False where there is
        none."""
        words = list(scope_words(self._scope))
        if not words:
            return False
        if place is None:
            focused = self.screen.focused
            place = focused.place if isinstance(focused, Chip) else len(words) - 1
        del words[place]
        self.post_message(ScopeEdited(parse_scope(" ".join(words))))
        return True

    def clear(self) -> None:
        """Drop every condition."""
        if scope_words(self._scope):
            self.post_message(ScopeEdited(Scope()))
