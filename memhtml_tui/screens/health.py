"""View 5: the state of the store and its index, without side effects (DESIGN 4, 9)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import ClassVar

from textual.binding import BindingType
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.widget import Widget
from textual.widgets import Static

from memhtml_tui.keys import bindings
from memhtml_tui.messages import HealthKnown, PeekWanted
from memhtml_tui.panes.draw import DIM, Line, cut, line, span
from memhtml_tui.panes.health import ProblemList, report_lines, timeline_lines
from memhtml_tui.panes.linelist import LineList
from memhtml_tui.panes.status import progress_text
from memhtml_tui.panes.textview import TextView
from memhtml_tui.resources import stylesheet
from memhtml_tui.screens.view import View
from memhtml_tui.stores import Store


class HealthView(View):
    """What `status` prints, and the months, and the files that are not indexed."""

    VIEW = "health"
    CSS_PATH = stylesheet("health.tcss")
    AUTO_FOCUS = "#report"
    BINDINGS: ClassVar[list[BindingType]] = [*bindings("health")]
    HELP = "The state of the store and its index. ctrl+r brings the index up to date, ctrl+c stops that."

    def body(self) -> Iterable[Widget]:
        """Banner; report, months, problems."""
        months = TextView("events and writes by month", id="months")
        problems = ProblemList(self.look, id="problems")
        problems.border_title = Content("not indexed")
        yield Static(id="banner")
        yield Horizontal(TextView("health", id="report"), Vertical(months, problems, id="right"), id="areas")

    def on_mount(self) -> None:
        """Nothing to say yet."""
        self.query_one("#banner").display = False

    def on_screen_resume(self) -> None:
        """Ask anew each time the view comes on screen."""
        super().on_screen_resume()
        self.ask_again()

    def ask_again(self) -> None:
        """Gather the report on the store's thread."""
        self.session.read("health", _health)

    def draw(self) -> None:
        """Everything, from the state."""
        self._draw_banner()
        report, look = self.state.health, self.look
        text = self.query_one("#report", TextView)
        if report is None:
            words = "Asking the store" if self.state.facts is not None else "Opening the store"
            text.show([Line(span(words, DIM))])
            return
        following = self.state.following
        months = self.query_one("#months", TextView)
        lines = report_lines(report, look, following)
        if self.wide:
            text.show(lines, keep_place=True)
        else:
            text.draw_with(
                lambda width: [*lines, Line(span("")), *timeline_lines(report.months, look, width)],
                keep_place=True,
            )
        months.draw_with(lambda width: timeline_lines(report.months, look, width), keep_place=True)
        self.query_one(ProblemList).show(report.health.problems)
        self.query_one("#right").display = self.wide or bool(report.health.problems)

    def _draw_banner(self) -> None:
        banner = self.query_one("#banner", Static)
        text = None
        if self.state.error is not None:
            text = span(" ! ", self.look.style("error", bold=True)).append_text(line(str(self.state.error)))
        elif self.state.progress is not None:
            text = span(" ").append_text(progress_text(self.state.progress, self.look))
        banner.display = text is not None
        if text is not None:
            banner.update(cut(text, self.size.width, self.look))

    def on_line_list_chosen(self, event: LineList.Chosen) -> None:
        """Look at a file that is not indexed."""
        event.stop()
        problems = self.query_one(ProblemList)
        if event.lines is problems:
            self.post_message(PeekWanted(problems.path(event.row)))

    def action_run_again(self) -> None:
        """Gather the report again."""
        self.ask_again()


def _health(store: Store) -> HealthKnown:
    return HealthKnown(store.health())
