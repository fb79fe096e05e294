"""The shipped store as files: read once for all tests of this folder."""

from __future__ import annotations

from pathlib import Path

import pytest

from memhtml_core.store.document import read_document
from memhtml_core.store.memory import Memory
from memhtml_tui import demo_store


@pytest.fixture(scope="session")
def copied(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return demo_store.copy_demo(tmp_path_factory.mktemp("demo"))


@pytest.fixture(scope="session")
def memories(copied: Path) -> dict[str, Memory]:
    """Every memory of the store by path; a refused file fails here with its reasons."""
    found = {}
    for bucket in ("projects", "areas", "resources", "archive"):
        for file in sorted((copied / bucket).rglob("*.html")):
            path = file.relative_to(copied).as_posix()
            found[path] = read_document(file.read_bytes(), path)
    return found
