"""What the session's threads still say while the app ends harms nothing."""

from __future__ import annotations

import pytest

from memhtml_core.errors import IndexFault
from memhtml_tui import app as app_module
from memhtml_tui.messages import (
    AccessKnown,
    AnswerFailed,
    Following,
    JobFailed,
    StoreFailed,
    StoreProgress,
    Told,
)
from tests.ui.conftest import DemoStore
from tests.ui.driving import AppPilot, app_of, drive
from tests.ui.test_pictures import app_on

LATE = [
    AccessKnown("areas/a.html", None),
    AnswerFailed(0, IndexFault("late")),
    Following("following"),
    JobFailed(IndexFault("late")),
    StoreFailed(IndexFault("late")),
    StoreProgress(None),
    Told("late"),
]


def test_messages_after_the_last_view_are_dropped(demo: DemoStore, monkeypatch: pytest.MonkeyPatch) -> None:
    async def steps(pilot: AppPilot) -> None:
        app = app_of(pilot)
        generation = app.session.generation
        with monkeypatch.context() as gone:
            gone.setattr(type(app), "screen_stack", property(lambda self: []))
            for message in LATE:
                getattr(app, message.handler_name)(message)
            app._still_searching(generation)
        assert app.state.error is None

    drive(app_on(demo), steps)


def test_every_handler_of_a_session_message_is_guarded() -> None:
    handlers = [name for name in vars(app_module.MemhtmlApp) if name.startswith("on_")]
    for message in LATE:
        assert message.handler_name in handlers
        handler = getattr(app_module.MemhtmlApp, message.handler_name)
        assert handler.__wrapped__ is not None
