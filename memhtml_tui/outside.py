"""What leaves the app: the person's editor, and a link that a person said yes to.

No shell ever sees a path or a link. In the web view neither is offered, because the machine that would start
them is not the one that the person sits at.
"""

from __future__ import annotations

import os
import re
import shlex
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit

from memhtml_core.errors import UsageError
from memhtml_tui.text import one_line

SCHEMES: Final = ("http", "https", "mailto")
"""The only kinds of link that are ever opened."""

_BLANK = re.compile("[ \u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\ufe00-\ufe0f\uffa0]")
"""Characters that count as printable and show nothing."""


def editor_command(environ: Mapping[str, str], file: Path) -> list[str]:
    """The words of the command that edits `file`: `VISUAL`, else `EDITOR`, split as a shell would, plus it.

    Raises `UsageError` where neither is set, or what is set cannot be split.
    """
    for name in ("VISUAL", "EDITOR"):
        try:
            words = shlex.split(environ.get(name, ""))
        except ValueError as error:
            raise UsageError(
                f"{name} cannot be read ({error})",
                subject=one_line(environ[name]),
                remedy=f"Set {name} to a command such as: vi",
            ) from error
        if words:
            return [*words, str(file)]
    raise UsageError("no editor is set", remedy="Set VISUAL or EDITOR to a command such as: vi")


def run_editor(command: Sequence[str]) -> int:
    """Run the editor on the terminal until it ends; its exit status. Raises `UsageError` where it is none."""
    try:
        return subprocess.run(list(command), check=False).returncode
    except OSError as error:
        raise UsageError(
            f"the editor could not be started ({error.strerror or type(error).__name__})",
            subject=one_line(os.fspath(command[0])),
            remedy="Set VISUAL or EDITOR to a command that exists",
        ) from error


def openable(link: str) -> bool:
    """Whether a link is one that may be offered: a web or mail address without a character that hides."""
    if not link.isprintable() or _BLANK.search(link):
        return False
    try:
        parts = urlsplit(link)
    except ValueError:
        return False
    if parts.scheme not in SCHEMES:
        return False
    return bool(parts.path) if parts.scheme == "mailto" else bool(parts.netloc)
