"""Small stores and private caches for the tests of the index."""

from __future__ import annotations

import tarfile
from collections.abc import Callable
from pathlib import Path

import pytest

from memhtml_core.index.location import Location, locate
from tests.shared import shared


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """An empty store without git."""
    (tmp_path / "store" / "areas").mkdir(parents=True)
    return tmp_path / "store"


@pytest.fixture
def location(root: Path, tmp_path: Path) -> Location:
    """The cache folder of `root`."""
    return locate(root, tmp_path / "cache")


@pytest.fixture
def unpacked(tmp_path: Path) -> Callable[[str], Path]:
    """A fresh copy of one of the shared stores."""

    def unpack(name: str) -> Path:
        with tarfile.open(shared(f"parity/{name}.tar.gz")) as archive:
            archive.extractall(tmp_path / "shared")
        return tmp_path / "shared" / name

    return unpack
