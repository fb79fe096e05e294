"""The footer: the keys of the pane in focus on one line, whole keys only; a click does what the key does.

The framework's own footer mounts a widget per key again at every change of focus, which costs more than
drawing the rest of the screen; this is one line of text.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from rich.text import Text
from textual import events
from textual.screen import Screen
from textual.widgets import Static

from memhtml_tui.panes.draw import DIM, span
from memhtml_tui.text import one_line


@dataclass(frozen=True)
class _Key:
    """A key as shown, what it does, and its name for the framework."""

    shown: str
    words: str
    key: str

    @property
    def text(self) -> Text:
        """As it stands in the line."""
        return Text(" ").append(self.shown, "bold").append(" ").append_text(span(self.words, DIM)).append(" ")


_PALETTE = _Key("^p", "palette", "ctrl+p")


class KeyLine(Static):
    """One row; follows the bindings that are active on its screen. `idle` names actions that would do nothing
    now: their keys are not offered. `ellipsis` stands where keys were left out."""

    def __init__(self, idle: Callable[[], frozenset[str]], ellipsis: str) -> None:
        super().__init__(id="keys")
        self._idle = idle
        self._ellipsis = ellipsis
        self._places: list[tuple[int, int, str]] = []

    def on_mount(self) -> None:
        """Follow the bindings."""
        self.screen.bindings_updated_signal.subscribe(self, self._changed)

    def _changed(self, screen: Screen[object]) -> None:
        if screen is self.screen and self.is_attached:
            self.draw()

    def on_resize(self, event: events.Resize) -> None:
        """Other keys fit."""
        self.draw()

    def draw(self) -> None:
        """Write the keys that fit, in the order of the panes from the focus outwards."""
        room = self.size.width
        if room <= 0:
            return
        keys: dict[str, _Key] = {}
        idle = self._idle()
        for active in self.screen.active_bindings.values():
            binding = active.binding
            if binding.action in idle:
                continue
            if binding.show and active.enabled and binding.action not in keys:
                shown = self.app.get_key_display(binding)
                keys[binding.action] = _Key(shown, one_line(binding.description), binding.key)
        tail = [keys.pop("help")] if "help" in keys else []
        if room >= 60:
            tail.append(_PALETTE)
        ends = [keys.pop(name) for name in ("back", "quit") if name in keys]
        text, self._places = Text(), []
        left = room - sum(each.text.cell_len for each in tail)
        cut = Text(f" {self._ellipsis}")
        offered = [*keys.values(), *ends]
        whole = sum(each.text.cell_len for each in offered) <= left
        for each in offered:
            if text.cell_len + each.text.cell_len > left - (0 if whole else cut.cell_len):
                text.append_text(cut)
                break
            self._add(text, each)
        for each in tail:
            self._add(text, each)
        self.update(text, layout=False)

    def _add(self, text: Text, each: _Key) -> None:
        self._places.append((text.cell_len, text.cell_len + each.text.cell_len, each.key))
        text.append_text(each.text)

    def on_click(self, event: events.Click) -> None:
        """Press the key that stands there."""
        event.stop()
        for start, end, key in self._places:
            if start <= event.x < end:
                self.app.simulate_key(key)
