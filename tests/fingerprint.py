"""The exact state of a folder: every name, kind, mode, time and byte below it."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path

Fingerprint = dict[str, tuple[object, ...]]


def fingerprint(root: Path) -> Fingerprint:
    """Path below `root` -> (mode, mtime_ns, size, digest or link target); folders are in it too."""
    found: Fingerprint = {}
    for folder, folders, files in os.walk(root):
        for name in [*folders, *files]:
            path = Path(folder, name)
            facts = path.lstat()
            if path.is_symlink():
                content: str = os.readlink(path)
            elif path.is_file():
                content = hashlib.sha256(path.read_bytes()).hexdigest()
            else:
                content = ""
            # A folder's own size is the file system's affair.
            size = facts.st_size if path.is_file() else 0
            found[path.relative_to(root).as_posix()] = (facts.st_mode, facts.st_mtime_ns, size, content)
    return found


def changed(before: Fingerprint, after: Fingerprint) -> list[str]:
    """Paths that were added, removed or differ in any way, sorted."""
    return sorted(name for name in before.keys() | after.keys() if before.get(name) != after.get(name))
