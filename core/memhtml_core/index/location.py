"""Where an index lives: a private folder per store in the user's cache, numbered files, a pointer per source.

A full build writes `tree-<n>.db` beside the current one and then moves the pointer, so a reader keeps what it
holds and a crash leaves the previous index current (DESIGN 4). Nothing here ever touches the store.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import apsw

from memhtml_core.errors import IndexDamaged, IndexFault, Interrupted, UsageError
from memhtml_core.index.database import Database, connect, translated

Source = Literal["tree", "peer"]

CACHE_VARIABLE = "MEMHTML_TUI_CACHE"
_NOTE = "store.json"
_GENERATION = re.compile(r"(tree|peer)-(\d+)\.db\Z")
_LOCK_SECONDS = 600.0


@dataclass(frozen=True, slots=True)
class Location:
    """The cache folder of one store. `store` is the store's real path."""

    folder: Path
    store: Path

    def current(self, source: Source) -> Path | None:
        """The index file in force for a source, or None where none was ever completed."""
        name = self._pointer(source)
        found = _GENERATION.match(name)
        path = self.folder / name
        return path if found and found[1] == source and path.is_file() else None

    def _pointer(self, source: Source) -> str:
        """The name that the pointer holds, "" where there is none or it is unreadable."""
        try:
            return (self.folder / f"current-{source}").read_text("utf-8").strip()
        except (FileNotFoundError, UnicodeDecodeError):
            return ""

    def generation(self, source: Source) -> int:
        """The number of the index in force, 0 for none; a reader that sees it move opens the index again."""
        path = self.current(source)
        return _number(path.name) if path else 0

    def reserve(self, source: Source) -> Path:
        """A new, empty index file of the next number, made so that no other process gets the same one."""
        self.ensure()
        # The number in force counts although its file may be gone: the pointer must not name a file that is
        # only being filled.
        used = [_number(path.name) for path in self._generations(source)]
        number = 1 + max([*used, _number(self._pointer(source))])
        while True:
            path = self.folder / f"{source}-{number}.db"
            try:
                os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
                _remove_companions(path)
                return path
            except FileExistsError:
                number += 1

    def adopt(self, source: Source, path: Path) -> None:
        """Put a completed index file, closed by now, in force by replacing the pointer in one step."""
        with path.open("rb+") as built:
            os.fsync(built.fileno())
        handle, temporary = tempfile.mkstemp(prefix="current-", dir=self.folder)
        try:
            with os.fdopen(handle, "w", encoding="utf-8") as file:
                file.write(path.name + "\n")
                file.flush()
                os.fsync(file.fileno())
            os.replace(temporary, self.folder / f"current-{source}")
        except BaseException:
            Path(temporary).unlink(missing_ok=True)
            raise

    def open(self, source: Source, *, readonly: bool = True) -> Database:
        """Open the index in force. Raises `IndexFault` where none is there, `IndexDamaged` if broken."""
        for _ in range(5):  # between pointer and open another process may have swapped and swept
            path = self.current(source)
            if path is None:
                break
            try:
                return connect(path, readonly=readonly)
            except IndexFault:
                if self.current(source) == path:
                    raise
        raise IndexFault("there is no index yet", subject=str(self.store), remedy="Build one with `index`")

    def sweep(self) -> None:
        """Remove index files that are no longer in force and that nobody has open, and left-over copies."""
        keep = {self.current("tree"), self.current("peer")}
        for source in ("tree", "peer"):
            for path in self._generations(source):
                if path not in keep and _nobody_holds(path):
                    remove_database(path)
        for folder in self.folder.glob("memhtml-guest-*"):
            shutil.rmtree(folder, ignore_errors=True)

    @contextmanager
    def lock(
        self, cancel: Callable[[], bool] | None = None, waiting: Callable[[], None] | None = None
    ) -> Iterator[None]:
        """Hold the right to build for this store; released even when the process dies.

        Waits for another process, up to ten minutes, calling `waiting` once. Raises `Interrupted` when
        `cancel` says so and `IndexFault` when the time is up.
        """
        self.ensure()
        path = self.folder / "lock.db"
        with translated(path):
            connection = apsw.Connection(str(path))
            connection.set_busy_timeout(200)
        try:
            deadline = time.monotonic() + _LOCK_SECONDS
            told = False
            while not _try_lock(connection, path):
                if waiting is not None and not told:
                    waiting()
                told = True
                if cancel is not None and cancel():
                    raise Interrupted("stopped while another process was building", subject=str(self.store))
                if time.monotonic() > deadline:
                    raise IndexFault(
                        "another process has been building this index for ten minutes",
                        subject=str(self.store),
                        remedy="End it, or try again later",
                    )
            yield
        finally:
            connection.close(True)

    def ensure(self) -> None:
        """Make the folder (mode 0700) and the note that names the store."""
        try:
            self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            self.folder.chmod(0o700)
            note = self.folder / _NOTE
            if not note.exists():
                note.write_text(json.dumps({"store": os.fspath(self.store)}), "utf-8")
        except OSError as error:
            raise IndexFault(
                f"the cache folder cannot be made ({error.strerror})",
                subject=str(self.folder),
                remedy=f"Name another one in {CACHE_VARIABLE}",
            ) from error

    def size(self) -> int:
        """Bytes that this store takes up in the cache."""
        return _size(self.folder)

    def _generations(self, source: str) -> list[Path]:
        found = [path for path in self.folder.glob(f"{source}-*.db") if _GENERATION.match(path.name)]
        return sorted(found, key=lambda path: _number(path.name))


