"""One browser at the web view, from its websocket to its app and back, until either is gone."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from typing import TypeVar

from aiohttp import WSMsgType, web

from memhtml_tui.serve.child import Child, Ending
from memhtml_tui.serve.downloads import Downloads
from memhtml_tui.serve.wire import BadFrame, Focused, Frame, Pinged, Resized, Typed, read_frame

DRAW_S = 20.0
"""How long a browser may take to accept one frame before it is let go: what it has not read is kept in
memory meanwhile, and its app waits."""

CLOSE_S = 2.0
"""How long the words of an ending may take to get through."""

_Sent = TypeVar("_Sent", bytes, str)


class Visit:
    """A websocket and its app. `idle` is in seconds without a key or a mouse, None for ever."""

    def __init__(
        self,
        request: web.Request,
        websocket: web.WebSocketResponse,
        argv: Sequence[str],
        downloads: Downloads,
        *,
        idle: float | None,
    ) -> None:
        self.child = Child(argv, write_bytes=self._send_bytes, write_str=self._send_str, downloads=downloads)
        self._request = request
        self._websocket = websocket
        self._idle = idle
        self._heard = asyncio.get_running_loop().time()
        self._turn = asyncio.Lock()
        self._broken = False
        self._told: asyncio.Future[Ending] = asyncio.get_running_loop().create_future()

    def end(self, ending: Ending) -> None:
        """Let the browser go."""
        if not self._told.done():
            self._told.set_result(ending)

    async def run(self, columns: int, lines: int) -> Ending:
        """Until the browser goes, the app ends, nobody is there any more, or `end` says so. The process has
        ended when this returns.
        """
        # In the order in which a reason counts where several have come at once.
        waits: list[asyncio.Future[Ending]] = [self._told, self.child.ending]
        try:
            await self.child.start(columns, lines)
            waits += [asyncio.ensure_future(self._listen()), asyncio.ensure_future(self._watch())]
            done, _ = await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
            told = (wait.result() for wait in waits if wait in done and not wait.cancelled())
            ending = next(told, Ending(1011, "The connection broke."))
            await self._close(ending)
            return ending
        except asyncio.CancelledError:
            self.child.kill()
            raise
        finally:
            for wait in waits:
                wait.cancel()
            await self.child.stop()

    async def _listen(self) -> Ending:
        async for message in self._websocket:
            if message.type is WSMsgType.ERROR:
                break
            if message.type is not WSMsgType.TEXT:
                return Ending(1003, "This page does not speak like ours.")
            try:
                frame = read_frame(message.data)
            except BadFrame:
                return Ending(1008, "This page does not speak like ours.")
            if not await self._pass_on(frame):
                return Ending(1011, "The app takes no input any more.")
        return Ending(1000, "The browser has gone.")

    async def _pass_on(self, frame: Frame) -> bool:
        match frame:
            case Typed(data):
                self._heard = asyncio.get_running_loop().time()
                return await self.child.send_bytes(data)
            case Resized(columns, lines):
                return await self.child.send_meta({"type": "resize", "width": columns, "height": lines})
            case Focused(now):
                return await self.child.send_meta({"type": "focus" if now else "blur"})
            case Pinged(stamp):
                with suppress(OSError, asyncio.TimeoutError):
                    await self._send_str(json.dumps(["pong", stamp]))
        return True

    async def _watch(self) -> Ending:
        loop = asyncio.get_running_loop()
        while self._idle is None or loop.time() - self._heard < self._idle:
            await asyncio.sleep(3600.0 if self._idle is None else self._heard + self._idle - loop.time())
        return Ending(4001, "Nobody was here for a while.")

    async def _send_bytes(self, data: bytes) -> None:
        await self._in_time(self._websocket.send_bytes, data)

    async def _send_str(self, data: str) -> None:
        await self._in_time(self._websocket.send_str, data)

    async def _in_time(self, send: Callable[[_Sent], Awaitable[None]], data: _Sent) -> None:
        async def in_turn() -> None:
            async with self._turn:
                await send(data)

        try:
            await asyncio.wait_for(in_turn(), DRAW_S)
        except asyncio.TimeoutError:
            # The web library's connection cannot be written to any more once a write was given up.
            self._break()
            self.end(Ending(1013, "This browser took too long to draw."))
            raise

    def _break(self) -> None:
        self._broken = True
        if self._request.transport is not None:
            self._request.transport.abort()

    async def _close(self, ending: Ending) -> None:
        """Say why, and break the line where that does not get through."""
        if self._broken:
            return
        try:
            closing = self._websocket.close(code=ending.code, message=ending.reason.encode("utf-8")[:123])
            await asyncio.wait_for(closing, CLOSE_S)
        except (asyncio.TimeoutError, OSError):
            self._break()
