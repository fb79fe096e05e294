"""Copy and export: what a person takes out of a view, as exact text; where it went is said afterwards."""

from __future__ import annotations

from pathlib import Path

from textual import work

from memhtml_core.errors import UsageError
from memhtml_tui import export
from memhtml_tui.around import Around, Between, Fetched, Past, Source, Written
from memhtml_tui.fetching import write_file
from memhtml_tui.screens.questions import PathDialog
from memhtml_tui.screens.view import View
from memhtml_tui.text import one_line


class Taking(View):
    """A view whose text can be taken. A subclass says what that is."""

    def taken(self) -> tuple[str, str] | None:
        """The text and a name for its file; None where there is nothing to take."""
        raise NotImplementedError

    def action_copy(self) -> None:
        """Send the text to the terminal, which may or may not put it on a clipboard: nobody answers."""
        taken = self.taken()
        if taken is None:
            self.notify("nothing to copy yet", severity="warning", markup=False)
            return
        text, _ = taken
        self.app.copy_to_clipboard(text)
        said = f"sent to the terminal's clipboard: {len(text):,} characters. If none arrive, E writes a file"
        self.notify(said, markup=False)

    @work
    async def action_export(self) -> None:
        """Ask for a name, and write the text there."""
        taken, options = self.taken(), self.memhtml.options
        if taken is None:
            self.notify("nothing to export yet", severity="warning", markup=False)
            return
        text, name = taken
        if options.served and options.export is None:
            said = "no file is written from the web view without an export folder; y copies"
            self.notify(said, severity="warning", markup=False)
            return
        where = options.export if options.export is not None else Path.cwd()
        question = f"Export {len(text):,} characters to a file"
        typed = await self.app.push_screen_wait(PathDialog(question, name, str(where), self._wrong))
        if typed is not None:
            write_file(self.session, options, text, typed, self.post_message)

    def _wrong(self, typed: str) -> str:
        """What is wrong with a name, as far as that can be seen without touching the store's thread."""
        root = self.session.root
        if root is None:
            return "the store is not open yet"
        options = self.memhtml.options
        try:
            export.target(typed, store=root, served=options.served, folder=options.export, base=Path.cwd())
        except UsageError as error:
            return one_line(str(error))
        return ""

    def on_fetched(self, event: Fetched) -> None:
        """Something that was asked for beside the answer."""
        event.stop()
        self.take(event.value)

    def take(self, value: Around | Past | Between | Source | Written) -> None:
        """Use it; what is no business of this view is left alone."""
        if isinstance(value, Written):
            said = f"wrote {value.size:,} bytes to {one_line(str(value.file))}"
            self.notify(said, markup=False, timeout=8)
