"""What the Search and the Pack view share: query, scope line, and the requests they make of them."""

from __future__ import annotations

import asyncio
from dataclasses import replace

from rich.text import Text
from textual import work
from textual.content import Content
from textual.widget import Widget

from memhtml_core.rank.request import Request, Scope
from memhtml_core.rank.typed import KEYS, split_line
from memhtml_tui.messages import QueryCommitted, QueryEdited, RowPointed, ScopeEdited
from memhtml_tui.panes.query import QueryPane
from memhtml_tui.panes.scope import ScopeLine
from memhtml_tui.screens.view import View

REST = 0.12
"""Seconds without a key before the query is run."""


class AskingView(View):
    """A view with the query at its top. A subclass says with which kind of request it asks."""

    def top(self) -> list[Widget]:
        """The query and the scope line."""
        return [QueryPane(self.look, id="query-pane"), ScopeLine(self.look, id="scope-line")]

    @property
    def query_pane(self) -> QueryPane:
        """Query, text field and run state."""
        return self.query_one(QueryPane)

    @property
    def scope_line(self) -> ScopeLine:
        """The chips."""
        return self.query_one(ScopeLine)

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
        self._run(event.text, "")

    @work(exclusive=True, group="query")
    async def _run_after_rest(self, text: str) -> None:
        await asyncio.sleep(REST)
        head, _, last = text.rpartition(" ")
        if any(last.startswith(f"{key}:") for key in KEYS):
            self._run(head, last)
        else:
            self._run(text, "")

    def _run(self, text: str, unfinished: str) -> None:
        """Search for `text`; its scope words become chips. `unfinished` is a scope word that is still
        being typed."""
        typed = split_line(text, self.session.request.scope)
        if typed.scope_words:
            self.query_pane.set_text(" ".join(part for part in (typed.query, unfinished) if part))
        self._ask(typed.query, typed.scope)

    def on_scope_edited(self, event: ScopeEdited) -> None:
        """Another scope: the chips follow, and the request is run."""
        event.stop()
        self._ask(self.session.request.query, event.scope)

    def _ask(self, query: str, scope: Scope) -> None:
        self.memhtml.ask(replace(self.session.request, query=query, scope=scope))

    def draw_asked(self, said: Text) -> None:
        """Query, chips and how the run went."""
        request = self.session.request
        if not self.query_pane.field.has_focus:
            self.query_pane.set_text(request.query)
        self.query_pane.say(Content.from_rich_text(said))
        self.scope_line.show(request.scope)

    def on_row_pointed(self, event: RowPointed) -> None:
        """The cursor moved: draw what belongs to it."""
        event.stop()
        self.look_up(event.path)
        self.draw_pointed()

    def look_up(self, path: str | None) -> None:
        """Fetch how often a memory was opened, where that is not known yet."""
        if path is not None and self.session.ready and path not in self.state.access:
            self.session.look_up(path)

    def draw_pointed(self) -> None:
        """What belongs to the row under the cursor."""
        raise NotImplementedError

    def action_focus_query(self) -> None:
        """Into the query."""
        self.query_pane.field.focus()

    def action_edit_scope(self) -> None:
        """Write the scope."""
        self.scope_line.edit()

    def action_remove_chip(self) -> None:
        """Drop a condition."""
        self.scope_line.drop()

    def action_clear_scope(self) -> None:
        """Drop all conditions."""
        self.scope_line.clear()

    def action_run_again(self) -> None:
        """Run the request again, with the present instant."""
        self.ask_again()

    def step_back(self) -> bool:
        """Leave the scope line, else go from the query into the list; the text stays."""
        if self.scope_line.editing:
            self.scope_line.finish()
            return True
        pane = self.list_pane()
        if self.query_pane.field.has_focus and pane is not None and pane.paths:
            pane.focus()
            return True
        return False


def _question(request: Request) -> Request:
    """What decides an answer: everything but the instant and the kind."""
    return replace(request, now=0.0, kind="search")
