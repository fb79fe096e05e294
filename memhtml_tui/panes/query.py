"""The query: one line, live. A pasted block is joined by spaces, nothing typed is ever lost (DESIGN 9)."""

from __future__ import annotations

from typing import ClassVar

from rich.cells import cell_len
from textual import events
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal
from textual.content import Content
from textual.widgets import Input, Static

from memhtml_tui.look import Look
from memhtml_tui.messages import LinePasted, QueryCommitted, QueryEdited, QueryRecalled
from memhtml_tui.text import one_line
from memhtml_tui.travels import is_line

_EMPTY = "write a query; empty shows every memory"
_EDITS = ("delete_", "cursor_", "home", "end")
"""How the actions begin that edit the line or move in it."""

_PROMPT = 3
_LEAST = 6


def run_fits(query: int, run: int, width: int) -> bool:
    """Whether `run` cells (a blank in front included) fit beside prompt, `query` cells and cursor."""
    return run == 0 or _PROMPT + max(query + 1, _LEAST) + run <= width


class LineInput(Input):
    """An input whose pasted text keeps all its lines, joined by spaces, without control characters.

    The framework's own keeps the first line only, in silence.
    """

    def __init__(self, *, placeholder: str, id: str) -> None:
        super().__init__(placeholder=placeholder, id=id, select_on_focus=False, compact=True)

    def _on_paste(self, event: events.Paste) -> None:
        event.stop()
        event.prevent_default()
        pasted = one_line(event.text)
        if self.selection.is_empty:
            self.insert_text_at_cursor(pasted)
        else:
            self.replace(pasted, *self.selection)

    async def take_key(self, event: events.Key) -> bool:
        """Type a character or do an edit at once; False where the key is neither.

        The framework runs bindings only when a key has bubbled up to the app, so that what is typed fast
        behind ctrl+u came before it and was deleted.
        """
        if event.is_printable and event.character is not None:
            self.replace(event.character, *self.selection)
            return True
        for binding in self._bindings.key_to_bindings.get(event.key, ()):
            if binding.action.startswith(_EDITS):
                await self.run_action(binding.action)
                return True
        return False

    async def _on_key(self, event: events.Key) -> None:
        if not event.is_printable and await self.take_key(event):
            event.stop()
            event.prevent_default()


class QueryInput(LineInput):
    """The text field of the query."""

    HELP = (
        "Words to search for. Scope words such as type:arc or tag:fuel become chips. "
        "Up brings earlier queries, down goes to the list. "
        "A pasted `memhtml-tui search` line is taken as a request."
    )
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up", "recall(1)", "earlier", id="query.earlier"),
        Binding("down", "recall(-1)", "list", id="query.to_list"),
    ]

    earlier = -1
    """Which of the earlier queries stands in the field; -1 is what was typed."""

    def action_recall(self, step: int) -> None:
        """An earlier query, or back towards what was typed and from there into the list below."""
        if step < 0 and self.earlier < 0:
            self.screen.focus_next(".list")
        else:
            self.post_message(QueryRecalled(step))

    def _on_paste(self, event: events.Paste) -> None:
        # The framework calls the handler of the base class too, unless this one prevents it.
        if is_line(event.text):
            event.stop()
            event.prevent_default()
            self.post_message(LinePasted(event.text))


class QueryPane(Horizontal):
    """Prompt, text field, and how the last run went."""

    def __init__(self, look: Look, *, id: str) -> None:
        super().__init__(id=id)
        self._look = look
        self._run_cells = 0

    def compose(self) -> ComposeResult:
        """Prompt, field, state."""
        yield Static(Content(f" {self._look.prompt} "), id="prompt")
        yield QueryInput(placeholder=_EMPTY, id="query")
        yield Static(Content(), id="run")

    @property
    def field(self) -> QueryInput:
        """The text field."""
        return self.query_one(QueryInput)

    def set_text(self, text: str, cursor: int | None = None) -> None:
        """Put text into the field without announcing it as typed; the cursor goes to its end by default."""
        if self.field.value != text:
            with self.field.prevent(Input.Changed):
                self.field.value = text
                self.field.cursor_position = len(text) if cursor is None else cursor

    def hint(self, like: str) -> None:
        """What an empty field stands for: everything, or the search like the memory at this path."""
        words = f"like {one_line(like)}; words search anew, Enter shows every memory" if like else _EMPTY
        if self.field.placeholder != words:
            self.field.placeholder = words

    def say(self, text: Content) -> None:
        """How the run went, at the right."""
        run = self.query_one("#run", Static)
        self._run_cells = text.cell_length + 1 if text.plain else 0
        run.update(text)
        self._make_room()

    def _make_room(self) -> None:
        """How the run went is left out before it hides what was typed last."""
        fits = run_fits(cell_len(self.field.value), self._run_cells, self.size.width)
        self.query_one("#run", Static).display = fits and self._run_cells > 0

    def on_resize(self, event: events.Resize) -> None:
        """Another width."""
        self._make_room()

    def on_input_changed(self, event: Input.Changed) -> None:
        """Typed."""
        event.stop()
        self.field.earlier = -1
        self._make_room()
        self.post_message(QueryEdited(event.value))

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Enter."""
        event.stop()
        self.post_message(QueryCommitted(event.value))
