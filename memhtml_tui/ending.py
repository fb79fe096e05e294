"""The end of the app: what threads still have to say then finds no view, and has to fall."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import TYPE_CHECKING, Any

from memhtml_tui.screens.view import View

if TYPE_CHECKING:
    from memhtml_tui.app import MemhtmlApp


def while_shown(handler: Callable[[Any, Any], None]) -> Callable[[Any, Any], None]:
    """Wraps a handler of the app: a message that comes after the last view has gone is dropped."""

    @wraps(handler)
    def handle(self: MemhtmlApp, message: Any) -> None:
        if any(isinstance(screen, View) for screen in self.screen_stack):
            handler(self, message)

    return handle
