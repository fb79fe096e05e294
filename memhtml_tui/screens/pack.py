"""View 2: the recall pack. What the agent would read, in which tier, and why (DESIGN 6, 9)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import ClassVar

from rich.text import Text
from textual.binding import BindingType
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.widget import Widget
from textual.widgets import Static

from memhtml_core.pack.diff import diff_packs
from memhtml_core.pack.entries import EnvelopeName
from memhtml_core.pack.threshold import NextSteps
from memhtml_core.rank.request import Ranking, Request
from memhtml_tui.answers import Answer
from memhtml_tui.export import suggested
from memhtml_tui.keys import bindings
from memhtml_tui.panes.draw import DIM, Line, cut, line, span
from memhtml_tui.panes.packing import PackTable, budget_line, budget_lines, exact_lines, reason_lines
from memhtml_tui.panes.rows import Rows
from memhtml_tui.panes.status import banner_text, progress_text, run_text
from memhtml_tui.panes.steps import diff_lines, diff_text, kept_text, setting_text, step_line, step_lines
from memhtml_tui.panes.textview import TextView
from memhtml_tui.panes.usage import before_text
from memhtml_tui.refold import refolded
from memhtml_tui.resources import stylesheet
from memhtml_tui.screens.asking import AskingView
from memhtml_tui.screens.dialogs import NumberDialog
from memhtml_tui.screens.taking import Taking

STEP = 1_000
"""Characters by which one key changes a budget."""


class PackView(Taking, AskingView):
    """The pack of the current query and scope."""

    VIEW = "pack"
    INNER = ("#query", "#chips", "#pack-list", "#nothing", "#reason", "#budget", "#exact", "#changes")
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
            Vertical(entries, Static(id="nothing"), reason, budget, id="entries"),
            Vertical(TextView("", id="changes"), exact, id="right"),
            id="areas",
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
        why = None if some else self.why_empty(recall.outcome)
        nothing.update(Text("Nothing was recalled.") if why is None else self.empty_words(why))
        self.query_one("#exact", TextView).show(exact_lines(rendered), keep_place=True)
        self._draw_changes(recall)
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
        ranking, steps, current = recall.request.ranking, recall.steps, entries.envelope

        def budget(width: int) -> list[Line]:
            lines = budget_lines(pack, rendered, self.look, width, current)
            lines.append(Line(setting_text(ranking, self.look)))
            return lines if steps is None else [*lines, *step_lines(steps, current, self.look)]

        self.query_one("#budget", TextView).draw_with(budget, keep_place=True)
        texts = [budget_line(pack, self.look)]
        if not self.tiny:
            texts.append(Text("  ").join([each.body for each in shown[1:3]]))
            kept = self.state.kept
            if kept is not None and kept.pack is not None:
                texts.append(Text("kept: ").append_text(diff_text(diff_packs(kept.pack, pack))))
            elif steps is not None:
                texts.append(step_line(steps, current))
        rows = [cut(Text(" ").append_text(text), self.size.width, self.look) for text in texts]
        self.query_one("#line", Static).update(Content.from_rich_text(Text("\n").join(rows)), layout=False)

    def _draw_changes(self, recall: Answer) -> None:
        """What differs from the kept pack, where one is kept."""
        kept = self.state.kept
        changes = self.query_one("#changes", TextView)
        self.set_class(kept is not None, "-kept")
        if kept is None or kept.pack is None or recall.pack is None:
            return
        changes.border_title = Content.from_rich_text(kept_text(kept.pack))
        diff = diff_packs(kept.pack, recall.pack)
        changes.show(diff_lines(diff, kept.request, recall.request, self.look), keep_place=True)

    def action_keep(self) -> None:
        """Keep this pack, so that later ones are compared with it; once more lets go of it."""
        recall = self.state.recall
        if self.state.kept is not None:
            self.state.kept = None
            self.notify("let go of the kept pack", markup=False)
        elif recall is not None and recall.pack is not None:
            self.state.kept = recall
            self.notify("kept this pack: another budget, scope or weight shows what changes", markup=False)
        self.redraw()

    def taken(self) -> tuple[str, str] | None:
        """The exact text."""
        recall = self.state.recall
        if recall is None or recall.rendered is None:
            return None
        return recall.rendered.text, suggested(recall.request.query)

    def action_threshold(self, direction: int) -> None:
        """The budget of the envelope under the cursor to the next threshold up or down."""
        recall = self.state.recall
        if recall is None or recall.steps is None:
            return
        steps: NextSteps = recall.steps.arcs if self._envelope == "arcs" else recall.steps.memories
        step = steps.up if direction > 0 else steps.down
        if step is None:
            way = "above" if direction > 0 else "below"
            self.notify(f"no budget {way} turns anything of the {self._envelope}", markup=False)
        else:
            self._set_budget(step.budget)

    def action_cap(self, step: int) -> None:
        """How many memories of one entity may be quoted in full."""
        ranking = self.session.request.ranking
        self._fold_with(replace(ranking, per_entity=max(0, ranking.per_entity + step)))

    def action_order(self) -> None:
        """The order that is folded: as fused, or diversified."""
        request = self.session.request
        order = request.ranking.pack_order
        ranking = replace(request.ranking, pack_order="fused" if order == "diversified" else "diversified")
        self.memhtml.ask(replace(request, ranking=ranking), "recall")

    def action_budget(self, steps: int) -> None:
        """Change the budget of the envelope under the cursor by thousands."""
        self._set_budget(self._budget() + steps * STEP)

    def action_type_budget(self) -> None:
        """Type it. The dialog is pushed at once, so that digits typed right after `b` are its own."""
        dialog = NumberDialog(f"Budget of the {self._envelope}, in characters", self._budget())
        self.app.push_screen(dialog, self._take_budget)

    def _take_budget(self, number: int | None) -> None:
        if number is not None:
            self._set_budget(number)

    @property
    def _envelope(self) -> EnvelopeName:
        return self.query_one("#pack-list", PackTable).envelope

    def _budget(self) -> int:
        ranking = self.session.request.ranking
        if self._envelope == "arcs":
            return ranking.arcs_budget
        return ranking.memories_budget

    def _set_budget(self, characters: int) -> None:
        characters = max(0, characters)
        ranking: Ranking = self.session.request.ranking
        if self._envelope == "arcs":
            ranking = replace(ranking, arcs_budget=characters)
        else:
            ranking = replace(ranking, memories_budget=characters)
        self._fold_with(ranking)

    def _fold_with(self, ranking: Ranking) -> None:
        """Other budgets or another cap: fold at once where that is quick, else ask."""
        request = replace(self.session.request, ranking=ranking)
        whole = self.session.answered == self.session.generation
        answer = refolded(self.state.recall, request) if whole else None
        if answer is None:
            self.memhtml.ask(request, "recall")
            return
        self.session.adopt(answer.request)
        self.state.recall = answer
        self.redraw()

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
