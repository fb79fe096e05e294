"""How many browsers may look at once: every socket starts a process of its own."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

_LOOK_S = 0.05


class Seats:
    """A number of seats. A page that is loaded again needs its old seat, which is free a moment later, so
    whoever comes waits up to `patience` seconds; no more may wait than there are seats.
    """

    def __init__(self, number: int, patience: float) -> None:
        self.number = number
        self.taken = 0
        self._waiting = 0
        self._patience = patience

    @asynccontextmanager
    async def seat(self) -> AsyncIterator[bool]:
        """Hold a seat for the time of the block; False where there is none to be had."""
        held = await self._wait()
        try:
            yield held
        finally:
            self.taken -= held

    async def _wait(self) -> bool:
        if self.taken >= self.number and self._waiting < self.number:
            self._waiting += 1
            try:
                end = asyncio.get_running_loop().time() + self._patience
                while self.taken >= self.number and asyncio.get_running_loop().time() < end:
                    await asyncio.sleep(_LOOK_S)
            finally:
                self._waiting -= 1
        if self.taken >= self.number:
            return False
        self.taken += 1
        return True
