"""How long the event loop is kept from a 5 ms heartbeat while somebody types: with an embedder that answers,
one that takes half a second, and one that hangs; against the same app left alone (wall time, worst beat).
"""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Awaitable, Callable
from pathlib import Path

from textual.widgets import Input

from memhtml_core.index.progress import Report
from memhtml_core.opened import open_store
from memhtml_core.rank.outcome import MissingArm
from memhtml_tui.app import MemhtmlApp
from memhtml_tui.embedding import Ask
from memhtml_tui.opening import AskedStore
from memhtml_tui.session import Store
from memhtml_tui.settings import Options
from tests.bench.measure import Line, Timing

BEAT = 0.005
WORDS = "one writer many readers deploy"


class Heartbeat:
    """Beats on the loop it is started on; `worst` is the longest overrun of a beat, in ms."""

    def __init__(self) -> None:
        self.beats = 0
        self.worst = 0.0

    async def run(self) -> None:
        """Beat until cancelled."""
        while True:
            begun = time.perf_counter()
            await asyncio.sleep(BEAT)
            self.beats += 1
            self.worst = max(self.worst, (time.perf_counter() - begun - BEAT) * 1000.0)

    async def during(self, work: Awaitable[object]) -> float:
        """The worst overrun while `work` goes on."""
        self.worst = 0.0
        await work
        return self.worst


class SlowStore(AskedStore):
    """A real store whose embedder answers through `slow`."""

    slow: Callable[[Ask], Ask] = staticmethod(lambda ask: ask)

    @property
    def ask(self) -> Ask | None:
        real = super().ask
        return None if real is None else type(self).slow(real)


def half_a_second(real: Ask) -> Ask:
    """An embedder that takes its time."""

    def ask(text: str, deadline: float) -> tuple[bytes | None, MissingArm | None]:
        time.sleep(0.5)
        return real(text, deadline)

    return ask


def hung(real: Ask) -> Ask:
    """An embedder that never answers."""

    def ask(text: str, deadline: float) -> tuple[bytes | None, MissingArm | None]:
        threading.Event().wait()
        return real(text, deadline)

    return ask


EMBEDDERS: dict[str, Callable[[Ask], Ask]] = {
    "answering": lambda real: real,
    "slow": half_a_second,
    "hung": hung,
}


def lines(root: Path, scratch: Path, size: int, rounds: int) -> list[Line]:
    """A line per embedder."""
    cache = scratch / "cache-lag"
    open_store(root, source="tree", embedder="static", cache=cache).close()
    found = []
    for name, slow in EMBEDDERS.items():
        typing, idle = asyncio.run(_measured(root, cache, slow, rounds))
        what = f"event loop: worst beat while typing, {name}"
        found.append(Line(what, f"{size:,}", typing, idle, "the same app, left alone"))
    return found


async def _measured(
    root: Path, cache: Path, slow: Callable[[Ask], Ask], rounds: int
) -> tuple[Timing, Timing]:
    class Slow(SlowStore):
        pass

    Slow.slow = staticmethod(slow)

    def opened(progress: Report, cancel: Callable[[], bool]) -> Store:
        return Slow(open_store(root, source="tree", embedder="static", cache=cache, embed=False))

    app = MemhtmlApp(opened, Options(embed=False, embed_deadline=2.0, follow=False))
    idle: list[float] = []
    typing: list[float] = []
    async with app.run_test(size=(120, 40)) as pilot:
        while not app.session.ready or app.session.answered != app.session.generation:
            await pilot.pause(0.02)
        heart = Heartbeat()
        beating = asyncio.create_task(heart.run())
        for _ in range(rounds + 1):
            idle.append(await heart.during(asyncio.sleep(1.0)))
            typing.append(await heart.during(_type(app)))
            app.query_one("#query", Input).value = ""
            await asyncio.sleep(0.4)
        beating.cancel()
    return Timing(tuple(typing[1:])), Timing(tuple(idle[1:]))


async def _type(app: MemhtmlApp) -> None:
    field = app.query_one("#query", Input)
    for character in WORDS:
        field.insert_text_at_cursor(character)
        await asyncio.sleep(0.03)
    await asyncio.sleep(0.6)
