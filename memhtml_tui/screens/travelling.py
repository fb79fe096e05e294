"""What every view can do with the memory under its cursor and with what was asked before: hop, go back and
forward, ask an earlier query again, take a request as a line of text.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from rich.text import Text

from memhtml_core.errors import MemhtmlError
from memhtml_core.rank.request import Kind, Request
from memhtml_tui.messages import HopsKnown
from memhtml_tui.panes.draw import BOLD, DIM, line, span
from memhtml_tui.panes.rows import Rows
from memhtml_tui.screens.view import View
from memhtml_tui.text import clean, one_line

if TYPE_CHECKING:
    from memhtml_tui.hops import Hop
    from memhtml_tui.screens.choices import Choice
    from memhtml_tui.stores import Store

_HOP_KEYS = "Enter adds it to the scope, r takes it alone and lists everything, esc closes"
_FIND_KEYS = "type words, arrows choose, Enter asks it, esc closes"


class Travelling(View):
    """A view from which one goes elsewhere."""

    def subject(self) -> str | None:
        """The memory that is meant."""
        pane = self.list_pane()
        return None if pane is None else pane.pointed

    @property
    def asked_kind(self) -> Kind:
        """How this view asks."""
        return "recall" if self.VIEW == "pack" else "search"

    def action_travel(self, step: int) -> None:
        """An earlier or later request, cursor and all."""
        visit = self.memhtml.travels.go(step, self.asked_kind, pointed=self.subject())
        if visit is None:
            self.notify("no earlier request" if step < 0 else "no later request", markup=False)
            return
        if self.VIEW == "memory":
            self.memhtml.show_view("search")
        view = self.memhtml.view
        if isinstance(view, Travelling):
            view.point_at(visit.pointed)
        view.redraw()

    def action_hop(self) -> None:
        """List the values of the memory, to follow one into a scope."""
        path = self.subject()
        if path is None:
            self.notify("No memory to hop from.", markup=False)
            return

        def look(store: Store) -> HopsKnown:
            return HopsKnown(store.memory(path))

        self.session.read("hops", look, self.post_message)

    def on_hops_known(self, event: HopsKnown) -> None:
        """Let a person choose one."""
        from memhtml_tui.hops import hops_of
        from memhtml_tui.screens.choices import Choice, ChoiceDialog

        event.stop()
        hops = hops_of(event.view)
        if not hops:
            self.notify("This memory has no values to follow.", markup=False)
            return
        choices = [
            Choice(str(number), hop_text(hop, hop.holds(self.session.request.scope)))
            for number, hop in enumerate(hops)
        ]
        title = f"follow from: {one_line(event.view.title) or one_line(event.view.path)}"

        def follow(chosen: tuple[str, str] | None) -> None:
            if chosen is not None:
                self._follow(hops[int(chosen[0])], alone=chosen[1] != "enter")

        self.app.push_screen(ChoiceDialog(title, choices, _HOP_KEYS, others="r"), follow)

    def _follow(self, hop: Hop, *, alone: bool) -> None:
        """Into the scope of a value: with the rest of the request, or of everything that has it."""
        request = self.session.request
        if alone:
            self.ask_elsewhere(replace(request, query="", like="", scope=hop.alone()))
        else:
            self.ask_elsewhere(replace(request, scope=hop.narrowed(request.scope)))

    def ask_elsewhere(self, request: Request) -> None:
        """Ask it here if this view asks for such, else in the Search view."""
        self.memhtml.travels.settle()
        if self.VIEW == "pack" and request.query.strip():
            self.memhtml.ask(request, "recall")
            return
        self.memhtml.show_view("search")
        self.memhtml.ask(request, "search")

    def action_queries(self) -> None:
        """Find an earlier query."""
        from memhtml_tui.screens.choices import Choice, FindDialog

        self.memhtml.travels.settle()
        queries = self.memhtml.travels.queries

        def find(words: str) -> list[Choice]:
            return [Choice(query, line(query)) for query in queries.matching(words)]

        def ask(chosen: tuple[str, str] | None) -> None:
            if chosen is not None:
                self.ask_elsewhere(replace(self.session.request, query=one_line(chosen[0]), like=""))

        title = "earlier queries" if queries.entries else "no earlier queries yet"
        self.app.push_screen(FindDialog(title, find, _FIND_KEYS), ask)

    def take_line(self, text: str) -> bool:
        """Ask what a pasted line asks for; False, and said, where it is no request."""
        from memhtml_tui.requesttext import parse_request

        try:
            request = parse_request(text)
        except MemhtmlError as error:
            self.notify(clean(str(error)), title="not a request", severity="warning", markup=False)
            return False
        self.notify("request taken from the line; it runs on this store", markup=False)
        self.ask_elsewhere(replace(request, query=one_line(request.query)))
        return True

    def action_copy_request(self) -> None:
        """The request as a line of text, to the clipboard."""
        from memhtml_tui.travels import request_line

        try:
            text = request_line(self.session.request, self.session.root, self.memhtml.options)
        except MemhtmlError as error:
            self.notify(clean(str(error)), severity="warning", markup=False)
            return
        self.app.copy_to_clipboard(text)
        self.notify(
            f"sent to the terminal's clipboard (OSC 52; some terminals refuse it):\n{clean(text)}",
            title="request copied",
            markup=False,
            timeout=8,
        )

    def point_at(self, path: str | None) -> None:
        """Put the cursor of the lists on a memory, now or once it is listed."""
        for pane in self.query(Rows):
            pane.point_at(path)


def hop_text(hop: Hop, held: bool) -> Text:
    """A value with its axis in front, and whether the scope says it already."""
    text = span(f"{hop.axis:<10}", DIM)
    text.append_text(line(hop.words, BOLD if not held else ""))
    if held:
        text.append("  in the scope already", DIM)
    return text
