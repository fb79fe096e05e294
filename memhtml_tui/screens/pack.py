"""View 2: the recall pack. What the agent would read, in which tier, and why (DESIGN 6, 9)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import ClassVar

from rich.text import Text
from textual import work
from textual.binding import BindingType
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.widget import Widget
from textual.widgets import Static

from memhtml_core.rank.request import Ranking, Request
from memhtml_tui.keys import bindings
from memhtml_tui.panes.draw import DIM, Line, cut, line, span
from memhtml_tui.panes.packing import PackTable, budget_line, budget_lines, exact_lines, reason_lines
from memhtml_tui.panes.rows import Rows
from memhtml_tui.panes.status import banner_text, progress_text, run_text
from memhtml_tui.panes.textview import TextView
from memhtml_tui.panes.usage import before_text
from memhtml_tui.resources import stylesheet
from memhtml_tui.screens.asking import AskingView
from memhtml_tui.screens.dialogs import NumberDialog

STEP = 1_000
"""Characters by which one key changes a budget."""


class PackView(AskingView):
    """The pack of the current query and scope."""

    VIEW = "pack"
    INNER = ("#query", "#chips", "#pack-list", "#nothing", "#reason", "#budget", "#exact")
    CSS_PATH = stylesheet("pack.tcss")
    AUTO_FOCUS = "#pack-list"
    BINDINGS: ClassVar[list[BindingType]] = [*bindings("pack")]
    HELP = "What a recall of this query hands to the agent, under the budgets of both envelopes."

    def body(self) -> Iterable[Widget]:
        """Query, scope, banner; then entries with budgets, and the exact text."""
        entries = PackTable(self.look, id="pack-list")
        entries.add_class("list")
        budget = TextView("budget", id="budget")
        reason = TextView("why this tier", id="reason")
        exact = TextView("what the agent reads, character for character", id="exact")
        yield from self.top()
        yield Static(id="banner")
        yield Horizontal(
            Vertical(entries, Static(id="nothing"), reason, budget, id="entries"), exact, id="areas"
        )
        yield Static(id="line")

    def on_mount(self) -> None:
        """Nothing folded yet."""
        self.query_one("#banner").display = False

    def asked(self) -> Request | None:
        """The recall on screen."""
        return None if self.state.recall is None else self.state.recall.request

    def ask_again(self) -> None:
        """As a recall."""
        self.memhtml.ask(self.session.request, "recall")

    def list_pane(self) -> Rows | None:
        """The entries."""
        pane = self.query_one("#pack-list", PackTable)
        return pane if pane.display else None

    def draw(self) -> None:
        """Everything, from the state."""
        recall = self.state.recall
        said = run_text(recall, None, self.look, stale=self.state.searching, width=self.size.width)
        self.draw_asked(said)
        self._draw_banner()
        entries = self.query_one("#pack-list", PackTable)
        nothing = self.query_one("#nothing", Static)
        if recall is None or recall.pack is None or recall.rendered is None:
            entries.display = False
            nothing.display = True
            text = Text("Folding the pack" if self.state.facts is not None else "Opening the store")
            nothing.update(text)
            return
        pack, rendered = recall.pack, recall.rendered
        some = bool(pack.arcs.entries or pack.memories.entries)
        entries.show(pack)
        entries.display, nothing.display = some, not some
        nothing.update(Text("Nothing was recalled in this scope."))
        self.query_one("#exact", TextView).show(exact_lines(rendered), keep_place=True)
        self.query_one("#budget", TextView).draw_with(
            lambda width: budget_lines(pack, rendered, self.look, width, entries.envelope), keep_place=True
        )
        self.look_up(entries.pointed)
        self.draw_pointed()

    def _draw_banner(self) -> None:
        banner = self.query_one("#banner", Static)
        text = banner_text(self.state.recall, self.look, self.memhtml.registry)
        if self.state.error is not None:
            text = span(" ! ", self.look.style("error", bold=True)).append_text(line(str(self.state.error)))
        elif self.state.progress is not None:
            text = Text(" ").append_text(progress_text(self.state.progress, self.look))
        banner.display = text is not None
        if text is not None:
            banner.update(text if self.wide else cut(text, self.size.width, self.look))

    def draw_pointed(self) -> None:
        """The reason of the tier under the cursor, the envelope that the budget keys change, the small
        line."""
        recall = self.state.recall
        entries = self.query_one("#pack-list", PackTable)
        if recall is None or recall.pack is None or recall.rendered is None:
            return
        pack, rendered = recall.pack, recall.rendered
        titles = {e.path: e.title for e in (*pack.arcs.entries, *pack.memories.entries)}
        entry = entries.entry
        shown = [Line(span("Nothing was recalled.", DIM))]
        if entry is not None:
            shown = reason_lines(entry, titles, self.look)
            if entry.path in self.state.access:
                row = self.state.access[entry.path]
                shown.append(Line(before_text(row, self.session.now(), read_only=self.session.read_only)))
        self.query_one("#reason", TextView).show(shown)
        self.query_one("#budget", TextView).draw_with(
            lambda width: budget_lines(pack, rendered, self.look, width, entries.envelope), keep_place=True
        )
        rows = [cut(Text(" ").append_text(budget_line(pack, self.look)), self.size.width, self.look)]
        if not self.tiny and shown:
            words = Text("  ").join([each.body for each in shown[1:3]])
            rows.append(cut(Text(" ").append_text(words), self.size.width, self.look))
        self.query_one("#line", Static).update(Content.from_rich_text(Text("\n").join(rows)), layout=False)

    def action_budget(self, steps: int) -> None:
        """Change the budget of the envelope under the cursor by thousands."""
        self._set_budget(self._budget() + steps * STEP)

    @work
    async def action_type_budget(self) -> None:
        """Type it."""
        name = self.query_one("#pack-list", PackTable).envelope
        number = await self.app.push_screen_wait(
            NumberDialog(f"Budget of the {name}, in characters", self._budget())
        )
        if number is not None:
            self._set_budget(number)

    def _budget(self) -> int:
        ranking = self.session.request.ranking
        if self.query_one("#pack-list", PackTable).envelope == "arcs":
            return ranking.arcs_budget
        return ranking.memories_budget

    def _set_budget(self, characters: int) -> None:
        request = self.session.request
        characters = max(0, characters)
        ranking: Ranking = request.ranking
        if self.query_one("#pack-list", PackTable).envelope == "arcs":
            ranking = replace(ranking, arcs_budget=characters)
        else:
            ranking = replace(ranking, memories_budget=characters)
        self.memhtml.ask(replace(request, ranking=ranking), "recall")

    def action_swap(self) -> None:
        """On small screens, between the list and the exact text; on wide ones the focus goes there."""
        exact = self.query_one("#exact", TextView)
        shown = self.has_class("-text")
        if self.wide:
            (self.query_one("#pack-list", PackTable) if exact.has_focus else exact).focus()
            return
        self.set_class(not shown, "-text")
        (self.query_one("#pack-list", PackTable) if shown else exact).focus()

    def step_back(self) -> bool:
        """From the exact text to the list."""
        if self.has_class("-text") and not self.wide:
            self.action_swap()
            return True
        return super().step_back()
