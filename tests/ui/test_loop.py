"""The event loop goes on beating while an embedder hangs; how far it lags is measured by `make bench`."""

from __future__ import annotations

import asyncio
import threading

from memhtml_core.rank.outcome import MissingArm
from memhtml_tui.settings import Options
from tests.bench.lag import BEAT, Heartbeat
from tests.ui.conftest import MakeApp
from tests.ui.driving import AppPilot, app_of, drive, typed
from tests.ui.fakes import NOW, FakeStore


def test_the_loop_beats_on_while_the_embedder_hangs(store: FakeStore, make_app: MakeApp) -> None:
    never = threading.Event()

    def hangs(text: str, deadline: float) -> tuple[bytes | None, MissingArm | None]:
        never.wait()
        return None, None

    store.embedder = hangs

    async def steps(pilot: AppPilot) -> None:
        heart = Heartbeat()
        beating = asyncio.create_task(heart.run())
        try:
            await typed(pilot, "readers")
            assert app_of(pilot).state.answer is not None
            before = heart.beats
            await asyncio.sleep(100 * BEAT)
            assert heart.beats > before + 5
        finally:
            beating.cancel()
            never.set()

    drive(make_app(store, Options(now=NOW, embed_deadline=30.0)), steps)
