"""Makes `screenshots/`: the views that the README shows, of the demo store with a fixed clock.

    make screenshots        (or: python -m tests.shots [--svg])

The SVG pictures are exact: `tests/ui/test_shots.py` says when they are stale. The PNG copies are drawn from
them by Chromium, and left alone where there is none.
"""

from __future__ import annotations

import asyncio
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

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
from tests.ui.driving import AppPilot, still, typed, until

FOLDER = Path(__file__).resolve().parent.parent / "screenshots"
NOW = 1_796_000_000.0
SIZE = (118, 36)
NARROW = (60, 20)
QUESTION = "the bank rejects a file"


class SteadyStore(AskedStore):
    """The real store, but for the wall time in its answers."""

    def search(self, request: Request, query_vector: bytes | MissingArm | None) -> Outcome:
        return replace(super().search(request, query_vector), milliseconds=12.0)


def take() -> dict[str, str]:
    """Every picture by name, as SVG."""
    with tempfile.TemporaryDirectory() as folder:
        root, cache = copy_demo(Path(folder)), Path(folder) / "cache"
        open_store(root, cache=cache, embedder="static").close()

        def opened(progress: Report, cancel: Callable[[], bool]) -> Store:
            return SteadyStore(open_store(root, cache=cache, embedder="static", embed=False))

        options = Options(now=NOW, embed=False, demo=root, follow=False)
        return asyncio.run(_walk(MemhtmlApp(opened, options)))


async def _walk(app: MemhtmlApp) -> dict[str, str]:
    pictures: dict[str, str] = {}

    async def shoot(pilot: AppPilot, name: str) -> None:
        for field in app.screen.query(Input):
            field.cursor_blink = False
        await still(pilot)
        pictures[name] = app.export_screenshot(title="memhtml-tui")

    async with app.run_test(size=SIZE) as pilot:
        await until(pilot, lambda: app.session.ready)
        await shoot(pilot, "browse")
        await typed(pilot, QUESTION)
        await pilot.press("down", "down")
        await shoot(pilot, "search")
        await pilot.press("2")
        await shoot(pilot, "pack")
        await pilot.press("1", "space")
        await until(pilot, lambda: app.current_mode == "memory")
        await shoot(pilot, "memory")
        await pilot.press("1", "d", "enter")
        await still(pilot)
        await shoot(pilot, "degraded")
        await pilot.press("X", "escape")
        await pilot.resize_terminal(*NARROW)
        await shoot(pilot, "narrow")
    return pictures


def draw(name: str, browser: str) -> None:
    """The PNG of a picture, twice its size."""
    picture = FOLDER / f"{name}.svg"
    box = picture.read_text("utf-8").split('viewBox="0 0 ', 1)[1].split('"', 1)[0]
    width, height = (round(float(part)) for part in box.split())
    with tempfile.TemporaryDirectory() as folder:
        page = Path(folder) / "page.html"
        image = f'<img src="{picture.as_uri()}" width="{width}" height="{height}" style="display:block">'
        page.write_text(f'<body style="margin:0">{image}</body>', "utf-8")
        subprocess.run(
            [
                browser,
                "--headless",
                "--no-sandbox",
                "--disable-gpu",
                "--hide-scrollbars",
                f"--user-data-dir={folder}/profile",
                f"--window-size={width},{height}",
                f"--screenshot={FOLDER / name}.png",
                page.as_uri(),
            ],
            check=True,
            capture_output=True,
            timeout=120,
        )


def main(words: list[str]) -> int:
    """Write every picture."""
    for name in list(os.environ):
        if name in ("NO_COLOR", "FORCE_COLOR") or name.startswith(("TEXTUAL", "MEMHTML")):
            del os.environ[name]
    os.environ.update(TERM="xterm-256color", COLORTERM="truecolor")
    browser = None if "--svg" in words else shutil.which("chromium") or shutil.which("chromium-browser")
    FOLDER.mkdir(exist_ok=True)
    for name, svg in take().items():
        (FOLDER / f"{name}.svg").write_text(svg, "utf-8")
        if browser is not None:
            draw(name, browser)
        print(f"screenshots/{name}", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
