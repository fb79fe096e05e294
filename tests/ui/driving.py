"""Driving the app in tests: wait for a state instead of a time, and read the screen as text."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Awaitable, Callable

from textual.pilot import Pilot
from textual.strip import Strip

from memhtml_tui.app import MemhtmlApp

AppPilot = Pilot[int]

_ASIDE = ("memhtml-history", "memhtml-versions")
"""Threads that read git beside the store's own."""


def drive(
    app: MemhtmlApp, steps: Callable[[AppPilot], Awaitable[None]], size: tuple[int, int] = (120, 40)
) -> None:
    """Run the app headless and `steps` on it, from the moment when its first answer is on screen."""

    async def main() -> None:
        async with app.run_test(size=size, notifications=True) as pilot:
            await until(pilot, lambda: app.session.ready or app.state.error is not None)
            await settled(pilot)
            await steps(pilot)

    asyncio.run(main())


async def until(pilot: AppPilot, holds: Callable[[], bool], seconds: float = 8.0) -> None:
    """Let the app work until `holds()`; fails loudly when it never does."""
    end = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < end, "the app never got there:\n" + screen_text(app_of(pilot))
        await pilot.pause(0.01)


async def settled(pilot: AppPilot) -> None:
    """Until no query rests and the store's thread is idle, twice in a row."""
    app = app_of(pilot)
    quiet = 0
    while quiet < 2:
        await pilot.pause(0.01)
        waiting = any(worker.is_running for worker in app.workers if worker.group == "query")
        answered = not app.session.ready or app.session.answered == app.session.generation
        aside = any(each.name in _ASIDE for each in threading.enumerate())
        quiet = quiet + 1 if answered and not waiting and not aside and not app.session.busy else 0
    await pilot.pause()


async def typed(pilot: AppPilot, text: str) -> None:
    """Type `text` into what has the focus, key by key, and wait for the answer."""
    for character in text:
        await pilot.press(_KEYS.get(character, character))
    await settled(pilot)


async def still(pilot: AppPilot) -> None:
    """Settled, and three looks at the screen show the same."""
    await settled(pilot)
    looks = [screen_text(app_of(pilot))]
    while len(looks) < 3 or len(set(looks[-3:])) > 1:
        await pilot.pause(0.02)
        looks.append(screen_text(app_of(pilot)))


_KEYS = {
    " ": "space",
    "[": "left_square_bracket",
    "]": "right_square_bracket",
    "/": "slash",
    ":": "colon",
    "-": "minus",
    "\\": "backslash",
    "@": "at",
    ".": "full_stop",
    "=": "equals_sign",
    '"': "quotation_mark",
}


def app_of(pilot: AppPilot) -> MemhtmlApp:
    """The app behind a pilot."""
    assert isinstance(pilot.app, MemhtmlApp)
    return pilot.app


def strips(app: MemhtmlApp) -> list[Strip]:
    """The rows of the screen as they would be written."""
    return app.screen._compositor.render_strips()


def screen_text(app: MemhtmlApp) -> str:
    """The screen as text."""
    return "\n".join(strip.text for strip in strips(app))
