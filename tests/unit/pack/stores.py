"""Unpacks a parity store for the proofs that need a whole one."""

from __future__ import annotations

import tarfile
from pathlib import Path


def unpack(archive: Path, folder: Path) -> Path:
    """The folder of the store."""
    with tarfile.open(archive) as tar:
        tar.extractall(folder)
    return folder / archive.name.partition(".")[0]
