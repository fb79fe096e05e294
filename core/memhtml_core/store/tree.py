"""The working tree of a store, read only: which files may be memories, and their bytes (DESIGN 4).

Everything is looked at by `lstat` and opened without following a symlink at any level, so nothing outside
the store is ever read, and no pipe or socket is ever opened. What cannot be read is a named problem and
stops nothing else.
"""

from __future__ import annotations

import os
import stat
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final, Literal

from memhtml_core.errors import DocumentRefused, StoreError
from memhtml_core.store.git import Git
from memhtml_core.store.html import MAX_BYTES
from memhtml_core.store.layout import is_indexable, is_usable_path, printable
from memhtml_core.store.vocabulary import BUCKETS, GENERATED

Reason = Literal["link", "special", "unreadable", "name", "nested", "too-large"]

_NO_FOLLOW: Final = getattr(os, "O_NOFOLLOW", 0)
_FOLDER: Final = os.O_RDONLY | getattr(os, "O_DIRECTORY", 0) | _NO_FOLLOW | getattr(os, "O_CLOEXEC", 0)
_FILE: Final = (
    os.O_RDONLY
    | _NO_FOLLOW
    | getattr(os, "O_NONBLOCK", 0)
    | getattr(os, "O_CLOEXEC", 0)
    | getattr(os, "O_BINARY", 0)
)


@dataclass(frozen=True, slots=True)
class TreeFile:
    """An indexable regular file. Sizes are bytes; the two times are nanoseconds since 1970."""

    path: str
    size: int
    mtime_ns: int
    ctime_ns: int
    inode: int


@dataclass(frozen=True, slots=True)
class TreeProblem:
    """Something in a bucket that is not read, named once.

    `reason` is `link` (a symlink, never followed), `special` (a pipe, socket or device), `unreadable` (a
    file or folder; `detail` has the system's words), `name` (not UTF-8; in `path` each bad byte is written
    `\\xNN`), `nested` (a repository of its own inside the store) or `too-large` (above html.MAX_BYTES).
    """

    path: str
    reason: Reason
    detail: str = ""


@dataclass(frozen=True, slots=True)
class Walk:
    """What one look at the tree found; `files` and `problems` are in bytewise path order.

    Counted and not listed: regular files of the buckets that no rule makes a memory (another ending, also
    `.HTML`), files that git ignores, and generated listings.
    """

    files: tuple[TreeFile, ...]
    problems: tuple[TreeProblem, ...]
    not_indexable: int
    ignored: int
    listings: int


class Tree:
    """The store in the folder `root`; raises StoreError where that is no readable folder."""

    def __init__(self, root: Path, *, git: Git | None = None) -> None:
        try:
            self.root = root.resolve(strict=True)
            os.scandir(self.root).close()
        except (OSError, RuntimeError) as trouble:
            raise StoreError(
                f"the store cannot be read ({_words(trouble)})",
                subject=str(root),
                remedy="Name a folder that you may read",
            ) from trouble
        self.git = Git(self.root) if git is None else git

    def walk(self) -> Walk:
        """Look at every file of the four buckets, untracked ones included.

        Where git is there and fails, nothing counts as ignored, and a problem at `.git` has its words.
        """
        failed: tuple[TreeProblem, ...] = ()
        ignored: frozenset[str] = frozenset()
        try:
            ignored = self.git.ignored()
        except StoreError as trouble:
            failed = (TreeProblem(".git", "unreadable", trouble.what),)
        walk = _Walker(self.root, ignored).walk()
        return replace(walk, problems=failed + walk.problems) if failed else walk

    def unplaced(self, limit: int = 1_000) -> tuple[str, ...]:
        """HTML files that no rule makes a memory: outside the buckets, or with an ending like `.HTML` inside.

        Hidden folders and generated listings do not count. In path order; the search ends at `limit` files or
        after a hundred times as many entries, so that a store inside a large folder costs little.
        """
        found: list[str] = []
        folders, entries_left = [""], 100 * limit
        while folders and len(found) < limit and entries_left > 0:
            folder = folders.pop()
            try:
                with os.scandir(self.root / folder) as scanned:
                    entries = sorted(scanned, key=lambda entry: entry.name)
            except OSError:
                # Below a bucket `walk` names it; elsewhere nothing of the store is missed.
                continue
            entries_left -= len(entries)
            for entry in entries:
                path = f"{folder}/{entry.name}" if folder else entry.name
                if entry.is_dir(follow_symlinks=False):
                    if not entry.name.startswith("."):
                        folders.append(path)
                elif (
                    entry.name.lower().endswith(".html")
                    and entry.name not in GENERATED
                    and not is_indexable(path)
                ):
                    found.append(printable(path))
        return tuple(sorted(found)[:limit])

    def stat(self, path: str) -> TreeFile:
        """The present size and times of an indexable file; raises as `read` does."""
        descriptor, found = self._open(path)
        os.close(descriptor)
        return found

    def read(self, path: str) -> bytes:
        """The bytes of an indexable file.

        Raises StoreError where there is no such file, it cannot be read, or it or a folder above it is a
        symlink or no regular file; DocumentRefused with the code `too-large` above html.MAX_BYTES.
        """
        descriptor, _ = self._open(path)
        with os.fdopen(descriptor, "rb") as file:
            try:
                data = file.read(MAX_BYTES + 1)
            except OSError as trouble:
                raise _unreadable(path, _words(trouble)) from trouble
        if len(data) > MAX_BYTES:
            raise DocumentRefused(path, ["too-large"])
        return data

    def _open(self, path: str) -> tuple[int, TreeFile]:
        if not is_usable_path(path) or "\0" in path:
            raise _unreadable(path, "no path of a memory")
        try:
            descriptor = _open_below(self.root, path)
        except (OSError, ValueError) as trouble:
            raise _unreadable(path, _words(trouble)) from trouble
        status = os.fstat(descriptor)
        if stat.S_ISREG(status.st_mode) and status.st_size <= MAX_BYTES:
            return descriptor, _tree_file(path, status)
        os.close(descriptor)
        if stat.S_ISREG(status.st_mode):
            raise DocumentRefused(path, ["too-large"])
        raise _unreadable(path, "not a regular file")


