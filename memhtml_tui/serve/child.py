"""One served app: its process, what it says and what it is told, all of it bounded.

On `AppService` of textual-serve 1.1.3, whose packets these are: a byte for the kind (`D` screen, `M` JSON,
`P` packed), four for the length, big-endian, then the payload. Other than there, no shell is between, no
packet and no standard error is unbounded, nothing of either is printed, and ending never waits forever.
"""

from __future__ import annotations

import asyncio
import json
import os
import shlex
import signal
import sys
from asyncio.subprocess import PIPE, Process
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import PurePath
from typing import TypeVar

from textual_serve.app_service import AppService

from memhtml_tui.serve.crashes import Tail
from memhtml_tui.serve.downloads import Downloads

START_S = 60.0
"""How long an app may take to its first sign of life."""

STDIN_S = 10.0
"""How long an app may leave its input lying."""

QUIT_S = 4.0
"""How long an app that was told to quit may take, and again after it was told by signal."""

PACKET_BYTES = 32 * 1024 * 1024
"""The largest packet that is taken from an app."""

_Told = TypeVar("_Told")
_KILL = getattr(signal, "SIGKILL", signal.SIGTERM)
_PRELUDE = b"__GANGLION__\n"
_DRIVER = "memhtml_tui.serve.driver:ServedDriver"


@dataclass(frozen=True, slots=True)
class Ending:
    """Why a visit is over: the websocket close code, and the words for the person at the browser."""

    code: int
    reason: str


def launcher() -> list[str]:
    """How this very program is started again, without importing from the folder in which it runs: that
    may be a store, and a store is anybody's.
    """
    if sys.version_info >= (3, 11):
        return [sys.executable, "-P", "-m", "memhtml_tui"]
    start = "import sys; del sys.path[0]; from memhtml_tui.cli import main; sys.exit(main())"
    return [sys.executable, "-c", start]


