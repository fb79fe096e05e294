"""Why nothing is listed: asked of the store when it happens, and again once its tree was walked.

The first answer comes at once and leaves out whether the index is stale, because that takes a walk of the
tree; the walk runs beside the searches and mends the answer.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.text import Text

from memhtml_core.errors import MemhtmlError
from memhtml_tui.messages import EmptyKnown, JobFailed
from memhtml_tui.screens.view import View

if TYPE_CHECKING:
    from memhtml_core.browse.empty import WhyEmpty
    from memhtml_core.browse.listing import Listing
    from memhtml_core.index.freshness import Freshness
    from memhtml_core.rank.outcome import Outcome
    from memhtml_tui.stores import Store


class Emptiness(View):
    """A view whose list may be empty."""

    _empty: Outcome | Listing | None = None
    _why_empty: WhyEmpty | None = None

    def why_empty(self, shown: Outcome | Listing) -> WhyEmpty | None:
        """Why this answer holds nothing; None until the store has said so, which it is asked once."""
        if self._empty is not shown:
            self._empty, self._why_empty = shown, None
            self._ask_why(shown, None)
        return self._why_empty

    def empty_words(self, why: WhyEmpty) -> Text:
        """A reason and what helps, in words."""
        from memhtml_tui.panes.empty import empty_text

        return empty_text(why, self.look)

    def _ask_why(self, shown: Outcome | Listing, fresh: Freshness | None) -> None:
        scope = self.session.request.scope

        def look(store: Store) -> EmptyKnown | None:
            why = store.why_empty(shown, scope, fresh)
            return None if why is None else EmptyKnown(shown, why, store if fresh is None else None)

        self.session.read(f"why nothing in {self.VIEW}", look, self.post_message)

    def on_empty_known(self, event: EmptyKnown) -> None:
        """Say it, unless something else is shown by now; then see whether the index is stale."""
        event.stop()
        if event.shown is not self._empty:
            return
        self._why_empty = event.why
        self.redraw()
        store = event.store
        if store is not None:
            self.run_worker(
                lambda: self._walk(event.shown, store), thread=True, exclusive=True, group="freshness"
            )

    def _walk(self, shown: Outcome | Listing, store: Store) -> None:
        """On a thread of its own."""
        try:
            fresh = store.freshness()
        except MemhtmlError as error:
            self.app.post_message(JobFailed(error, "freshness"))
            return
        if not fresh.current:
            self.app.call_later(self._stale, shown, fresh)

    def _stale(self, shown: Outcome | Listing, fresh: Freshness) -> None:
        if shown is self._empty:
            self._ask_why(shown, fresh)