class _Walker:
    def __init__(self, root: Path, ignored: frozenset[str]) -> None:
        self.root = os.fspath(root)
        self.ignored = ignored
        self.files: list[TreeFile] = []
        self.problems: list[TreeProblem] = []
        self.not_indexable = self.skipped = self.listings = 0

    def walk(self) -> Walk:
        folders: list[str] = []
        for bucket in BUCKETS:
            self.look(bucket, folders)
        while folders:
            self.scan(folders.pop(), folders)
        self.files.sort(key=lambda file: file.path)
        self.problems.sort(key=lambda problem: problem.path)
        return Walk(tuple(self.files), tuple(self.problems), self.not_indexable, self.skipped, self.listings)

    def look(self, bucket: str, folders: list[str]) -> None:
        try:
            mode = os.lstat(os.path.join(self.root, bucket)).st_mode
        except FileNotFoundError:
            return
        except OSError as trouble:
            self.problem(bucket, "unreadable", _words(trouble))
            return
        if stat.S_ISLNK(mode):
            self.problem(bucket, "link")
        elif stat.S_ISDIR(mode):
            folders.append(bucket)

    def scan(self, folder: str, folders: list[str]) -> None:
        try:
            with os.scandir(os.path.join(self.root, folder)) as entries:
                found = list(entries)
        except OSError as trouble:
            self.problem(folder, "unreadable", _words(trouble))
            return
        if any(entry.name == ".git" and _is_repository(entry) for entry in found):
            self.problem(folder, "nested", "a repository of its own, whose files belong to it")
            return
        for entry in found:
            try:
                self.enter(entry, f"{folder}/{entry.name}", folders)
            except OSError as trouble:
                self.problem(f"{folder}/{entry.name}", "unreadable", _words(trouble))

    def enter(self, entry: os.DirEntry[str], path: str, folders: list[str]) -> None:
        if path in self.ignored:
            self.skipped += 1
        elif entry.is_symlink():
            if entry.name not in GENERATED:
                self.problem(path, "link", f"points at {_link_target(entry.path)}")
        elif entry.is_dir(follow_symlinks=False):
            if entry.name != ".git":
                folders.append(path)
        elif entry.name in GENERATED:
            self.listings += 1
        elif not is_indexable(path):
            self.not_indexable += 1
        elif not _is_utf8(path):
            self.problem(path, "name", "the name is not UTF-8")
        else:
            self.file(path, entry.stat(follow_symlinks=False))

    def file(self, path: str, status: os.stat_result) -> None:
        if not stat.S_ISREG(status.st_mode):
            self.problem(path, "special", "a pipe, a socket or a device")
        elif status.st_size > MAX_BYTES:
            self.problem(path, "too-large", f"{status.st_size} bytes, at most {MAX_BYTES} are read")
        elif not _may_read(self.root, path):
            self.problem(path, "unreadable", "no permission to read it")
        else:
            self.files.append(_tree_file(path, status))

    def problem(self, path: str, reason: Reason, detail: str = "") -> None:
        self.problems.append(TreeProblem(printable(path), reason, detail))


def _open_below(root: Path, path: str) -> int:
    """Open a file below `root` one folder at a time, so that no symlink on the way is followed."""
    if os.open not in os.supports_dir_fd:
        return _open_checked(root, path)
    *folders, name = path.split("/")
    above = os.open(root, _FOLDER)
    try:
        for folder in folders:
            below = os.open(folder, _FOLDER, dir_fd=above)
            os.close(above)
            above = below
        return os.open(name, _FILE, dir_fd=above)
    finally:
        os.close(above)


def _open_checked(root: Path, path: str) -> int:
    place = root
    for segment in path.split("/"):
        place = place / segment
        if stat.S_ISLNK(os.lstat(place).st_mode):
            raise OSError("a symlink on the way")
    if not stat.S_ISREG(os.lstat(place).st_mode):
        raise OSError("not a regular file")
    return os.open(place, _FILE)


def _tree_file(path: str, status: os.stat_result) -> TreeFile:
    return TreeFile(path, status.st_size, status.st_mtime_ns, status.st_ctime_ns, status.st_ino)


def _is_repository(entry: os.DirEntry[str]) -> bool:
    if entry.is_dir(follow_symlinks=False):
        return os.path.lexists(os.path.join(entry.path, "HEAD"))
    return True


def _may_read(root: str, path: str) -> bool:
    return os.access(os.path.join(root, path), os.R_OK, effective_ids=os.access in os.supports_effective_ids)


def _link_target(path: str) -> str:
    try:
        return printable(os.readlink(path))
    except OSError as trouble:
        return f"an unreadable target ({_words(trouble)})"


def _is_utf8(path: str) -> bool:
    return not any("\ud800" <= character <= "\udfff" for character in path)


def _unreadable(path: str, why: str) -> StoreError:
    return StoreError(
        f"the file cannot be read ({why})",
        subject=path,
        remedy="Index again, or look at the file's place and permissions",
    )


def _words(trouble: BaseException) -> str:
    return (trouble.strerror or str(trouble)) if isinstance(trouble, OSError) else str(trouble)
