"""The switch panel: what the search does without its embedder, an arm or the state plane (DESIGN 5, 9).

Nothing real is switched: the request says which outages it plays, so they are part of the question and of the
line of text that gives the same answer.
"""

from __future__ import annotations

from dataclasses import replace
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.widgets import Static

from memhtml_core.rank.outcome import Outcome
from memhtml_core.rank.request import Request
from memhtml_core.rank.simulate import active, moved, simulations, switched, unswitched
from memhtml_tui.keys import bindings
from memhtml_tui.messages import FullRan
from memhtml_tui.panes.draw import Line
from memhtml_tui.panes.linelist import LineList
from memhtml_tui.panes.switching import SwitchList, effect_lines
from memhtml_tui.panes.textview import TextView
from memhtml_tui.resources import stylesheet
from memhtml_tui.screens.panel import Panel
from memhtml_tui.stores import Store


class SwitchPanel(Panel):
    """Switches at the left, their effect at the right. Stays open while one is tried after the other."""

    CSS_PATH = stylesheet("switches.tcss")
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,d", "leave", "close", id="switches.close"),
        *bindings("switches"),
    ]

    def __init__(self) -> None:
        super().__init__()
        self._full: Outcome | None = None
        self._asked: Request | None = None

    def compose(self) -> ComposeResult:
        """Title, switches, effect, keys."""
        look = self.memhtml.look
        with Vertical(classes="switches"):
            yield Static(Content("What if something were missing?"), classes="strong")
            with Horizontal(id="switches-areas"):
                yield SwitchList(look, id="switch-list")
                yield TextView("effect", id="effect")
            yield Static(Content("Enter turns one, X puts everything back, esc closes"), id="switches-says")

    def on_mount(self) -> None:
        """Draw, and ask for the full run."""
        self.query_one(SwitchList).focus()
        self.redraw()

    def redraw(self) -> None:
        """Draw, and bring the full run up to date."""
        self._draw()
        self._ask_full()

    def _draw(self) -> None:
        """Switches and effect, from the request and its answer."""
        session = self.memhtml.session
        outcome = self._reduced()
        on = active(session.request)
        self.query_one(SwitchList).show(simulations(), on, outcome)
        moves = () if self._full is None or outcome is None else moved(self._full, outcome)
        letters = {name: letter for name, letter, _ in self.memhtml.registry}
        lines: list[Line] = effect_lines(self._full, outcome, moves, self.memhtml.look, letters)
        self.query_one("#effect", TextView).show(lines, keep_place=True)

    def _reduced(self) -> Outcome | None:
        """The answer on screen of the view below."""
        state = self.memhtml.state
        if self.memhtml.view.VIEW == "pack":
            return None if state.recall is None else state.recall.outcome
        return None if state.page is not None else state.outcome

    def _ask_full(self) -> None:
        """Run the request without its outages, once for each question and once more when its vector came."""
        outcome, state = self._reduced(), self.memhtml.state
        if outcome is None:
            return
        request = unswitched(outcome.request)
        question = replace(request, now=0.0)
        if question == self._asked:
            return
        answer = state.recall if self.memhtml.view.VIEW == "pack" else state.answer
        self._asked = None if answer is not None and answer.waiting else question
        session = self.memhtml.session

        def run(store: Store) -> FullRan:
            return FullRan(session.full_run(store, request))

        session.read("full run", run, self.post_message)

    def on_full_ran(self, event: FullRan) -> None:
        """Compare."""
        event.stop()
        self._full = event.outcome
        self._draw()

    def on_line_list_chosen(self, event: LineList.Chosen) -> None:
        """Turn a switch and ask again."""
        event.stop()
        switches = self.query_one(SwitchList)
        switch = switches.switch(event.row)
        if switch is not None:
            request = switched(self.memhtml.session.request, switch.name, not switches.is_on(switch))
            self._ask(request)

    def action_put_back(self) -> None:
        """Every arm and the real world again."""
        self._ask(unswitched(self.memhtml.session.request))

    def _ask(self, request: Request) -> None:
        self.memhtml.ask(request)
        self.redraw()
