"""View 3: one memory, peeked at or opened. The only view whose arrival may follow a write (DESIGN 8, 9)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import ClassVar

from rich.text import Text
from textual.binding import BindingType
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.widget import Widget
from textual.widgets import Static

from memhtml_core.access.rows import Signal
from memhtml_tui.keys import bindings
from memhtml_tui.messages import OpenWanted, PeekWanted
from memhtml_tui.panes.beside import around_choices, meta_lines, tier_line
from memhtml_tui.panes.choices import Choices
from memhtml_tui.panes.draw import DIM, Line, cut, join, line, span
from memhtml_tui.panes.reading import answer_lines, fact_lines, memory_lines
from memhtml_tui.panes.source import source_lines
from memhtml_tui.panes.textview import TextView
from memhtml_tui.panes.usage import JUDGMENTS, after_lines, before_text, counts_nothing, row_lines, use_text
from memhtml_tui.resources import stylesheet
from memhtml_tui.screens.around import AroundMemory


class ReadingView(AroundMemory):
    """The memory that was opened or peeked at last."""

    VIEW = "memory"
    INNER = ("#text", "#use", "#facts", "#links", "#answer")
    CSS_PATH = stylesheet("memory.tcss")
    AUTO_FOCUS = "#text"
    BINDINGS: ClassVar[list[BindingType]] = [*bindings("memory")]
    HELP = "One memory as it stands in its file. A peek writes nothing; Enter, + and - count."

    def __init__(self) -> None:
        super().__init__()
        self._drawn = ""
        self._listed = ""

    def body(self) -> Iterable[Widget]:
        """What was done and what an open would do; the text; facts, use, links, its line in the answer."""
        yield Static(id="done")
        side = Vertical(
            TextView("use", id="use"),
            TextView("facts", id="facts"),
            Choices(self.look, "around it", id="links"),
            TextView("in this answer", id="answer"),
            id="side",
        )
        yield Horizontal(TextView("memory", id="text"), side, id="areas")
        yield self.find_line()
        yield Static(id="line")

    def draw(self) -> None:
        """Everything, from the state."""
        opened = self.state.opened
        text, done = self.query_one("#text", TextView), self.query_one("#done", Static)
        if opened is None:
            text.show([Line(span("No memory yet. In a list, space looks at one and Enter opens it.", DIM))])
            done.update(Text())
            return
        view, look = opened.view, self.look
        done.update(Content.from_rich_text(cut(self._done(), self.size.width, look)))
        row = self.state.access.get(view.path, opened.after)
        use = [*after_lines(opened, look), Line(use_text(row)), Line(self._before())]
        if opened.signal is None:
            use = [*after_lines(opened, look), *row_lines(row, row, look), Line(self._before())]
        self.fetch()
        known = self.known
        answers = answer_lines(self.state.outcome, view.path, look, self.memhtml.registry)
        tier = tier_line(self.state.recall, view.path, look)
        answers += [] if tier is None else [tier]
        facts = fact_lines(view, look) + ([] if view.memory is None else meta_lines(view.memory))
        around = around_choices(view, known.around, known.past, look)
        whole = memory_lines(view, look)
        if not self.wide:
            for title, lines in (
                ("use", use),
                ("facts", facts),
                ("around it: l follows", [choice.line for choice in around]),
                ("in this answer", answers),
            ):
                whole += [Line(span(f"{title} {look.sign('─', '-') * 12}", DIM)), *lines, Line(Text())]
        if self.source_shown:
            data = None if known.source is None else known.source.data
            whole = [Line(span("Reading the file", DIM))] if data is None else source_lines(data, look)
        drawn = f"{view.path} {'source' if self.source_shown else 'text'}"
        text.border_title = Content("source: v goes back" if self.source_shown else "memory")
        text.show(whole, keep_place=self._drawn == drawn)
        self.links.look = look
        self.links.show_choices(around, fresh=self._listed != view.path)
        self._drawn, self._listed = drawn, view.path
        self.query_one("#use", TextView).show(use)
        self.query_one("#facts", TextView).show(facts)
        self.query_one("#answer", TextView).show(answers)
        self.query_one("#line", Static).update(
            Content.from_rich_text(
                cut(Text(" ").append_text(self._before(short=True)), self.size.width, look)
            )
        )

    def _done(self) -> Text:
        """One line: place in the list, what was done, what changed."""
        opened = self.state.opened
        if opened is None:
            return Text()
        trail, path = self.state.trail, opened.view.path
        place = f"{trail.index(path) + 1} of {len(trail)}" if path in trail else ""
        head = after_lines(opened, self.look)[0].body
        change = Text()
        if opened.result is not None and opened.result.bumped:
            before = 0 if opened.before is None else opened.before.access_count
            after = 0 if opened.after is None else opened.after.access_count
            change = span(f"opens {before} {self.look.sign('→', '->')} {after}", "bold")
        return Text(" ").append_text(
            join([span(place, DIM), change, head, line(path, DIM)], f" {self.look.dot} ")
        )

    def _before(self, *, short: bool = False) -> Text:
        opened = self.state.opened
        if opened is None:
            return Text()
        row = self.state.access.get(opened.view.path, opened.after)
        if not opened.view.openable:
            return span("cannot be opened: it is not in the index or its file cannot be read", DIM)
        return before_text(row, self.session.now(), read_only=self.session.read_only, short=short)

    def idle(self) -> frozenset[str]:
        """The judgments, where what is shown is cooling down."""
        opened = self.state.opened
        if opened is None:
            return frozenset()
        row = self.state.access.get(opened.view.path, opened.after)
        refused = counts_nothing(row, self.session.now(), read_only=self.session.read_only)
        return JUDGMENTS if refused else frozenset()

    def subject(self) -> str | None:
        """The memory that is shown."""
        return None if self.state.opened is None else self.state.opened.view.path

    def action_open(self, signal: Signal) -> None:
        """Open what is shown; in the list of what stands around it, Enter follows, which is a peek."""
        if signal == "neutral" and self.links.has_focus:
            self.action_follow()
        elif self.state.opened is not None:
            self.post_message(OpenWanted(self.state.opened.view.path, signal))

    def action_step(self, step: int) -> None:
        """Peek at the next or previous memory of the list."""
        opened, trail = self.state.opened, self.state.trail
        if opened is None or opened.view.path not in trail:
            return
        place = trail.index(opened.view.path) + step
        if 0 <= place < len(trail):
            self.post_message(PeekWanted(trail[place]))
