"""View 1: search and browse. Ranks, why, and what ran, all of one answer (DESIGN 9)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, ClassVar

from rich.text import Text
from textual.binding import BindingType
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.widget import Widget
from textual.widgets import Static

from memhtml_core.rank.request import Request
from memhtml_tui.keys import bindings
from memhtml_tui.messages import PageWanted
from memhtml_tui.panes.browsing import BrowseTable
from memhtml_tui.panes.draw import BOLD, DIM, Line, cut, join, line, pair, span
from memhtml_tui.panes.ranks import RankTable
from memhtml_tui.panes.rows import Rows
from memhtml_tui.panes.status import (
    banner_text,
    nothing_text,
    progress_text,
    run_lines,
    run_text,
    unseen_text,
)
from memhtml_tui.panes.tasks import due_text, held_text, task_lines
from memhtml_tui.panes.textview import TextView
from memhtml_tui.panes.usage import before_text, use_text
from memhtml_tui.panes.why import card_line, one_line, why_lines
from memhtml_tui.resources import stylesheet
from memhtml_tui.screens.ranking import RankingView
from memhtml_tui.session import PAGE

if TYPE_CHECKING:
    from memhtml_core.browse.listing import Listing
    from memhtml_core.rank.outcome import Outcome


class SearchView(RankingView):
    """Write a query, see the ranks, see why."""

    VIEW = "search"
    INNER = ("#query", "#chips", "#ran", "#ranks", "#browse", "#nothing", "#why")
    CSS_PATH = stylesheet("search.tcss")
    AUTO_FOCUS = "#query"
    BINDINGS: ClassVar[list[BindingType]] = [*bindings("search")]
    HELP = "Write a query to rank the memories in scope; without one, every memory in scope is listed."

    def body(self) -> Iterable[Widget]:
        """Query, scope, banner; then what ran, the list, the why."""
        ranks = RankTable(self.look, id="ranks")
        browse = BrowseTable(self.look, id="browse")
        ranks.add_class("list")
        browse.add_class("list")
        ran = TextView("scope and run", id="ran")
        why = TextView("why", id="why")
        nothing = Static(id="nothing")
        yield from self.top()
        yield Static(id="banner")
        yield Horizontal(ran, Vertical(ranks, browse, nothing, why, id="main"), id="areas")
        yield Static(id="line")

    def on_mount(self) -> None:
        """Nothing to list yet."""
        self.query_pane.set_text(self.session.request.query)
        for name in ("#ranks", "#browse", "#banner"):
            self.query_one(name).display = False

    def ask_again(self) -> None:
        """As a search."""
        self.memhtml.ask(self.session.request, "search")

    def asked(self) -> Request | None:
        """The search or the page on screen."""
        shown = self.state.page or self.state.answer
        return None if shown is None else shown.request

    def list_pane(self) -> Rows | None:
        """The ranks, or Browse."""
        name = "#browse" if self.state.page is not None else "#ranks"
        pane = self.query_one(name, Rows)
        return pane if pane.display else None

    def draw(self) -> None:
        """Everything, from the state."""
        state = self.state
        if state.page is not None:
            page = state.page
            self.query_one("#browse", BrowseTable).show(page.listing, page.tasks, page.request.now)
        elif state.answer is not None:
            self.query_one("#ranks", RankTable).show(state.answer.outcome, self.memhtml.registry)
        self._choose_list()
        self.draw_asked(
            run_text(state.answer, state.page, self.look, stale=state.searching, width=self.size.width)
        )
        self._draw_banner()
        total = None if state.page is None else state.page.listing.total
        outcome = None if state.page is not None else state.outcome
        scope = self.session.request.scope
        self.query_one("#ran", TextView).show(
            run_lines(outcome, scope, self.look, self.memhtml.registry, total), keep_place=True
        )
        pane = self.list_pane()
        self.look_up(None if pane is None else pane.pointed)
        self.draw_pointed()

    def _choose_list(self) -> None:
        state = self.state
        ranks, browse, nothing = (self.query_one(name) for name in ("#ranks", "#browse", "#nothing"))
        said = self._instead()
        had_list = ranks.has_focus or browse.has_focus
        ranks.display = not said.plain and state.page is None
        browse.display = not said.plain and state.page is not None
        nothing.display = bool(said.plain)
        self.query_one("#nothing", Static).update(said)
        pane = self.list_pane()
        if had_list and pane is not None and not pane.has_focus:
            pane.focus()
        elif had_list and pane is None:
            self.query_pane.field.focus()

    def _instead(self) -> Text:
        """What to say where no list can be shown; empty where one can."""
        state = self.state
        if state.facts is None:
            if state.error is not None:
                return line(str(state.error), self.look.style("error", bold=True))
            text = Text("Opening the store\n")
            return (
                text if state.progress is None else text.append_text(progress_text(state.progress, self.look))
            )
        if state.page is not None:
            return Text() if state.page.listing.rows else self._empty_text(state.page.listing)
        if state.answer is None:
            return Text("Asking the store" if state.error is None else line(str(state.error)).plain)
        return Text() if state.answer.outcome.hits else self._empty_text(state.answer.outcome)

    def _empty_text(self, shown: Outcome | Listing) -> Text:
        """Why there is nothing: what the answer itself says, then what the store adds."""
        waiting = self.state.page is None and self.state.answer is not None and self.state.answer.waiting
        why = None if waiting else self.why_empty(shown)
        if why is None:
            return nothing_text(self.state.answer, self.state.page, self.look)
        return self.empty_words(why)

    def _draw_banner(self) -> None:
        state = self.state
        banner = self.query_one("#banner", Static)
        text = None if state.page is not None else banner_text(state.answer, self.look, self.memhtml.registry)
        if state.error is not None and state.facts is not None:
            text = span(" ! ", self.look.style("error", bold=True))
            text.append_text(line(str(state.error)))
        elif state.progress is not None and state.facts is not None:
            text = Text(" ").append_text(progress_text(state.progress, self.look))
        loud = unseen_text(None if state.page is not None else state.answer, self.look)
        if loud is not None:
            text = loud if text is None else loud.append_text(text)
        banner.display = text is not None
        if text is not None:
            banner.update(text if self.wide else cut(text, self.size.width, self.look))

    def draw_pointed(self) -> None:
        """The why panel, and its one line on small screens."""
        pane = self.list_pane()
        path = None if pane is None else pane.pointed
        self.query_one("#why", TextView).draw_with(lambda width: self._why(path, width))
        self.query_one("#line", Static).update(Content.from_rich_text(self._one_line(path)), layout=False)

    def _why(self, path: str | None, width: int) -> list[Line]:
        if path is None:
            return [Line(span("Nothing to explain.", DIM))]
        use = self._use(path)
        outcome = self.state.outcome
        if self.state.page is None and outcome is not None:
            return why_lines(outcome, path, self.look, self.memhtml.registry, width, use)
        card = (
            next(card for card in self.state.page.listing.rows if card.path == path)
            if self.state.page
            else None
        )
        if card is None:
            return []
        lines = [Line(line(card.title or path, BOLD)), Line(card_line(card, self.look))]
        task = self.state.page.tasks.get(path) if self.state.page is not None else None
        if task is not None:
            lines += task_lines(task, self.session.now(), self.look)
        if use is not None:
            lines.append(pair("use", use))
        return [*lines, Line(Text()), Line(line(card.gist or "no claim", "" if card.gist else DIM))]

    def _use(self, path: str) -> Text | None:
        if path not in self.state.access:
            return None
        row = self.state.access[path]
        text = use_text(row).append("; ")
        return text.append_text(before_text(row, self.session.now(), read_only=self.session.read_only))

    def _one_line(self, path: str | None) -> Text:
        """Ranks and what an open does; the claim below where there is room for it."""
        if path is None:
            return Text()
        outcome = self.state.outcome
        width = self.size.width
        ranks = Text()
        card = None
        if self.state.page is None and outcome is not None:
            ranks = one_line(outcome, path, self.look, self.memhtml.registry, tiny=self.tiny)
            card = outcome.cards.get(path)
        elif self.state.page is not None:
            card = next((each for each in self.state.page.listing.rows if each.path == path), None)
            ranks = line("" if card is None else card.path, DIM)
            task = self.state.page.tasks.get(path)
            if task is not None:
                told = [line(task.status), due_text(task, self.session.now(), self.look)]
                ranks = join([*told, held_text(task, self.look), ranks], f" {self.look.dot} ")
        use = Text()
        if path in self.state.access:
            row = self.state.access[path]
            use = before_text(row, self.session.now(), read_only=self.session.read_only, short=True)
        # What an open will do is said before it, so where there is little room it comes first.
        text = Text(" ").append_text(join([use, ranks] if self.tiny else [ranks, use], "  "))
        rows = [cut(text, width, self.look)]
        if not self.tiny and card is not None:
            rows.append(cut(Text(" ").append_text(line(card.gist or card.title, DIM)), width, self.look))
        return Text("\n").join(rows)

    def idle(self) -> frozenset[str]:
        """Besides the judgments, what needs a list, and what needs a ranked one."""
        actions = set(super().idle())
        pane = self.list_pane()
        if pane is None or not pane.paths:
            actions |= {"sort", "rest"}
        elif self.state.page is not None:
            actions.add("rest")
        return frozenset(actions)

    def on_page_wanted(self, event: PageWanted) -> None:
        """Turn the page of Browse, if there is one on that side."""
        event.stop()
        page = self.state.page
        if page is None:
            return
        offset = page.offset + event.step * PAGE
        if 0 <= offset < max(1, page.listing.total) and offset != page.offset:
            self.memhtml.turn_page(offset, page.sort, page.listing.descending)

    def action_sort(self) -> None:
        """Sort Browse by the next column, or choose the order of the ranks."""
        from memhtml_core.browse.listing import SORTS

        page = self.state.page
        if page is None:
            self.sort_ranks()
            return
        sorts = [sort for sort in SORTS if sort != "opens" or page.listing.opens is not None]
        place = sorts.index(page.sort) if page.sort in sorts else -1
        self.memhtml.turn_page(0, sorts[(place + 1) % len(sorts)])

    def action_turn(self) -> None:
        """Turn the order of Browse round."""
        page = self.state.page
        if page is None:
            self.notify("Only Browse is turned; ranks stay best first.", markup=False)
        else:
            self.memhtml.turn_page(0, page.sort, not page.listing.descending)

    def action_page(self, step: int) -> None:
        """Another page of Browse."""
        if self.state.page is None:
            self.notify("Only Browse has pages; m asks for more hits.", markup=False)
        else:
            self.post_message(PageWanted(step))
