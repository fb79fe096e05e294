"""Which store is meant: the argument, the environment, a folder above, or the home folder's (DESIGN 3)."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from memhtml_core.errors import StoreError
from memhtml_core.store.vocabulary import BUCKETS

VARIABLE: Final = "MEMHTML_ROOT"
MARKER: Final = ".memhtml"
DEFAULT: Final = "memhtml"

_REMEDY: Final = f"Name the folder that holds `{MARKER}`"


def working_folder(environ: Mapping[str, str]) -> Path:
    """Where the program was started; where that is gone by now, the path that it had."""
    try:
        return Path.cwd()
    except FileNotFoundError:
        return Path(environ.get("PWD") or "/")


def home_folder() -> Path:
    """The home folder; `~` itself, which is nowhere, for a user who has none."""
    return Path(os.path.expanduser("~"))


def is_store(folder: Path) -> bool:
    """Whether a folder looks like a store: it holds `.memhtml` or one of the four buckets. Raises OSError."""
    return any((folder / name).is_dir() for name in (MARKER, *BUCKETS))


def find_store(argument: str | Path | None, environ: Mapping[str, str], cwd: Path, home: Path) -> Path:
    """The real path of the store to open.

    The first that is given or found: `argument`, MEMHTML_ROOT, the nearest folder from `cwd` upwards with
    `.memhtml`, `~/memhtml`. Relative paths start at `cwd`; a leading `~` is `home`. Raises StoreError where
    a stated place is no store, or where nothing is stated and nothing found.
    """
    if argument is not None and str(argument):
        return _stated(argument, "", cwd, home)
    if environ.get(VARIABLE):
        return _stated(environ[VARIABLE], f" ({VARIABLE})", cwd, home)
    for folder in (cwd, *cwd.parents):
        if _has_marker(folder):
            return _real(folder)
    if _is_store(home / DEFAULT):
        return _real(home / DEFAULT)
    raise StoreError(
        "no store was named and none was found from here upwards",
        subject=str(cwd),
        remedy=f"Name its folder, set {VARIABLE}, or try `memhtml-tui demo`",
    )


def _stated(place: str | Path, origin: str, cwd: Path, home: Path) -> Path:
    text = str(place)
    if text == "~" or text.startswith("~/"):
        text = str(home) + text[1:]
    folder = cwd / text
    subject = f"{folder}{origin}"
    try:
        if not folder.is_dir():
            what = "a store is a folder, and this is a file" if folder.exists() else "there is no such folder"
            raise StoreError(what, subject=subject, remedy=_REMEDY)
        if not is_store(folder):
            raise StoreError(_no_store(folder), subject=subject, remedy=_REMEDY)
        return _real(folder)
    except (OSError, ValueError, RuntimeError) as trouble:
        why = trouble.strerror if isinstance(trouble, OSError) else str(trouble)
        raise StoreError(
            f"the folder cannot be read ({why})", subject=subject, remedy="Check its name and its permissions"
        ) from trouble


def _no_store(folder: Path) -> str:
    if (folder / "HEAD").is_file() and (folder / "objects").is_dir():
        return "this is a bare repository, which has no files to read"
    return f"this folder holds neither `{MARKER}` nor any of {', '.join(BUCKETS)}"


def _has_marker(folder: Path) -> bool:
    try:
        return (folder / MARKER).is_dir()
    except OSError:
        return False


def _is_store(folder: Path) -> bool:
    try:
        return folder.is_dir() and is_store(folder)
    except OSError:
        return False


def _real(folder: Path) -> Path:
    return folder.resolve(strict=True)
