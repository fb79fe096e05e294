"""Go to a memory by a piece of its path or title (DESIGN 9, key `:`). Choosing peeks; nothing is written."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, ClassVar

from rich.text import Text
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.message import Message
from textual.screen import ModalScreen
from textual.widgets import Input, Static

from memhtml_tui.keys import bindings
from memhtml_tui.look import Look
from memhtml_tui.panes.builder import Narrow
from memhtml_tui.panes.draw import DIM, MATCH, cut, line, span
from memhtml_tui.panes.linelist import LineList
from memhtml_tui.resources import stylesheet
from memhtml_tui.text import one_line

if TYPE_CHECKING:
    from memhtml_core.browse.goto import Place
    from memhtml_tui.session import Session

LIMIT = 100
"""Memories that a look-up lists."""


class PlacesFound(Message):
    """What the store has for a fragment, best first."""

    def __init__(self, fragment: str, places: tuple[Place, ...]) -> None:
        super().__init__()
        self.fragment = fragment
        self.places = places


LookUp = Callable[[str, Callable[[Message], object]], None]
"""Asks the store's thread for a fragment; the answer is posted as `PlacesFound`."""


def look_up_with(session: Session) -> LookUp:
    """Look-ups on the store's thread of a session."""

    def look_up(fragment: str, post: Callable[[Message], object]) -> None:
        session.read("go to", lambda store: PlacesFound(fragment, store.go_to(fragment, LIMIT)), post)

    return look_up


class PlaceList(LineList):
    """The memories that were found."""

    HELP = "Memories by path or title. Enter peeks, which writes nothing."
    BINDINGS: ClassVar[list[BindingType]] = [*bindings("places")]

    def __init__(self, look: Look, *, id: str | None = None) -> None:
        super().__init__(look, id=id)
        self.places: Sequence[Place] = ()

    @property
    def count(self) -> int:
        """How many were found."""
        return len(self.places)

    def show(self, places: Sequence[Place]) -> None:
        """List them, the cursor on the best."""
        self.places = places
        self.changed(0)

    def row(self, place: int, width: int) -> Text:
        """One memory."""
        return place_text(self.places[place], self.look, width)


class GoToDialog(ModalScreen["str | None"]):
    """A field and what it finds; dismissed with the chosen path, or None."""

    CSS_PATH = stylesheet("dialogs.tcss")
    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape", "leave", "close", id="goto.close")]

    def __init__(self, look: Look, look_up: LookUp) -> None:
        super().__init__()
        self._look = look
        self._look_up = look_up

    def compose(self) -> ComposeResult:
        """The field, the list, and how many."""
        with Vertical(id="goto") as box:
            box.border_title = Content("go to")
            yield Narrow(placeholder="a piece of a path or title", id="fragment")
            yield PlaceList(self._look, id="places")
            yield Static(id="found")

    def on_mount(self) -> None:
        """Let the store read its paths while the first letter is on its way."""
        self.query_one(Narrow).focus()
        self._say("Enter peeks, esc closes")
        self._look_up("", self.post_message)

    def on_input_changed(self, event: Input.Changed) -> None:
        """Look it up."""
        event.stop()
        self._look_up(event.value, self.post_message)

    def on_places_found(self, event: PlacesFound) -> None:
        """Show them, unless something else is written meanwhile."""
        event.stop()
        if event.fragment != self.query_one(Narrow).value:
            return
        self.query_one(PlaceList).show(event.places)
        number = len(event.places)
        if not event.fragment.strip():
            self._say("Enter peeks, esc closes")
        elif not number:
            self._say("no memory has this in its path or title")
        else:
            self._say(f"{number} found" if number < LIMIT else f"the first {LIMIT}; write more of it")

    def _say(self, words: str) -> None:
        self.query_one("#found", Static).update(span(words, DIM))

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Go to the memory under the cursor."""
        event.stop()
        self.query_one(PlaceList).action_choose()

    def on_line_list_chosen(self, event: LineList.Chosen) -> None:
        """Go there."""
        event.stop()
        self.dismiss(self.query_one(PlaceList).places[event.row].path)

    def on_line_list_pointed(self, event: LineList.Pointed) -> None:
        """Nothing follows the cursor here."""
        event.stop()

    def action_leave(self) -> None:
        """Nowhere."""
        self.dismiss(None)


def place_text(place: Place, look: Look, width: int) -> Text:
    """One memory in at most `width` cells: title, then path, what matched marked, archived in words."""
    title = _marked(place.title, place.spans if place.where == "title" else ())
    path = _marked(place.path, place.spans if place.where == "path" else ())
    path.stylize(DIM)
    text = Text()
    if place.archived:
        text.append("archived ", look.style("warning"))
    if not place.title.strip():
        return cut(text.append_text(path), width, look)
    room = width - text.cell_len
    if place.where == "title" or room < 40:
        first, second = title, path
    else:
        first, second = path, title
    text.append_text(cut(first, max(8, room * 3 // 5), look) if second.plain else first)
    return cut(text.append("  ").append_text(second), width, look)


def _marked(stored: str, spans: Sequence[tuple[int, int]]) -> Text:
    """Stored text on one line with its matches in style; unmarked where cleaning changed its places."""
    text = line(stored)
    if one_line(stored) == stored:
        for start, stop in spans:
            text.stylize(MATCH, start, stop)
    return text
