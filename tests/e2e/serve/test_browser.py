"""The web view in a real browser: it is seen, it takes keys, and it asks nobody but its own server."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from collections import Counter
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path

import pytest

from tests.e2e.serve.chromium import Page, chromium, pixels, tab

pytestmark = pytest.mark.browser
Look = Callable[[Page, str], Awaitable[None]]


@pytest.fixture
def url(environment: dict[str, str], tmp_path: Path) -> Iterator[str]:
    """The address of a server of the demo store with one seat."""
    chromium()
    command = [Path(sys.executable).with_name("memhtml-tui"), "serve", "--demo", "--no-embed"]
    with subprocess.Popen(
        [*command, "--port", "0", "--sessions", "1"],
        env=environment,
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    ) as server:
        assert server.stdout is not None
        yield server.stdout.readline().strip()
        server.terminate()
        server.communicate(timeout=30)


def look(profile: Path, url: str, inner: Look) -> None:
    """Run a test's coroutine on a tab."""

    async def bounded() -> None:
        async with tab(profile) as page:
            await asyncio.wait_for(inner(page, url), 150)

    asyncio.run(bounded())


def inked(lines: list[bytes]) -> float:
    """Which part of a picture is not of its commonest colour."""
    size = len(lines[0]) // 320
    colours = Counter(line[start : start + 3] for line in lines for start in range(0, len(line), size))
    (_, most), *_ = colours.most_common(1)
    return 1 - most / sum(colours.values())


def test_the_screen_is_seen_and_a_typed_query_changes_it(url: str, tmp_path: Path) -> None:
    async def inner(page: Page, url: str) -> None:
        await page.open(url)
        await page.until(lambda: "234 memories" in page.sent and "1-100 of" in page.sent)
        await asyncio.sleep(0.5)
        before = pixels(await page.picture())
        assert 0.02 < inked(before) < 0.9
        assert await page.value("document.title") == "memhtml-tui demo"
        assert await page.value("getComputedStyle(document.querySelector('.waiting')).display") == "none"

        # No click first: the page gives the focus to the terminal by itself.
        await page.type("boiler")
        await page.until(lambda: "Frost alarm" in page.sent)
        await asyncio.sleep(0.5)
        after = pixels(await page.picture())
        changed = sum(a != b for a, b in zip(before, after, strict=True))
        assert changed > 30

        origin = url.rsplit("/", 2)[0]
        assert page.requests
        strangers = [
            asked for asked in page.requests if asked.replace("ws:", "http:").split("/")[2] != origin[7:]
        ]
        assert not strangers
        assert all(asked.startswith((url, url.replace("http", "ws", 1))) for asked in page.requests)
        assert [said for said in page.complaints if "WebGL" not in said] == []

    look(tmp_path / "profile", url, inner)


def test_the_page_opens_no_link_and_reaches_nobody(url: str, tmp_path: Path) -> None:
    async def inner(page: Page, url: str) -> None:
        await page.open(url)
        await page.until(lambda: "234 memories" in page.sent)
        assert await page.value("window.open('https://example.org/') === null")
        assert await page.value("document.fonts.check('16px \"Roboto Mono\"')")
        await page.value("fetch('https://example.org/').catch(() => { window.blocked = 1 })")
        await page.value("document.body.append(Object.assign(new Image(), {src: 'https://example.org/x'}))")
        await asyncio.sleep(0.5)
        assert await page.value("window.blocked") == 1
        assert await page.value("location.href") == url
        assert sum("Content Security Policy" in said for said in page.complaints) >= 2

    look(tmp_path / "profile", url, inner)


def test_a_reload_begins_anew_and_the_end_is_told(url: str, tmp_path: Path) -> None:
    async def inner(page: Page, url: str) -> None:
        await page.open(url)
        await page.until(lambda: "234 memories" in page.sent)
        page.sent = ""
        await page.ask("Page.reload")
        # There is one seat: the old app must have ended for this one.
        await page.until(lambda: "234 memories" in page.sent)
        await asyncio.sleep(0.5)
        await page.ask("Input.dispatchKeyEvent", type="rawKeyDown", key="q", code="KeyQ", modifiers=2,
                       windowsVirtualKeyCode=81)  # fmt: skip
        for _ in range(100):
            if await page.value("document.body.classList.contains('-closed')"):
                break
            await asyncio.sleep(0.1)
        assert await page.value("document.querySelector('#reason').textContent") == "The app has ended."
        assert await page.value("getComputedStyle(document.querySelector('.ended')).display") == "flex"
        page.sent = ""
        await page.value("document.querySelector('#again').click()")
        await page.until(lambda: "234 memories" in page.sent)

    look(tmp_path / "profile", url, inner)
