"""Small stores with a state plane, for the tests of this folder."""

from __future__ import annotations

import hashlib
import tarfile
from collections.abc import Callable
from pathlib import Path

import apsw
import pytest

from tests.shared import shared

TABLE = """
CREATE TABLE access (
  path TEXT PRIMARY KEY, access_count INTEGER NOT NULL, reinforcement_count INTEGER NOT NULL,
  outcome_score REAL NOT NULL, last_accessed_at TEXT, last_reinforced_at TEXT, updated_at TEXT NOT NULL)
"""


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """An empty store with a `.memhtml` folder."""
    folder = tmp_path / "store"
    (folder / ".memhtml" / "state").mkdir(parents=True)
    return folder


@pytest.fixture
def small(tmp_path: Path) -> Path:
    """The small parity store, unpacked."""
    with tarfile.open(shared("parity/small.tar.gz")) as archive:
        archive.extractall(tmp_path / "unpacked")
    return tmp_path / "unpacked" / "small"


@pytest.fixture
def fill(root: Path) -> Callable[..., Path]:
    """Writes a `state.db` with rows (path, opens) into `root` by a writer of the test's own."""

    def write(*rows: tuple[object, ...], journal: str = "delete", table: str = TABLE) -> Path:
        path = root / ".memhtml" / "state.db"
        connection = apsw.Connection(str(path))
        connection.execute(f"PRAGMA journal_mode={journal}")
        connection.execute(table)
        for row in rows:
            whole = (
                (*row, 0, 0, 0.0, None, None, "2024-01-01T00:00:00Z")[: len(row)]
                if len(row) == 7
                else (*row[:2], 0, 0.0, "2024-01-01T00:00:00Z", None, "2024-01-01T00:00:00Z")
            )
            connection.execute("INSERT INTO access VALUES (?, ?, ?, ?, ?, ?, ?)", whole)  # type: ignore[arg-type]
        connection.close()
        return path

    return write


def fingerprint(folder: Path) -> dict[str, tuple[str, int]]:
    """Every file below `folder` with its digest and modification time."""
    return {
        str(path.relative_to(folder)): (
            hashlib.sha256(path.read_bytes()).hexdigest(),
            path.stat().st_mtime_ns,
        )
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


@pytest.fixture
def prints() -> Callable[[Path], dict[str, tuple[str, int]]]:
    return fingerprint