@dataclass(frozen=True, slots=True)
class CachedStore:
    """One folder of the cache: whose it is, how big it is in bytes, and whether its store is still there."""

    folder: Path
    store: Path
    size: int
    present: bool


def cache_root(environ: Mapping[str, str] | None = None) -> Path:
    """The folder that holds all indexes: `MEMHTML_TUI_CACHE`, else the user's cache directory.

    Raises `IndexFault` where neither is there.
    """
    named = (os.environ if environ is None else environ).get(CACHE_VARIABLE)
    if named:
        return Path(os.path.expanduser(named)).absolute()
    from platformdirs import user_cache_path

    try:
        found = user_cache_path("memhtml-tui", appauthor=False)
    except RuntimeError:  # newer versions refuse where older ones give a path below the working folder
        found = Path()
    if not found.is_absolute():
        raise IndexFault(
            "there is no home folder to keep the index in", remedy=f"Name a folder in {CACHE_VARIABLE}"
        )
    return found


def locate(store_root: Path, cache: Path | None = None) -> Location:
    """The cache folder of a store, named after its real path; nothing is created yet.

    Raises `UsageError` for a cache inside the store: the store is a guest room.
    """
    store = Path(os.path.realpath(store_root))
    root = Path(os.path.realpath(cache_root() if cache is None else cache))
    if root == store or store in root.parents:
        raise UsageError(
            "the cache must not lie inside the store",
            subject=str(root),
            remedy=f"Name another folder in {CACHE_VARIABLE}",
        )
    return Location(root / hashlib.sha256(os.fsencode(store)).hexdigest()[:32], store)


def cached_stores(cache: Path | None = None) -> list[CachedStore]:
    """Every store that has a folder in the cache, biggest first."""
    found = []
    for note in (cache_root() if cache is None else cache).glob(f"*/{_NOTE}"):
        try:
            store = Path(json.loads(note.read_text("utf-8"))["store"])
        except (OSError, ValueError, KeyError, TypeError):
            continue  # not a folder that we made
        found.append(CachedStore(note.parent, store, _size(note.parent), store.is_dir()))
    return sorted(found, key=lambda entry: (-entry.size, entry.store))


def prune(cache: Path | None = None) -> list[CachedStore]:
    """Remove the folders of stores that are gone; gives what was removed."""
    gone = [entry for entry in cached_stores(cache) if not entry.present]
    for entry in gone:
        shutil.rmtree(entry.folder, ignore_errors=True)
    return [entry for entry in gone if not entry.folder.exists()]


def remove_database(path: Path) -> None:
    """Delete a database file of ours with its companions."""
    _remove_companions(path)
    with suppress(FileNotFoundError, PermissionError):
        path.unlink()


def _remove_companions(path: Path) -> None:
    for suffix in ("-wal", "-shm", "-journal"):
        with suppress(FileNotFoundError, PermissionError):
            os.unlink(f"{path}{suffix}")


def _number(name: str) -> int:
    found = _GENERATION.match(name)
    return int(found[2]) if found else 0


def _nobody_holds(path: Path) -> bool:
    """True when the journal can be switched back, which SQLite does only without another open connection."""
    try:
        connection = apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READWRITE)
    except apsw.Error:
        return True
    try:
        return str(connection.pragma("journal_mode", "delete")).lower() == "delete"
    except (apsw.BusyError, apsw.LockedError):
        return False
    except apsw.Error:
        return True  # broken beyond opening: nobody reads it
    finally:
        connection.close(True)


def _try_lock(connection: apsw.Connection, path: Path) -> bool:
    try:
        with translated(path):
            connection.execute("BEGIN EXCLUSIVE")
    except IndexDamaged:
        # Emptied in place, not replaced: whoever else has it open goes on locking the same file.
        os.truncate(path, 0)
        return False
    except IndexFault as error:
        if isinstance(error.__cause__, (apsw.BusyError, apsw.LockedError)):
            return False
        raise
    return True


def _size(folder: Path) -> int:
    total = 0
    for base, _, names in os.walk(folder):
        for name in names:
            with suppress(FileNotFoundError):
                total += os.lstat(os.path.join(base, name)).st_size
    return total
