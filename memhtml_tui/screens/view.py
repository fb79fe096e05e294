"""The base of the views: header, footer, the fold for small terminals, and the way to the app's state."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, ClassVar, cast

from rich.text import Text
from textual import events
from textual.app import ComposeResult
from textual.screen import Screen
from textual.widget import Widget
from textual.widgets import Static

from memhtml_tui.look import Look
from memhtml_tui.messages import PeekWanted
from memhtml_tui.panes.keyline import KeyLine
from memhtml_tui.panes.rows import Rows
from memhtml_tui.panes.status import head_text
from memhtml_tui.screens.panel import Panel
from memhtml_tui.session import Session
from memhtml_tui.state import State

if TYPE_CHECKING:
    from memhtml_tui.app import MemhtmlApp

TOO_SMALL = "too small (30x8)"


class View(Screen[None]):
    """One numbered view. `draw` shows the state; it is called whenever something changed and the view is
    on screen."""

    VIEW = ""
    INNER: ClassVar[tuple[str, ...]] = ()
    """The panes inside of containers: they are mounted a moment after the screen, and are drawn only then."""

    @property
    def memhtml(self) -> MemhtmlApp:
        """The app, by its own type."""
        return cast("MemhtmlApp", self.app)

    @property
    def session(self) -> Session:
        """The owner of the request."""
        return self.memhtml.session

    @property
    def state(self) -> State:
        """What there is to draw."""
        return self.memhtml.state

    @property
    def look(self) -> Look:
        """Signs and colours."""
        return self.memhtml.look

    def body(self) -> Iterable[Widget]:
        """The panes between header and footer."""
        raise NotImplementedError

    def draw(self) -> None:
        """Show the state."""
        raise NotImplementedError

    def list_pane(self) -> Rows | None:
        """The list that has the view's rows, if it has one on screen."""
        return None

    def idle(self) -> frozenset[str]:
        """Actions that would do nothing now, so that the footer does not offer them."""
        return frozenset()

    def draw_keys(self) -> None:
        """The footer, where what acts has changed and the focus has not."""
        self.query_one(KeyLine).draw()

    def step_back(self) -> bool:
        """Close or undo something within the view; False where there is nothing."""
        return False

    def compose(self) -> ComposeResult:
        """Header, panes, footer; and the one line for terminals that are too small."""
        yield Static(id="head")
        yield from self.body()
        yield Static(Text(TOO_SMALL), id="small")
        yield KeyLine(self.idle, self.look.ellipsis)

    def take_look(self) -> None:
        """Another theme: lists draw their colours into their cells, so they are drawn again."""
        for pane in self.query(Rows):
            pane.look = self.look
            pane.refit()
        self.redraw()

    def redraw(self) -> None:
        """Draw header and panes."""
        if not self.is_mounted or self.size.width == 0:
            return
        if not all(self.query(name) for name in self.INNER):
            self.call_after_refresh(self.redraw)
            return
        self.draw_head()
        self.draw()
        self.draw_keys()
        if isinstance(self.app.screen, Panel):
            self.app.screen.redraw()

    def action_go_to(self) -> None:
        """Look a memory up by its path or title, and peek at it."""
        from memhtml_tui.screens.goto import GoToDialog, look_up_with

        self.app.push_screen(GoToDialog(self.look, look_up_with(self.session)), self._go)

    def _go(self, path: str | None) -> None:
        if path is not None:
            self.app.post_message(PeekWanted(path))

    def draw_head(self) -> None:
        """The header alone."""
        self.query_one("#head", Static).update(
            head_text(
                self.state.facts,
                self.look,
                self.size.width,
                self.VIEW,
                writes=self.session.writes,
                read_only=self.session.read_only,
                demo=self.memhtml.options.demo is not None,
            ),
            layout=False,
        )

    def on_screen_resume(self) -> None:
        """Draw what happened while another view was on screen."""
        self.redraw()

    def on_resize(self, event: events.Resize) -> None:
        """Draw once the panes have their new sizes."""
        self.call_after_refresh(self.redraw)

    @property
    def wide(self) -> bool:
        """Three areas fit."""
        return self.size.width >= 100 and self.size.height >= 18

    @property
    def tiny(self) -> bool:
        """Only a list and a status line fit."""
        return self.size.width < 60 or self.size.height < 18
