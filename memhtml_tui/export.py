"""Writing what is on screen to a file: where it may go, under which name, and the one function for it.

Nothing is ever written into a store, nothing existing is replaced, and no link is followed at the last step.
In the web view files go into the export folder or nowhere (DESIGN 8; issue "The explorer" 5).
"""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Final

from memhtml_core.errors import UsageError
from memhtml_tui.text import one_line

MAX_NAME: Final = 80
"""Characters of a suggested name, without its ending."""

_APART = re.compile(r"[^a-z0-9]+")
_RESERVED = re.compile(r"(?i)(con|prn|aux|nul|com\d|lpt\d)(\..*)?")
_ODD = re.compile(r'[\x00-\x1f\x7f-\x9f<>:"|?*\\]|[\ud800-\udfff]')


def suggested(words: str, ending: str = ".md", before: str = "recall") -> str:
    """A file name made of a query: lower case letters, digits and hyphens, never a hidden or reserved one."""
    slug = _APART.sub("-", one_line(words).lower()).strip("-")[:MAX_NAME].strip("-")
    return f"{before}-{slug}{ending}" if slug else f"{before}{ending}"


def target(typed: str, *, store: Path, served: bool, folder: Path | None, base: Path) -> Path:
    """The file that `typed` names, relative to `base` (or to the export folder where one is set).

    Raises `UsageError`, with what to do instead, for a name that cannot be used, for any place inside the
    store, for a folder that does not exist, for a file that does, and in the web view for any place outside
    the export folder or where there is none.
    """
    home = folder if folder is not None else base
    if served and folder is None:
        raise UsageError(
            "no file is written from the web view", remedy="Start serve with an export folder, or copy with y"
        )
    wanted = home / os.path.expanduser(typed.strip()) if not served else home / typed.strip()
    name = wanted.name
    if not typed.strip() or not name or name in (".", "..") or typed.rstrip().endswith(("/", os.sep)):
        raise UsageError("that names no file", subject=typed, remedy="Write a file name")
    if _ODD.search(name) or _RESERVED.fullmatch(name):
        raise UsageError(
            "this name has a character, or is a word, that file systems refuse",
            subject=one_line(name),
            remedy="Use letters, digits, dots and hyphens",
        )
    parent = wanted.parent.resolve()
    root = store.resolve()
    if parent == root or parent.is_relative_to(root):
        raise UsageError(
            "nothing is written into a store", subject=one_line(str(wanted)), remedy="Choose another folder"
        )
    if served and folder is not None and not parent.is_relative_to(folder.resolve()):
        raise UsageError(
            "the web view writes into its export folder only",
            subject=one_line(typed),
            remedy="Write a file name",
        )
    if not parent.is_dir():
        raise UsageError(
            "no such folder", subject=one_line(str(parent)), remedy="Make it first, or choose another"
        )
    if os.path.lexists(parent / name):
        raise UsageError(
            "a file of this name exists and stays as it is",
            subject=one_line(str(parent / name)),
            remedy="Choose another name",
        )
    return parent / name


def write(text: str, to: Path) -> int:
    """Write `text` as UTF-8 into a new file that its owner alone may read; bytes written.

    Raises `UsageError` where the system refuses, in its words.
    """
    data = text.encode("utf-8", "replace")
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)
    try:
        with os.fdopen(os.open(to, flags, 0o600), "wb") as file:
            file.write(data)
    except OSError as error:
        raise UsageError(
            f"could not be written ({error.strerror or type(error).__name__})",
            subject=one_line(str(to)),
            remedy="Choose another place",
        ) from error
    return len(data)
