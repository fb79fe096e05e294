"""Textual's driver inside a served app: leaves when its server is gone, and opens no links.

Loaded by name through TEXTUAL_DRIVER in the processes that the server starts.
"""

from __future__ import annotations

import os
import threading

from textual import messages
from textual.drivers.web_driver import WebDriver

_LEAVE_S = 5.0


class ServedDriver(WebDriver):
    """Textual's web driver would stay without a browser for ever once the server was killed."""

    def run_input_thread(self) -> None:
        """Read input until it ends. Ended input without an exit means that nobody is at the other end."""
        super().run_input_thread()
        if not self.exit_event.is_set():
            self._app.post_message(messages.ExitApp())
            last = threading.Timer(_LEAVE_S, os._exit, (1,))
            last.daemon = True
            last.start()

    def open_url(self, url: str, new_tab: bool = True) -> None:
        """Refused: a link out of a memory leads anywhere, and would tell that place who is reading."""
        self._app.notify("links are not opened in the web view", severity="warning", markup=False)
