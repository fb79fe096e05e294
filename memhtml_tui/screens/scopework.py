"""What a view with a scope line can do: chips with what they remove, the builder as a pane or a dialog.

The scope itself is the session's; everything here draws it or asks for another one.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, cast

from textual import events

from memhtml_core.rank.request import Scope
from memhtml_tui.messages import ScopeCounted, ScopeEdited
from memhtml_tui.panes.scope import Chip, ScopeLine
from memhtml_tui.screens.view import View

if TYPE_CHECKING:
    from memhtml_tui.answers import StoreFacts
    from memhtml_tui.panes.builder import ScopeBuilder
    from memhtml_tui.screens.scopedialog import ScopeDialog
    from memhtml_tui.stores import Store


class Scoping(View):
    """A view whose answer depends on a scope."""

    _dialog: ScopeDialog | None = None
    _counted: ScopeCounted | None = None
    _wanted: tuple[Scope, StoreFacts | None, bool] | None = None

    def take_scope(self, scope: Scope) -> None:
        """Ask under another scope."""
        raise NotImplementedError

    @property
    def scope_line(self) -> ScopeLine:
        """The chips."""
        return self.query_one(ScopeLine)

    @property
    def builder(self) -> ScopeBuilder | None:
        """The builder, where it is open."""
        if self._dialog is not None and self._dialog.query("ScopeBuilder"):
            return self._dialog.builder
        return self._pane()

    def _pane(self) -> ScopeBuilder | None:
        found = self.query("ScopeBuilder")
        return cast("ScopeBuilder", found.first()) if found else None

    def on_scope_edited(self, event: ScopeEdited) -> None:
        """Another scope: the chips follow, and the request is run."""
        event.stop()
        self.take_scope(event.scope)

    def draw_scope(self) -> None:
        """Chips and builder; what they count is fetched where it is not known yet."""
        scope = self.session.request.scope
        builder = self.builder
        known = self._counted if self._counted is not None and self._counted.scope == scope else None
        removed = () if known is None else known.removed
        self.scope_line.show(scope, removed)
        if builder is not None:
            builder.show(scope, None if known is None else known.counts, removed)
        self._count(scope, builder is not None)

    def _count(self, scope: Scope, whole: bool) -> None:
        """Ask what is needed: the counts of every value only for a builder, nothing for no scope."""
        if not self.session.ready or not (whole or scope != Scope()):
            return
        facts = self.state.facts
        if self._wanted is not None:
            before, then, had = self._wanted
            if before == scope and then is facts and (had or not whole):
                return
        self._wanted = (scope, facts, whole)

        def count(store: Store) -> ScopeCounted:
            counts = store.scope_counts(scope) if whole else None
            return ScopeCounted(scope, counts, store.removed_by(scope))

        self.session.read(f"scope of {self.VIEW}", count, self.post_message)

    def on_scope_counted(self, event: ScopeCounted) -> None:
        """Draw the numbers, unless the scope is another one by now."""
        event.stop()
        if event.scope == self.session.request.scope:
            self._counted = event
            self.draw_scope()

    async def action_edit_scope(self) -> None:
        """The builder: into it, or out of it where the focus is there."""
        pane = self._pane()
        if pane is not None and pane.has_focus_within:
            self.close_builder()
        elif pane is not None:
            pane.values.focus()
        elif self.wide:
            from memhtml_tui.panes.builder import ScopeBuilder

            pane = ScopeBuilder(self.look, id="builder")
            self.add_class("-building")
            await self.query_one("#areas").mount(pane, before=0)
            self.draw_scope()
            pane.values.focus()
        else:
            self._open_dialog()

    def _open_dialog(self) -> None:
        from memhtml_tui.screens.scopedialog import ScopeDialog

        self._dialog = ScopeDialog(self.look, self.take_scope, self.draw_scope)
        self.app.push_screen(self._dialog, self._dialog_closed)

    def _dialog_closed(self, nothing: None) -> None:
        self._dialog = None

    def close_builder(self) -> None:
        """Close the pane; the scope stays as it was made."""
        pane = self._pane()
        if pane is None:
            return
        had_focus = pane.has_focus_within
        pane.remove()
        self.remove_class("-building")
        listed = self.list_pane()
        if had_focus and listed is not None:
            listed.focus()
        elif had_focus:
            self.focus_next("#query")

    def on_resize(self, event: events.Resize) -> None:
        """Where a pane has no room any more, the builder goes on as a dialog."""
        super().on_resize(event)
        pane = self._pane()
        if pane is not None and not self.wide and self.app.screen is self:
            self.close_builder()
            self._open_dialog()

    def step_out_of_scope(self) -> bool:
        """One step back within chips or builder; False where the focus is elsewhere."""
        pane = self._pane()
        if pane is not None and pane.has_focus_within:
            if not pane.step_back():
                self.close_builder()
            return True
        listed = self.list_pane()
        if isinstance(self.focused, Chip) and listed is not None:
            listed.focus()
            return True
        return False

    def action_remove_chip(self) -> None:
        """Drop a condition."""
        self.scope_line.drop()

    def action_clear_scope(self) -> None:
        """Drop all conditions."""
        self.scope_line.clear()

    def action_include_archived(self) -> None:
        """Let archived memories in, or out again."""
        scope = self.session.request.scope
        if scope.as_of:
            self.notify("An as-of scope sees archived memories anyway.", markup=False)
            return
        self.take_scope(replace(scope, include_archived=not scope.include_archived))
