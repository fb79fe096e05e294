"""The base of dialogs that follow the app's state: drawn anew whenever the view below them is."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from textual.screen import ModalScreen

if TYPE_CHECKING:
    from memhtml_tui.app import MemhtmlApp


class Panel(ModalScreen[None]):
    """A dialog over a view. `redraw` is called after every change of the state."""

    @property
    def memhtml(self) -> MemhtmlApp:
        """The app, by its own type."""
        return cast("MemhtmlApp", self.app)

    def redraw(self) -> None:
        """Show the state."""
        raise NotImplementedError

    def action_leave(self) -> None:
        """Close; what was chosen stays."""
        self.dismiss(None)
