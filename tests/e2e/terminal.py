"""A real terminal for tests: tmux on a private socket, driven by keys and read as text."""

from __future__ import annotations

import shutil
import subprocess
import time
import uuid
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

PATIENCE = 90.0
"""Seconds that a wait may last on a loaded machine; a wait ends as soon as its condition holds."""


class Terminal:
    """One tmux window running a shell line; use as a context manager."""

    def __init__(self, line: str, width: int, height: int, folder: Path, environ: Mapping[str, str]) -> None:
        if shutil.which("tmux") is None:
            pytest.skip("tmux is not installed")
        self._socket = f"memhtml-{uuid.uuid4().hex[:8]}"
        shell = " ".join(f"{name}={value}" for name, value in environ.items())
        self._tmux(
            "-f", "/dev/null", "new-session", "-d", "-x", str(width), "-y", str(height), "-c", str(folder),
            f"env -u COLUMNS -u LINES {shell} "
            f"sh -c '{line}; code=$?; stty -a; echo left with $code; exec cat'",
        )  # fmt: skip

    def __enter__(self) -> Terminal:
        return self

    def __exit__(self, *unused: object) -> None:
        subprocess.run(["tmux", "-L", self._socket, "kill-server"], capture_output=True, check=False)

    def keys(self, *keys: str) -> None:
        """Press named keys (`Enter`, `Escape`, `C-q`) or single characters, one after the other."""
        for key in keys:
            self._tmux("send-keys", key)
            # An escape directly before a letter would reach the program as alt+letter.
            time.sleep(0.3 if key == "Escape" else 0.05)

    def type(self, text: str) -> None:
        """Type text as it is."""
        self._tmux("send-keys", "-l", text)

    def resize(self, width: int, height: int) -> None:
        """Give the window another size."""
        self._tmux("resize-window", "-x", str(width), "-y", str(height))

    def screen(self) -> str:
        """What stands on the screen."""
        return self._tmux("capture-pane", "-p")

    def wait(self, holds: str | Callable[[str], bool]) -> str:
        """The screen as soon as it holds a text or a condition; fails with the last screen otherwise."""
        condition = (lambda seen: holds in seen) if isinstance(holds, str) else holds
        end = time.monotonic() + PATIENCE
        while True:
            seen = self.screen()
            if condition(seen):
                return seen
            if time.monotonic() > end:
                pytest.fail(f"never seen: {holds}\n{seen}", pytrace=False)
            time.sleep(0.1)

    def _tmux(self, *arguments: str) -> str:
        done = subprocess.run(
            ["tmux", "-L", self._socket, *arguments], capture_output=True, text=True, check=True
        )
        return done.stdout
