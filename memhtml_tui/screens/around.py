"""What a person does from inside a memory: follow what stands around it, see its file and its versions, find
words, search for what is like it, edit it. All of it peeks; none of it counts (DESIGN 8).
"""

from __future__ import annotations

import os
from dataclasses import dataclass

from textual import work
from textual.app import SuspendNotSupported
from textual.containers import Horizontal
from textual.content import Content
from textual.widgets import Input, Static

from memhtml_core.errors import MemhtmlError
from memhtml_tui import outside
from memhtml_tui.around import Around, Between, Past, Source, Written
from memhtml_tui.export import suggested
from memhtml_tui.fetching import fetch_around, fetch_between, fetch_past, fetch_source
from memhtml_tui.messages import PeekWanted
from memhtml_tui.panes.choices import Choices, Goal
from memhtml_tui.panes.query import LineInput
from memhtml_tui.panes.textview import TextView
from memhtml_tui.screens.questions import LinkDialog, VersionsDialog
from memhtml_tui.screens.taking import Taking
from memhtml_tui.screens.travelling import Travelling
from memhtml_tui.text import clean


@dataclass
class Known:
    """What was fetched about the memory on screen so far."""

    path: str = ""
    around: Around | None = None
    past: Past | None = None
    source: Source | None = None


class AroundMemory(Taking, Travelling):
    """The part of the Memory view that acts; the view itself draws."""

    def __init__(self) -> None:
        super().__init__()
        self.known = Known()
        self.source_shown = False
        self._followed: list[str] = []
        self._versions: VersionsDialog | None = None

    @property
    def path(self) -> str | None:
        """The memory on screen."""
        return None if self.state.opened is None else self.state.opened.view.path

    @property
    def links(self) -> Choices:
        """The pane of what stands around the memory."""
        return self.query_one("#links", Choices)

    @property
    def text(self) -> TextView:
        """The pane of the text."""
        return self.query_one("#text", TextView)

    def fetch(self) -> None:
        """Ask for what belongs to the memory on screen, once for each memory that comes there."""
        path = self.path
        if path is None or path == self.known.path or not self.session.ready:
            return
        self.known, self.source_shown = Known(path), False
        fetch_around(self.session, path, self.post_message)
        fetch_past(self.session, path, self.post_message)

    def forget(self) -> None:
        """The memory has changed: what is known of it is fetched again."""
        self.known = Known()

    def take(self, value: Around | Past | Between | Source | Written) -> None:
        """Draw what was fetched, unless another memory is on screen by now."""
        super().take(value)
        if isinstance(value, Source) and value.edit:
            self._edit(value)
        elif isinstance(value, Between):
            if self._versions is not None and self._versions.is_current:
                self._versions.show(value.diff)
        elif not isinstance(value, Written) and value.path == self.known.path:
            if isinstance(value, Around):
                self.known.around = value
            elif isinstance(value, Past):
                self.known.past = value
            else:
                self.known.source = value
            self.redraw()

    def action_links(self) -> None:
        """To what stands around the memory, and back to its text; on small screens one of them is shown."""
        shown = self.has_class("-links") if not self.wide else self.links.has_focus
        self.set_class(not shown and not self.wide, "-links")
        (self.text if shown else self.links).focus()

    def action_follow(self) -> None:
        """Peek at what the cursor of the links stands on, ask about a link, compare two versions."""
        goal = self.links.goal
        if goal is None:
            self.notify("nothing here leads anywhere", markup=False)
        elif goal.kind == "memory":
            if self.path is not None:
                self._followed = [*self._followed[-50:], self.path]
            self.post_message(PeekWanted(goal.value))
        elif goal.kind == "link":
            self._ask_link(goal.value)
        else:
            self._compare(goal)

    def _compare(self, goal: Goal) -> None:
        past = self.known.past
        if past is None:
            return
        versions = past.history.versions

        def fetch(place: int) -> None:
            older = versions[place + 1] if place + 1 < len(versions) else None
            fetch_between(self.session, past.path, older, versions[place], self.post_message)

        self._versions = VersionsDialog(self.look, int(goal.value), len(versions), fetch)
        self.app.push_screen(self._versions)

    @work
    async def _ask_link(self, link: str) -> None:
        if self.memhtml.options.served:
            self.notify("links are not opened in the web view", severity="warning", markup=False)
        elif outside.openable(link) and await self.app.push_screen_wait(LinkDialog(link)):
            self.app.open_url(link)

    def action_like(self) -> None:
        """The search for what is like this memory; no embedder is asked."""
        from memhtml_core.browse.neighbours import like_request

        if self.path is not None:
            request = like_request(self.path, self.session.request)
            self.ask_elsewhere(request)

    def action_source(self) -> None:
        """Between the memory as text and its file as it is."""
        if self.path is None:
            return
        self.source_shown = not self.source_shown
        if self.source_shown:
            fetch_source(self.session, self.path, self.post_message)
        self.redraw()

    def action_edit(self) -> None:
        """Hand the file to the person's editor. Its own act, and no write of the app's."""
        if self.memhtml.options.served:
            self.notify("files are not edited in the web view", severity="warning", markup=False)
        elif self.path is not None:
            fetch_source(self.session, self.path, self.post_message, edit=True)

    def _edit(self, source: Source) -> None:
        try:
            command = outside.editor_command(os.environ, source.file)
            with self.app.suspend():
                status = outside.run_editor(command)
        except MemhtmlError as error:
            self.notify(clean(str(error)), severity="error", markup=False, timeout=8)
            return
        except SuspendNotSupported:
            self.notify("this terminal cannot be handed to an editor", severity="error", markup=False)
            return
        if status:
            self.notify(f"the editor ended with status {status}", severity="warning", markup=False)
        self.forget()
        self.session.reindex()
        self.session.peek(source.path)

    def find_line(self) -> Horizontal:
        """The field of `/`: what to find, and how many matches there are."""
        return Horizontal(
            LineInput(placeholder="find in this text", id="find"), Static(id="found"), id="finding"
        )

    def action_find(self) -> None:
        """Open the field; the text keeps its place."""
        self.set_class(False, "-links")
        self.add_class("-finding")
        self.query_one("#find", LineInput).focus()

    def on_input_changed(self, event: Input.Changed) -> None:
        """Mark what is found so far."""
        if event.input.id == "find":
            event.stop()
            self.text.find(event.value)
            self._say_found()

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """To the next match."""
        if event.input.id == "find":
            event.stop()
            self.action_match(1)

    def action_match(self, step: int) -> None:
        """To another match."""
        self.text.next_match(step)
        self._say_found()

    def _say_found(self) -> None:
        at, count = self.text.matches
        words = self.query_one("#find", LineInput).value
        said = f"{at} of {count}" if count else "no match" if words.strip() else "Enter next, esc closes"
        self.query_one("#found", Static).update(Content(f" {said} "))

    def step_back(self) -> bool:
        """Close the field, else the source, else the links of a small screen, else the memory come from."""
        if self.has_class("-finding"):
            self.remove_class("-finding")
            self.text.find("")
            self.text.focus()
        elif self.source_shown:
            self.action_source()
        elif self.has_class("-links"):
            self.action_links()
        elif self._followed:
            self.post_message(PeekWanted(self._followed.pop()))
        else:
            return False
        return True

    def taken(self) -> tuple[str, str] | None:
        """The memory as text, or its source with hidden characters written out, as it is shown."""
        from memhtml_tui.panes.reading import memory_lines
        from memhtml_tui.panes.source import source_lines

        opened = self.state.opened
        if opened is None:
            return None
        source = self.known.source if self.source_shown else None
        lines = source_lines(source.data, self.look) if source else memory_lines(opened.view, self.look)
        bodies = [each.body.plain if source else each.label.plain + each.body.plain for each in lines]
        head = [] if source else [opened.view.path, ""]
        return "\n".join([*head, *bodies]).rstrip() + "\n", suggested(opened.view.title, ".txt", "memory")
