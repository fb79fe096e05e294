"""Opening a database of a store as a guest: read it, leave no trace (DESIGN 4).

A plain read-only open of a database in WAL mode creates a `-shm` file beside it. So with no write-ahead log
and no hot journal there, the file is opened `immutable` and its change counter, size and times are compared
afterwards; otherwise the database and its companion are copied to a scratch folder and the copy is opened.
"""

from __future__ import annotations

import os
import shutil
import stat
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote_from_bytes

import apsw

_HOT_JOURNAL = bytes.fromhex("d9d505f920a163d7")
_COMPANIONS = ("-wal", "-journal")


_GATES: dict[str, threading.RLock] = {}


def gate(path: Path) -> threading.RLock:
    """The lock that this process holds while it has `path` open, one per file.

    Needed because closing any descriptor of a file drops every advisory lock that the process holds on it: a
    thread that reads a database's header would end the lock of another thread that is writing it.
    """
    return _GATES.setdefault(os.path.realpath(path), threading.RLock())


class Moved(Exception):
    """The files changed while they were read; what was read is worth nothing, and trying again is right."""


@dataclass(frozen=True, slots=True)
class Found:
    """A file of the store: whether it is there, and what speaks against reading it ("" = nothing)."""

    path: Path
    there: bool
    problem: str = ""


def find(root: Path, parts: tuple[str, ...]) -> Found:
    """Looks for a plain file below `root`. No symbolic link is followed, so none can lead outside."""
    path, mode = root, 0
    for part in parts:
        path = path / part
        try:
            mode = path.lstat().st_mode
        except (FileNotFoundError, NotADirectoryError):
            return Found(path, False)
        except OSError as error:
            return Found(path, False, reason(error))
        if stat.S_ISLNK(mode):
            return Found(path, False, f"{part} is a symbolic link")
    return Found(path, True) if stat.S_ISREG(mode) else Found(path, False, f"{parts[-1]} is not a plain file")


@contextmanager
def opened_untouched(path: Path, scratch: Path | None = None) -> Iterator[apsw.Connection]:
    """The database at `path`, for reading: no lock is taken, no journal or other file beside it is written.

    `scratch` is where a copy may lie while the block runs (default: the system's temporary folder), in a 0700
    folder of its own. Raises `Moved` where the files changed meanwhile, and apsw's or the system's errors
    where they cannot be read.
    """
    with gate(path):
        yield from _opened(path, scratch)


def _opened(path: Path, scratch: Path | None) -> Iterator[apsw.Connection]:
    before = change_key(path)
    if _has_companion(path):
        with tempfile.TemporaryDirectory(prefix="memhtml-guest-", dir=scratch) as folder:
            copy = Path(folder, "copy.db")
            for suffix in ("", *_COMPANIONS):
                _copy(Path(f"{path}{suffix}"), Path(f"{copy}{suffix}"), needed=not suffix)
            if change_key(path) != before:
                raise Moved
            connection = apsw.Connection(str(copy), flags=apsw.SQLITE_OPEN_READWRITE)
            try:
                yield connection
            finally:
                connection.close()
        return
    uri = "file:" + quote_from_bytes(os.fsencode(path.absolute())) + "?immutable=1"
    connection = apsw.Connection(uri, flags=apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_URI)
    try:
        yield connection
    except apsw.Error:
        # A page torn by a writer looks like damage; only a file that held still is damaged.
        if change_key(path) != before:
            raise Moved from None
        raise
    finally:
        connection.close()
    if change_key(path) != before:
        raise Moved


def change_key(path: Path) -> str:
    """A key that differs whenever the database at `path`, its log or its journal may hold something else.

    Made of identity, size and times, the header's change counter, and the salts of a log; costs three `lstat`
    calls and at most three small reads.
    """
    with gate(path):
        keys = [facts(path, 100)] + [facts(Path(f"{path}{suffix}"), 32) for suffix in _COMPANIONS]
    return " ".join(key or "-" for key in keys)


def facts(path: Path, head: int = 0) -> str | None:
    """Identity, size, modification time and first `head` bytes of a file; None where it is not there."""
    try:
        status = path.lstat()
        start = b""
        if head and stat.S_ISREG(status.st_mode):
            with open(path, "rb", opener=no_follow) as stream:
                start = stream.read(head)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        return reason(error)
    return f"{status.st_ino}:{status.st_size}:{status.st_mtime_ns}:{start.hex()}"


def no_follow(path: str, flags: int) -> int:
    """An opener for `open` that follows no link and does not wait for the far end of a named pipe."""
    return os.open(path, flags | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0))


def reason(error: Exception) -> str:
    """An error in a few words, without the path that the caller names anyway."""
    return (error.strerror or type(error).__name__) if isinstance(error, OSError) else str(error)


def _has_companion(path: Path) -> bool:
    """Whether a write-ahead log or an unfinished journal holds a part of the truth."""
    try:
        if Path(f"{path}-wal").lstat().st_size > 0:
            return True
    except FileNotFoundError:
        pass
    try:
        with open(f"{path}-journal", "rb", opener=no_follow) as stream:
            return stream.read(8) == _HOT_JOURNAL
    except FileNotFoundError:
        return False


def _copy(source: Path, target: Path, *, needed: bool) -> None:
    try:
        with open(source, "rb", opener=no_follow) as reading, open(target, "wb") as writing:
            shutil.copyfileobj(reading, writing, 1024 * 1024)
    except FileNotFoundError:
        if needed:
            raise Moved from None
