"""The log of a web view, its patience, and the installed command serving."""

from __future__ import annotations

import io
import logging
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from memhtml_tui.serve import child as child_module
from memhtml_tui.serve import server as server_module
from memhtml_tui.serve.log import start_log
from tests.e2e.serve.driving import (
    Serving,
)


@pytest.fixture
def log() -> Iterator[io.StringIO]:
    """What the server logs."""
    root = logging.getLogger()
    handlers, level = root.handlers[:], root.level
    root.handlers = []
    stream = io.StringIO()
    start_log(stream)
    yield stream
    root.handlers = handlers
    root.setLevel(level)


@pytest.fixture(autouse=True)
def _quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """No test waits as long as a person would."""
    monkeypatch.setattr(child_module, "QUIT_S", 0.7)
    monkeypatch.setattr(server_module, "PATIENCE_S", 0.3)


@pytest.fixture
def serving(environment: dict[str, str], tmp_path: Path) -> Iterator[Serving]:
    """The installed command, serving."""
    started: list[subprocess.Popen[str]] = []
    folder = tmp_path / "tmp"
    folder.mkdir()

    def start(*words: str | Path) -> subprocess.Popen[str]:
        command = [Path(sys.executable).with_name("memhtml-tui"), "serve", "--port", "0", *map(str, words)]
        process = subprocess.Popen(
            command, env=environment | {"TMPDIR": str(folder)}, cwd=tmp_path,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        )  # fmt: skip
        started.append(process)
        return process

    yield start
    for process in started:
        process.kill()
        process.communicate(timeout=20)
