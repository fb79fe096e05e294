"""The explorer: a thin app that keeps the state, hands messages on, and switches between the views.

Loading this module loads no part of the core that needs numpy or SQLite; the store's thread does that
after the first frame. `run` is what the command line calls.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from textual import work
from textual.app import App, SystemCommand
from textual.binding import BindingType
from textual.css.query import NoMatches
from textual.dom import DOMNode
from textual.screen import Screen

from memhtml_core.rank.request import Kind, Request
from memhtml_tui import keys
from memhtml_tui.ending import while_shown
from memhtml_tui.keymap import remapped
from memhtml_tui.look import DARK, LIGHT, Look
from memhtml_tui.messages import (
    AccessKnown,
    Answered,
    AnswerFailed,
    Following,
    HealthKnown,
    JobFailed,
    Listed,
    MemoryShown,
    OpenWanted,
    PeekWanted,
    Searching,
    StoreFailed,
    StoreProgress,
    StoreReady,
    Told,
)
from memhtml_tui.panes.draw import line
from memhtml_tui.panes.ranks import Registry
from memhtml_tui.panes.textview import TextView
from memhtml_tui.resources import BASE, stylesheet
from memhtml_tui.screens.asking import AskingView
from memhtml_tui.screens.modes import MODES
from memhtml_tui.screens.view import View
from memhtml_tui.session import Opener, Session, Store
from memhtml_tui.settings import Options
from memhtml_tui.state import State
from memhtml_tui.text import clean
from memhtml_tui.travels import Travels

if TYPE_CHECKING:
    from memhtml_core.browse.listing import Sort
    from memhtml_core.index.progress import Cancel, Report

_LOOKED = ("MEMHTML_ROOT", "the folders above this one", "~/memhtml")

SPINNER_AFTER = 0.3
"""Seconds after which a running search is said to run."""


class MemhtmlApp(App[int]):
    """Views on one store. `opener` opens it on the store's thread; without one the start dialog comes first.

    `choose` gives the opener of a folder that a person chose there, None meaning the demo store.
    """

    CSS_PATH = stylesheet(BASE)
    TITLE = "memhtml-tui"
    HORIZONTAL_BREAKPOINTS = [  # noqa: RUF012
        (0, "-sliver"),
        (30, "-tiny"),
        (60, "-narrow"),
        (100, "-wide"),
    ]
    VERTICAL_BREAKPOINTS = [(0, "-flat"), (8, "-short"), (18, "-tall")]  # noqa: RUF012
    MODES = MODES
    DEFAULT_MODE = "search"
    BINDINGS: ClassVar[list[BindingType]] = [*keys.bindings("app")]

    def __init__(
        self,
        opener: Opener | None,
        options: Options,
        *,
        choose: Callable[[Path | None], tuple[Opener, Options]] | None = None,
        clock: Callable[[], float] = time.time,
    ) -> None:
        super().__init__()
        self.options = options
        self.state = State()
        self.registry: Registry = ()
        self.session = Session(options, self.post_message, clock)
        self.travels = Travels(self.session, options.history, self.post_message)
        self._opener = opener
        self._choose = choose
        self._came_from: list[str] = []

        self.animation_level = "none"
        self.register_theme(DARK)
        self.register_theme(LIGHT)
        self.theme = self._allowed(options.theme)
        self.look = self._theme_look()

    def on_mount(self) -> None:
        """Open the store once the first frame is out."""
        self.theme_changed_signal.subscribe(self, lambda theme: self._take_look())
        if self.theme != self.options.theme:
            said = line(f"theme {self.options.theme} cannot be used here; this is {self.theme}").plain
            self.notify(said, severity="warning", markup=False)
        if self.options.keymap:
            self.set_keymap(dict(self.options.keymap))
        self.call_after_refresh(self._open)
        self.travels.load()

    def _allowed(self, theme: str) -> str:
        """The theme, unless it does not exist or would be black on black under NO_COLOR."""
        hidden = self.no_color and "ansi" in theme
        return DARK.name if hidden or theme not in self.available_themes else theme

    def _theme_look(self) -> Look:
        theme = self.current_theme
        return Look(self.options.glyphs, {**theme.to_color_system().generate(), **theme.variables})

    def _take_look(self) -> None:
        self.look = self._theme_look()
        for view in self._views():
            view.take_look()

    def _open(self) -> None:
        if self._opener is not None:
            self.session.start(self._opener)
        else:
            self._choose_store()

    @work
    async def _choose_store(self) -> None:
        from memhtml_tui.screens.dialogs import StartDialog

        folder = await self.push_screen_wait(StartDialog(_LOOKED))
        if self._choose is not None:
            opener, self.options = self._choose(folder)
            self.session.start(opener)

    @property
    def view(self) -> View:
        """The view on screen, also below a dialog."""
        for screen in reversed(self.screen_stack):
            if isinstance(screen, View):
                return screen
        raise NoMatches("no view is on screen")

    def _views(self) -> list[View]:
        return [s for stack in self._screen_stacks.values() for s in stack if isinstance(s, View)]

    def ask(self, request: Request, kind: Kind | None = None) -> None:
        """Run a request as the kind of the view on screen."""
        view = self.view
        pane = view.list_pane()
        self.travels.ask(
            request,
            kind or ("recall" if view.VIEW == "pack" else "search"),
            pointed=None if pane is None else pane.pointed,
            typing=isinstance(view, AskingView) and view.query_pane.field.has_focus,
        )
        self.view.redraw()

    def turn_page(self, offset: int, sort: Sort, descending: bool | None = None) -> None:
        """Another page or order of Browse."""
        self.session.turn_page(offset, sort, descending)

    @while_shown
    def on_store_progress(self, event: StoreProgress) -> None:
        """Indexing or embedding goes on, or has ended; work on nothing is not worth a line."""
        progress = event.progress
        self.state.progress = None if progress is not None and progress.total == 0 else progress
        self.view.redraw()

    @while_shown
    def on_store_ready(self, event: StoreReady) -> None:
        """Ask the current request, for the first time or with what is new."""
        self.state.facts, self.state.progress, self.state.error = event.facts, None, None
        self.registry = event.facts.arms
        self.state.access.clear()
        self.ask(self.session.request)

    @while_shown
    def on_store_failed(self, event: StoreFailed) -> None:
        """Say so where the list would be."""
        self.state.error, self.state.progress = event.error, None
        self.view.redraw()

    def on_searching(self, event: Searching) -> None:
        """Say that a search runs if it takes long enough to be seen."""
        self.set_timer(SPINNER_AFTER, lambda: self._still_searching(event.generation))

    @while_shown
    def _still_searching(self, generation: int) -> None:
        if generation == self.session.generation and self.session.answered != generation:
            self.state.searching = True
            self.view.redraw()

    @while_shown
    def on_answered(self, event: Answered) -> None:
        """Show an answer, unless a newer request was made meanwhile."""
        answer = event.answer
        if not self._is_current(answer.generation):
            return
        if answer.request.kind == "recall":
            self.state.recall = answer
        else:
            self.state.answer, self.state.page = answer, None
        self.view.redraw()

    @while_shown
    def on_listed(self, event: Listed) -> None:
        """Show a page of Browse."""
        if self._is_current(event.generation):
            self.state.page, self.state.answer = event.page, None
            self.view.redraw()

    @while_shown
    def on_answer_failed(self, event: AnswerFailed) -> None:
        """Keep what is on the screen and say what went wrong."""
        if self._is_current(event.generation):
            self.state.error = event.error
            self.view.redraw()

    def _is_current(self, generation: int) -> bool:
        if generation != self.session.generation:
            return False
        self.session.answered = generation
        self.state.searching, self.state.error = False, None
        return True

    @while_shown
    def on_access_known(self, event: AccessKnown) -> None:
        """How often the memory under the cursor was opened."""
        self.state.access[event.path] = event.row
        if isinstance(self.view, AskingView):
            self.view.draw_pointed()
            self.view.draw_keys()

    def on_open_wanted(self, event: OpenWanted) -> None:
        """The explicit act: the session reads, counts and answers."""
        self._remember_list()
        self.session.open(event.path, event.signal)

    def on_peek_wanted(self, event: PeekWanted) -> None:
        """Look without counting."""
        self._remember_list()
        self.session.peek(event.path)

    def _remember_list(self) -> None:
        pane = self.view.list_pane()
        if pane is not None:
            self.state.trail = pane.paths

    @while_shown
    def on_memory_shown(self, event: MemoryShown) -> None:
        """Show what was read, and what the open did."""
        opened = event.opened
        self.state.opened = opened
        self.state.access[opened.view.path] = opened.after
        self.show_view("memory")
        self.view.redraw()

    @while_shown
    def on_health_known(self, event: HealthKnown) -> None:
        """Show how the store is."""
        self.state.health = event.report
        self.view.redraw()

    @while_shown
    def on_following(self, event: Following) -> None:
        """How changes on disk are followed is said in Health, nowhere else."""
        self.state.following = event.words
        if self.current_mode == "health":
            self.view.redraw()

    @while_shown
    def on_told(self, event: Told) -> None:
        """A quiet notice."""
        self.notify(line(event.words).plain, markup=False, timeout=4)

    @while_shown
    def on_job_failed(self, event: JobFailed) -> None:
        """A notice; nothing on the screen is lost."""
        self.notify(clean(str(event.error)), severity="error", markup=False, timeout=8)

    def show_view(self, name: str, *, into_query: bool = False) -> None:
        """Switch to a view, remembering where from."""
        if name != self.current_mode:
            self._came_from = [*self._came_from[-20:], self.current_mode]
            self.switch_mode(name)
        if into_query:
            self.call_after_refresh(self._into_query)

    def _into_query(self) -> None:
        if isinstance(self.view, AskingView):
            self.view.action_focus_query()

    def action_view(self, name: str) -> None:
        """One of the numbered views."""
        self.show_view(name)

    async def action_back(self) -> None:
        """Close, else one step back, else the query; never quits."""
        if self.view.step_back():
            return
        if self._came_from:
            self.switch_mode(self._came_from.pop())
        elif self.current_mode != "search":
            self.switch_mode("search")
        else:
            self._into_query()

    def action_help(self) -> None:
        """The keys of the view and of the pane in focus."""
        from memhtml_tui.screens.dialogs import HelpDialog

        view = self.view
        focused = view.focused
        about = [view.HELP or "", getattr(focused, "HELP", "") or ""]
        self.push_screen(HelpDialog(about, remapped(keys.acts(*self._places(view)), self.options.keymap)))

    def _places(self, view: View) -> tuple[str, ...]:
        where = ["rows"] if view.list_pane() is not None else []
        if isinstance(view.focused, TextView):
            where = [view.focused.PLACE]
        return (*where, view.VIEW, "app")

    def get_system_commands(self, screen: Screen[Any]) -> Iterable[SystemCommand]:
        """Every action of the view on screen, and the theme; names and help are our own words."""
        view = self.view
        for act in remapped(keys.acts("rows", *self._places(view)), self.options.keymap):
            yield SystemCommand(f"{act.label}: {act.help}", f"key {keys.key_text(act)}", self._runner(act))
        yield SystemCommand("theme: choose the colours", "", self.action_change_theme)

    def _runner(self, act: keys.Act) -> Callable[[], None]:
        def run() -> None:
            view = self.view
            target: DOMNode | None = self if "app" in act.where else view
            if "rows" in act.where and view.VIEW not in act.where:
                target = view.list_pane()
            elif {"text", "around"} & set(act.where):
                target = view.focused
            if target is not None:
                self.run_worker(self.run_action(act.action, target), group="palette")

        return run

    @work
    async def action_jump(self) -> None:
        """Letters on the panes of the view; the one that is pressed gets the focus."""
        from memhtml_tui.screens.jump import JumpScreen

        chosen = await self.push_screen_wait(JumpScreen(self.view.focus_chain))
        if chosen is not None:
            chosen.focus()

    def action_reindex(self) -> None:
        """Bring the index up to date."""
        self.session.reindex()

    def action_stop(self) -> None:
        """Stop a running search, else say how to quit."""
        if self.session.cancel():
            self.state.searching = False
            self.notify("stopped", markup=False)
            self.view.redraw()
        else:
            self.notify("ctrl+q quits", markup=False)

    async def action_quit(self) -> None:
        """Leave; the exit status is that of a store that could not be opened, else 0."""
        self.session.close()
        failed = self.state.error is not None and self.state.facts is None
        self.exit(self.state.error.exit_code if failed and self.state.error is not None else 0)


def run(store_root: Path | None, options: Options) -> int:
    """Explore a store until the person quits; the exit status. `store_root` None shows the start dialog."""

    def choose(folder: Path | None) -> tuple[Opener, Options]:
        from memhtml_tui.opening import chosen

        return chosen(folder, options)

    from memhtml_tui.keymap import checked

    options = replace(options, keymap=checked(options.keymap, None))

    def open_given(progress: Report, cancel: Cancel) -> Store:
        from memhtml_tui.opening import opener_of

        return opener_of(store_root or Path(), options)(progress, cancel)

    app = MemhtmlApp(None if store_root is None else open_given, options, choose=choose)
    result = app.run()
    return app.return_code or 0 if result is None else result
