"""A screen without the machine: no colour variables, no blinking cursor, a fixed clock, a fixed theme."""

from __future__ import annotations

import os
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import pytest
from pytest_textual_snapshot import SVGImageExtension  # type: ignore[import-untyped]
from syrupy.assertion import SnapshotAssertion
from textual.widgets import Input

from memhtml_core.index.progress import Report
from memhtml_core.opened import open_store
from memhtml_core.rank.outcome import MissingArm, Outcome
from memhtml_core.rank.request import Request
from memhtml_tui.app import MemhtmlApp
from memhtml_tui.demo_store import copy_demo
from memhtml_tui.opening import AskedStore
from memhtml_tui.session import Store
from memhtml_tui.settings import Options
from tests.ui.driving import AppPilot, still
from tests.ui.fakes import NOW, FakeStore


@pytest.fixture(autouse=True)
def _no_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in list(os.environ):
        steers = name in ("NO_COLOR", "FORCE_COLOR", "COLORTERM") or name.startswith(("TEXTUAL", "MEMHTML"))
        if steers and name != "MEMHTML_TUI_REQUIRE_SHARED":
            monkeypatch.delenv(name)
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.setenv("COLORTERM", "truecolor")
    assert hasattr(Input, "_toggle_cursor"), "the blink of a cursor has moved: still it another way"
    monkeypatch.setattr(Input, "_toggle_cursor", lambda self: None)


MakeApp = Callable[..., MemhtmlApp]


@pytest.fixture
def store(tmp_path: Path) -> FakeStore:
    return FakeStore(tmp_path)


@pytest.fixture
def make_app() -> MakeApp:
    def make(store: FakeStore, options: Options | None = None) -> MemhtmlApp:
        given = options or Options(now=NOW)
        return MemhtmlApp(lambda progress, cancel: store, given)

    return make


class SteadyStore(AskedStore):
    """The real store, but for the wall time in the answer, which no picture can hold."""

    def search(self, request: Request, query_vector: bytes | MissingArm | None) -> Outcome:
        return replace(super().search(request, query_vector), milliseconds=12.0)


@dataclass(frozen=True)
class DemoStore:
    """A copy of the demo store with its cache, embedded; `open` gives the opener of it."""

    root: Path
    cache: Path

    def open(self, progress: Report, cancel: Callable[[], bool]) -> Store:
        return SteadyStore(open_store(self.root, cache=self.cache, embedder="static", embed=False))


@pytest.fixture(scope="session")
def _demo(tmp_path_factory: pytest.TempPathFactory) -> DemoStore:
    home = tmp_path_factory.mktemp("demo")
    made = DemoStore(copy_demo(home), home / "cache")
    open_store(made.root, cache=made.cache, embedder="static").close()
    return made


@pytest.fixture
def demo(_demo: DemoStore) -> Iterator[DemoStore]:
    """The demo store; what a test wrote into its state plane is undone."""
    folder = _demo.root / ".memhtml"
    before = {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file()}
    yield _demo
    for path in folder.iterdir():
        if path.is_file() and path.name not in before:
            path.unlink()
        elif path.is_file() and path.read_bytes() != before[path.name]:
            path.write_bytes(before[path.name])


@pytest.fixture
def picture(snapshot: SnapshotAssertion) -> Callable[[AppPilot, str], Awaitable[None]]:
    """Compares the screen with its stored picture, once it has stood still for three looks."""
    pictures = snapshot.use_extension(SVGImageExtension)

    async def compare(pilot: AppPilot, name: str) -> None:
        await still(pilot)
        assert pilot.app.export_screenshot(title=name) == pictures(name=name)

    return compare
