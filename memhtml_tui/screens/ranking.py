"""What a person can do with a ranked list: the rest of the pool, more hits, another order, columns."""

from __future__ import annotations

from memhtml_tui.panes.draw import line
from memhtml_tui.panes.ranking import orders, passed_over
from memhtml_tui.panes.ranks import EXTRA, RankTable
from memhtml_tui.screens.asking import AskingView

_NOT_RANKED = "Only a ranked list has that; write a query first."


class RankingView(AskingView):
    """A view with a rank table in it."""

    @property
    def ranks(self) -> RankTable:
        """The rank table."""
        return self.query_one(RankTable)

    def _is_ranked(self) -> bool:
        """Whether ranks are on screen; says so where they are not."""
        if self.state.page is None and self.state.outcome is not None:
            return True
        self.notify(_NOT_RANKED, markup=False)
        return False

    def _show_ranks(self) -> None:
        outcome = self.state.outcome
        if outcome is not None:
            self.ranks.show(outcome, self.memhtml.registry)
        self.draw_pointed()

    def action_rest(self) -> None:
        """Show what else the pool held, or hide it again."""
        outcome = self.state.outcome
        if not self._is_ranked() or outcome is None:
            return
        self.ranks.rest = not self.ranks.rest
        self._show_ranks()
        over = passed_over(outcome)
        if self.ranks.rest:
            self.notify(f"{over} passed over, in fused order behind the hits", markup=False)

    def action_more(self) -> None:
        """Ask for more hits: another request, because the pool grows with the limit."""
        from memhtml_tui.travels import enlarged

        if not self._is_ranked():
            return
        request = enlarged(self.session.request)
        if request == self.session.request:
            self.notify(f"limit {request.limit} is the most", markup=False)
            return
        self.notify(f"limit {request.limit}: a new request, its pool grows with the limit", markup=False)
        self.memhtml.ask(request)

    def sort_ranks(self) -> None:
        """Choose the order: the answer's own, a stage, or an arm."""
        from memhtml_tui.screens.choices import Choice, ChoiceDialog

        outcome = self.state.outcome
        if not self._is_ranked() or outcome is None:
            return
        known = orders(outcome, self.memhtml.registry)
        keys = [key for key, _ in known]
        choices = [Choice(key, line(words)) for key, words in known]

        def take(chosen: tuple[str, str] | None) -> None:
            if chosen is not None:
                self.ranks.sort_by = chosen[0]
                self._show_ranks()

        start = keys.index(self.ranks.order_key)
        self.app.push_screen(
            ChoiceDialog("sort the ranks by", choices, "Enter sorts, esc leaves it", start=start), take
        )

    def action_columns(self) -> None:
        """Choose the columns; none chosen means those that fit, by importance."""
        from memhtml_tui.screens.choices import Choice, SomeDialog

        if not self._is_ranked():
            return
        arms = [(name, f"{letter} {label}") for name, letter, label in self.memhtml.registry]
        known = [*arms, *EXTRA]
        table = self.ranks
        on = table.chosen_columns
        if on is None:
            on = tuple(column.key for column in table.columns_for(table.size.width))

        def take(chosen: tuple[str, str] | None) -> None:
            if chosen is not None:
                table.chosen_columns = tuple(chosen[0].split()) or None
                self._show_ranks()

        says = "space turns one on or off, Enter takes them; with none, as many as fit"
        choices = [Choice(key, line(words)) for key, words in known]
        self.app.push_screen(SomeDialog("columns beside place and title", choices, says, on), take)