class Child(AppService):
    """The app of one visit. `write_bytes` and `write_str` go to its browser and raise `OSError` or
    `TimeoutError` where that does not take them; `ending` is set once.
    """

    def __init__(
        self,
        argv: Sequence[str],
        *,
        write_bytes: Callable[[bytes], Awaitable[None]],
        write_str: Callable[[str], Awaitable[None]],
        downloads: Downloads,
    ) -> None:
        async def close() -> None:
            self._end(1000, "The app has ended.")

        super().__init__(
            shlex.join(argv),
            write_bytes=write_bytes,
            write_str=write_str,
            close=close,
            download_manager=downloads,
        )
        self.argv = tuple(argv)
        self.ending: asyncio.Future[Ending] = asyncio.get_running_loop().create_future()
        self.said = Tail()
        self._errors: asyncio.Task[None] | None = None
        self._turn = asyncio.Lock()
        self._mute = False

    @property
    def pid(self) -> int | None:
        """The process, once there is one."""
        return None if self._process is None else self._process.pid

    @property
    def status(self) -> int | None:
        """How the process ended, None while it runs."""
        return None if self._process is None else self._process.returncode

    @property
    def failed(self) -> bool:
        """Whether it ended badly and said why. An app that shows its error itself and is left then has
        nothing more to say.
        """
        return self.status not in (None, 0) and bool(bytes(self.said))

    def _build_environment(self, width: int = 80, height: int = 24) -> dict[str, str]:
        """This process's environment without Textual's developer settings: those write text to files and
        sockets.
        """
        built = super()._build_environment(width, height)
        kept = {name: value for name, value in built.items() if not name.startswith("TEXTUAL")}
        return kept | {
            "TEXTUAL_DRIVER": _DRIVER,
            "TEXTUAL_FPS": "60",
            "TEXTUAL_COLOR_SYSTEM": "truecolor",
            "MEMHTML_TUI_SERVED": "1",
        }

    async def _open_app_process(self, width: int = 80, height: int = 24) -> Process:
        """Start the app in a group of its own, so that ending it ends what it started."""
        process = await asyncio.create_subprocess_exec(
            *self.argv,
            stdin=PIPE,
            stdout=PIPE,
            stderr=PIPE,
            env=self._build_environment(width, height),
            start_new_session=os.name == "posix",
        )
        assert process.stdin is not None
        assert process.stderr is not None
        self._process, self._stdin = process, process.stdin
        self._errors = asyncio.create_task(self._listen_to_errors(process.stderr))
        return process

    async def send_bytes(self, data: bytes) -> bool:
        """Hand keys to the app; False where it has ended or takes none."""
        return await self._told(super().send_bytes, data)

    async def send_meta(self, data: dict[str, str | int | bool | None]) -> bool:
        """Tell the app something; False where it has ended or takes nothing."""
        return await self._told(super().send_meta, data)

    async def _told(self, send: Callable[[_Told], Awaitable[bool]], data: _Told) -> bool:
        async with self._turn:
            try:
                return await asyncio.wait_for(send(data), STDIN_S)
            except asyncio.TimeoutError:
                return False

    async def run(self) -> None:
        """Pass on what the app says until it ends; afterwards `ending` is set."""
        process = self._process
        assert process is not None
        assert process.stdout is not None
        try:
            await asyncio.wait_for(self._prelude(process.stdout), START_S)
            while not self.ending.done() or self._mute:
                head = await process.stdout.readexactly(5)
                size = int.from_bytes(head[1:], "big")
                if size > PACKET_BYTES:
                    self._end(1011, "The app sent more at once than is passed on.")
                    return
                await self._take(head[:1], await process.stdout.readexactly(size))
        except asyncio.TimeoutError:
            self._end(1011, "The app did not start in time.")
        except ValueError:
            self._end(1011, "The app said something that cannot be passed on.")
        except (asyncio.IncompleteReadError, OSError):
            with suppress(asyncio.TimeoutError):
                await asyncio.wait_for(process.wait(), QUIT_S)
            await self._finish(self._errors)
            if self.failed:
                self._end(1011, "The app failed. The server's log says more.")
            else:
                self._end(1000, "The app has ended.")
        finally:
            self._end(1011, "The server had an error.")

    async def _prelude(self, stdout: asyncio.StreamReader) -> None:
        while (line := await stdout.readline()) != _PRELUDE:
            if not line:
                raise asyncio.IncompleteReadError(line, len(_PRELUDE))

    async def _take(self, kind: bytes, payload: bytes) -> None:
        if self._mute:
            return
        try:
            if kind == b"D":
                await self.on_data(payload)
            elif kind == b"M":
                await self.on_meta(payload)
            elif kind == b"P":
                await self.on_packed(payload)
        except (OSError, asyncio.TimeoutError):
            # What is still said is read and dropped, or the app could not even be told to quit.
            self._mute = True
            self._end(1001, "The browser has gone.")

    async def on_meta(self, data: bytes) -> None:
        """A file for the browser. That the app quits shows when its process ends; links are not opened."""
        match json.loads(data):
            case {"type": "deliver_file_start", "key": str(key), "path": str(path), **rest}:
                await self._download_manager.create_download(
                    app_service=self,
                    delivery_key=key,
                    file_name=PurePath(path).name,
                    open_method="download",
                    mime_type="application/octet-stream",
                    encoding=str(rest.get("encoding") or "utf-8"),
                    name=None if rest.get("name") is None else str(rest["name"]),
                )
                await self.remote_write_str(json.dumps(["deliver_file_start", key]))

    async def stop(self) -> None:
        """End the app: asked, then told, then killed. Nothing of it is left when this returns."""
        self._mute = True
        await self._download_manager.cancel_app_downloads(app_service_id=self.app_service_id)
        if self._process is not None:
            try:
                await self._end_process(self._process)
            except asyncio.CancelledError:
                self.kill()
                raise
        for task in (self._task, self._errors):
            if not await self._finish(task) and task is not None:
                task.cancel()
        self._task = self._errors = None
        self._end(1000, "The app has ended.")

    def kill(self) -> None:
        """End the app without asking: the server cannot wait."""
        if self._process is not None and self._process.returncode is None:
            self._signal(self._process, _KILL)

    async def _end_process(self, process: Process) -> None:
        if process.returncode is None:
            await self.send_meta({"type": "quit"})
        for force in (None, signal.SIGTERM, _KILL):
            if force is not None:
                self._signal(process, force)
            with suppress(asyncio.TimeoutError):
                await asyncio.wait_for(process.wait(), QUIT_S)
                break
        if not await self._finish(self._task):
            # Its output is still held open: by something that it started and left behind.
            self._signal(process, _KILL)

    async def _finish(self, task: asyncio.Task[None] | None) -> bool:
        """Give a task a moment for what is already there; whether it is done."""
        return task is None or not (await asyncio.wait({task}, timeout=1.0))[1]

    def _signal(self, process: Process, force: signal.Signals) -> None:
        with suppress(ProcessLookupError, PermissionError):
            if os.name == "posix":
                os.killpg(process.pid, force)
            else:
                process.terminate()

    async def _listen_to_errors(self, stderr: asyncio.StreamReader) -> None:
        while data := await stderr.read(64 * 1024):
            self.said.feed(data)

    def _end(self, code: int, reason: str) -> None:
        if not self.ending.done():
            self.ending.set_result(Ending(code, reason))
