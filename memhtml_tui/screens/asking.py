"""What the Search and the Pack view share: query, scope line, and the requests they make of them."""

from __future__ import annotations

import asyncio
from dataclasses import replace

from rich.text import Text
from textual import work
from textual.content import Content
from textual.widget import Widget
from textual.widgets import Input

from memhtml_core.rank.request import Request, Scope
from memhtml_tui.messages import (
    LinePasted,
    QueryCommitted,
    QueryEdited,
    QueryRecalled,
    RowPointed,
)
from memhtml_tui.panes.query import QueryPane
from memhtml_tui.panes.scope import ScopeLine
from memhtml_tui.panes.usage import JUDGMENTS, counts_nothing
from memhtml_tui.screens.emptiness import Emptiness
from memhtml_tui.screens.scopework import Scoping
from memhtml_tui.screens.travelling import Travelling
from memhtml_tui.text import one_line
from memhtml_tui.travels import is_line
from memhtml_tui.typing import taken

REST = 0.12
"""Seconds without a key before the query is run."""


class AskingView(Scoping, Emptiness, Travelling):
    """A view with the query at its top. A subclass says with which kind of request it asks."""

    _typed = ""

    def top(self) -> list[Widget]:
        """The query and the scope line."""
        return [QueryPane(self.look, id="query-pane"), ScopeLine(self.look, id="scope-line")]

    @property
    def query_pane(self) -> QueryPane:
        """Query, text field and run state."""
        return self.query_one(QueryPane)

    def asked(self) -> Request | None:
        """The request that is answered on screen; None before the first."""
        raise NotImplementedError

    def ask_again(self) -> None:
        """Run the current request as this view's kind."""
        raise NotImplementedError

    def on_screen_resume(self) -> None:
        """Run the current request as this view's kind where another view has changed it meanwhile."""
        super().on_screen_resume()
        asked = self.asked()
        if self.session.ready and (asked is None or _question(asked) != _question(self.session.request)):
            self.ask_again()

    def on_query_edited(self, event: QueryEdited) -> None:
        """Typed: run after a short rest."""
        event.stop()
        self._run_after_rest(event.text)

    def on_query_committed(self, event: QueryCommitted) -> None:
        """Enter: the last word is complete too; run at once."""
        event.stop()
        if is_line(event.text):
            self.take_line(event.text)
            return
        if not event.text.strip() and self.session.request.like:
            self.memhtml.ask(replace(self.session.request, like=""))
            return
        self._run(event.text, finished=True)
        self.memhtml.travels.settle()

    def on_input_blurred(self, event: Input.Blurred) -> None:
        """The query was left, so it is written."""
        if event.input is self.query_pane.field:
            self.memhtml.travels.settle()

    def on_line_pasted(self, event: LinePasted) -> None:
        """A request as a line; what is none stays text."""
        event.stop()
        if not self.take_line(event.text):
            self.query_pane.field.insert_text_at_cursor(one_line(event.text))

    def on_query_recalled(self, event: QueryRecalled) -> None:
        """Put an earlier query into the field and run it; behind the newest stands what was typed."""
        event.stop()
        pane, queries = self.query_pane, self.memhtml.travels.queries
        place = pane.field.earlier
        if place < 0:
            self._typed = pane.field.value
            self.memhtml.travels.settle()
        entries = [query for query in queries.entries if query != self._typed.strip()]
        place = max(-1, min(place + event.step, len(entries) - 1))
        pane.field.earlier = place
        pane.set_text(self._typed if place < 0 else one_line(entries[place]))
        self._run_after_rest(pane.field.value)

    @work(exclusive=True, group="query")
    async def _run_after_rest(self, text: str) -> None:
        await asyncio.sleep(REST)
        self._run(text, finished=False)

    def _run(self, text: str, *, finished: bool) -> None:
        """Search for `text`; its scope words become chips, but for one that is still being typed."""
        now = taken(
            text, self.query_pane.field.cursor_position, self.session.request.scope, finished=finished
        )
        if now.text != text:
            self.query_pane.set_text(now.text, now.cursor)
        self._ask(now.query, now.scope)

    def take_scope(self, scope: Scope) -> None:
        """Ask the same under another scope."""
        self._ask(self.session.request.query, scope)

    def _ask(self, query: str, scope: Scope) -> None:
        """Words take the place of a memory to be like."""
        request = self.session.request
        like = "" if query.strip() else request.like
        self.memhtml.ask(replace(request, query=query, scope=scope, like=like))

    def draw_asked(self, said: Text) -> None:
        """Query, chips and how the run went."""
        request = self.session.request
        if not self.query_pane.field.has_focus:
            self.query_pane.set_text(request.query)
        self.query_pane.hint(request.like)
        self.query_pane.say(Content.from_rich_text(said))
        self.draw_scope()

    def on_row_pointed(self, event: RowPointed) -> None:
        """The cursor moved: draw what belongs to it."""
        event.stop()
        self.look_up(event.path)
        self.draw_pointed()
        self.draw_keys()

    def idle(self) -> frozenset[str]:
        """The judgments, where the memory under the cursor is cooling down."""
        pane = self.list_pane()
        path = None if pane is None else pane.pointed
        if path is None or path not in self.state.access:
            return frozenset()
        row = self.state.access[path]
        refused = counts_nothing(row, self.session.now(), read_only=self.session.read_only)
        return JUDGMENTS if refused else frozenset()

    def look_up(self, path: str | None) -> None:
        """Fetch how often a memory was opened, where that is not known yet."""
        if path is not None and self.session.ready and path not in self.state.access:
            self.session.look_up(path)

    def draw_pointed(self) -> None:
        """What belongs to the row under the cursor."""
        raise NotImplementedError

    def action_open_switches(self) -> None:
        """Play outages."""
        from memhtml_tui.screens.switches import SwitchPanel

        self.app.push_screen(SwitchPanel())

    def action_focus_query(self) -> None:
        """Into the query; from the builder's list into the field that narrows it."""
        builder = self.builder
        if builder is not None and builder.values.has_focus:
            builder.narrow.focus()
        else:
            self.query_pane.field.focus()

    def action_run_again(self) -> None:
        """Run the request again, with the present instant."""
        self.ask_again()

    def step_back(self) -> bool:
        """Leave builder and chips, else go from the query into the list; the text stays."""
        if self.step_out_of_scope():
            return True
        pane = self.list_pane()
        if self.query_pane.field.has_focus and pane is not None and pane.paths:
            pane.focus()
            return True
        if self.query_pane.field.has_focus and self.state.facts is not None:
            # Nothing is listed: the keys that help act outside the query.
            self.set_focus(None)
            return True
        return False


def _question(request: Request) -> Request:
    """What decides an answer: everything but the instant and the kind."""
    return replace(request, now=0.0, kind="search")
