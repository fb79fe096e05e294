"""Before there is anything to show: no store, a store that cannot be read, an index that is being built."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from pathlib import Path

from memhtml_core.errors import StoreError
from memhtml_core.index.progress import Progress
from memhtml_tui.app import MemhtmlApp
from memhtml_tui.screens.dialogs import StartDialog
from memhtml_tui.session import Opener
from memhtml_tui.settings import Options
from tests.ui.driving import screen_text, settled, until
from tests.ui.fakes import NOW, FakeStore


def test_indexing_is_shown_with_counts(store: FakeStore) -> None:
    go_on = threading.Event()

    def slowly(progress: Callable[[Progress], None], cancel: Callable[[], bool]) -> FakeStore:
        progress(Progress("read files", 120, 1284, 340.0))
        go_on.wait(10)
        return store

    app = MemhtmlApp(slowly, Options(now=NOW))

    async def main() -> None:
        async with app.run_test(size=(80, 24)) as pilot:
            await until(pilot, lambda: "read files 120 of 1,284" in screen_text(app))
            assert "340/s" in screen_text(app)
            await pilot.press(*"abc")
            go_on.set()
            await until(pilot, lambda: app.session.ready)
            await settled(pilot)
            assert app.state.answer is not None
            assert app.state.answer.request.query == "abc"

    asyncio.run(main())


def test_a_store_that_cannot_be_opened_is_explained_and_sets_the_exit_status(tmp_path: Path) -> None:
    def refuse(progress: object, cancel: object) -> FakeStore:
        raise StoreError("there is no such folder", subject="/nowhere/[/b]", remedy="Name another one")

    app = MemhtmlApp(refuse, Options(now=NOW))

    async def main() -> None:
        async with app.run_test(size=(80, 24)) as pilot:
            await until(pilot, lambda: "/nowhere/[/b]" in screen_text(app))
            assert "Name another one" in screen_text(app)
            await pilot.press("ctrl+q")

    asyncio.run(main())
    assert app.return_value == 3


def test_without_a_store_a_folder_or_the_demo_can_be_chosen(tmp_path: Path) -> None:
    chosen: list[Path | None] = []

    def choose(folder: Path | None) -> tuple[Opener, Options]:
        chosen.append(folder)
        return (lambda progress, cancel: FakeStore(tmp_path)), Options(now=NOW)

    async def steps(app: MemhtmlApp, keys: list[str]) -> None:
        async with app.run_test(size=(80, 24)) as pilot:
            await until(pilot, lambda: isinstance(app.screen, StartDialog))
            await pilot.pause()
            assert "No memory store was found." in screen_text(app)
            await pilot.press(*"/nowhere/at/all".replace("/", "~")[:3], "enter")
            await pilot.pause()
            assert "that is no folder" in screen_text(app)
            await pilot.press("ctrl+u", *keys)
            await until(pilot, lambda: app.session.ready)
            await settled(pilot)

    asyncio.run(steps(MemhtmlApp(None, Options(now=NOW), choose=choose), ["full_stop", "enter"]))
    asyncio.run(steps(MemhtmlApp(None, Options(now=NOW), choose=choose), ["f2"]))
    assert chosen == [Path(), None]


def test_the_first_frame_loads_no_numpy_and_no_sqlite() -> None:
    import subprocess
    import sys

    probe = "import sys, memhtml_tui.app; print(' '.join(sorted(m.split('.')[0] for m in sys.modules)))"
    done = subprocess.run([sys.executable, "-c", probe], capture_output=True, text=True, check=True)
    loaded = set(done.stdout.split())
    assert "textual" in loaded
    assert loaded.isdisjoint({"numpy", "apsw", "selectolax", "tokenizers", "sqlite_vec"})
