"""What goes to a terminal, byte by byte: in a run over a hostile store, no string sequence is the store's."""

from __future__ import annotations

import fcntl
import os
import pty
import re
import select
import signal
import struct
import sys
import termios
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.e2e.conftest import memory, tag

COMMAND = Path(sys.executable).with_name("memhtml-tui")
PATIENCE = 60.0

HOSTILE = (
    "\x1b]0;PWNED\x07 a window title",
    "\x1b]52;c;UFdORUQ=\x1b\\ a clipboard",
    "\x9d0;PWNED\x9c an eight bit title",
    "\x1b]8;;https://evil.example/PWNED\x07a link\x1b]8;;\x07",
    "\x1bP+q5057\x1b\\ a device string \x1b_PWNED\x1b\\ and \x1b^PWNED\x1b\\",
    "\x1b]1337;PWNED\x07 [link=https://evil.example]here[/link] [@click=app.quit]x[/]",
)
STRINGS = re.compile(rb"\x1b[\]P_^X][^\x07\x1b]*(?:\x07|\x1b\\)?|\xc2[\x90\x98\x9d\x9e\x9f]")
OWN = re.compile(rb"\x1b\]22;[a-z-]*(?:\x07|\x1b\\)|\x1b\]52;c;[A-Za-z0-9+/=]*\x07")
"""Textual's own: the shape of the pointer, and the clipboard when a person copies."""


class RawTerminal:
    """A program on a pty; everything that it writes is kept."""

    def __init__(self, words: list[str], environ: dict[str, str]) -> None:
        self.written = b""
        self.pid, self._end = pty.fork()
        if self.pid == 0:
            os.execve(words[0], words, environ)
        fcntl.ioctl(self._end, termios.TIOCSWINSZ, struct.pack("HHHH", 40, 120, 0, 0))

    def wait(self, holds: Callable[[bytes], bool]) -> None:
        """Read until what was written since the last wait holds; fails with the end of it otherwise."""
        start, end = len(self.written), time.monotonic() + PATIENCE
        while not holds(self.written[start:]):
            if time.monotonic() > end:
                pytest.fail(f"never written; the end is {self.text()[-3000:]!r}", pytrace=False)
            self.read(0.1)

    def text(self) -> bytes:
        """What was written, without colours and moves."""
        return re.sub(rb"\x1b\[[0-9;?]*[A-Za-z]|  +", b" ", self.written)

    def read(self, seconds: float) -> bool:
        """Take what comes within some seconds; False at the end of the program."""
        if select.select([self._end], [], [], seconds)[0]:
            try:
                got = os.read(self._end, 65_536)
            except OSError:
                return False
            self.written += got
            return bool(got)
        return True

    def press(self, keys: str, rest: float = 0.25) -> None:
        """Write keys and take what they cause."""
        os.write(self._end, keys.encode())
        end = time.monotonic() + rest
        while time.monotonic() < end and self.read(0.05):
            pass

    def left(self) -> int:
        """Wait for the program to end; its status."""
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end and self.read(0.1):
            pass
        os.close(self._end)
        return os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1])


@pytest.fixture
def hostile(tmp_path: Path) -> Path:
    root = tmp_path / "store"
    (root / ".memhtml").mkdir(parents=True)
    (root / "areas").mkdir()
    for number, text in enumerate(HOSTILE):
        claim = f"ferry {text} claim"
        facet = f"<dl><dt>{text}</dt><dd>{text}</dd></dl><p>{text}</p>"
        entity = f'<meta name="memhtml-entity" content="tool:{text}">'
        page = memory(claim, title=f"ferry {text}", head=tag(text) + entity, body=facet)
        (root / "areas" / f"m{number}.html").write_text(page, encoding="utf-8")
    return root


def test_no_string_sequence_but_textuals_own(
    hostile: Path, tmp_path: Path, environment: dict[str, str]
) -> None:
    environ = environment | {"TERM": "xterm-256color", "COLORTERM": "truecolor"}
    words = [str(COMMAND), "--embedder", "off", "--store", str(hostile)]
    terminal = RawTerminal(words, environ)
    try:
        terminal.wait(lambda written: b"1-6 of 6" in written)
        terminal.press("ferry", 1.5)
        terminal.press("\x1b", 0.6)
        for keys in (
            "j",
            "j",
            "p",
            "h",
            "\x1b",
            "s",
            "\x1b",
            "f",
            "\x1b",
            "d",
            "\x1b",
            "H",
            "\x1b",
            "2",
            "3",
            "5",
        ):
            terminal.press(keys)
        terminal.press("1")
        for keys in ("y", " ", "v", "l", "h", "\x1b", "<", ">", "\x1bOP", "\x1b", "\x10", "ferry", "\x1b"):
            terminal.press(keys)
        terminal.press("\x11")
        status = terminal.left()
    finally:
        if terminal.pid and status_of(terminal.pid):
            os.kill(terminal.pid, signal.SIGKILL)
            os.waitpid(terminal.pid, 0)
    assert status == 0
    written = terminal.written
    assert b"window title" in written
    assert b"link" in written
    found = STRINGS.findall(written)
    assert [each for each in found if not OWN.fullmatch(each)] == []
    assert any(each.startswith(b"\x1b]52;c;") for each in found)
    assert b"UFdORUQ" not in written
    assert b"\x07" not in OWN.sub(b"", written)


def status_of(pid: int) -> bool:
    """Whether a child of ours still runs."""
    try:
        return os.waitpid(pid, os.WNOHANG)[0] == 0
    except ChildProcessError:
        return False
