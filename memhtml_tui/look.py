"""Signs and colours: every state has a word or a sign besides its colour (DESIGN 9; craft 3.6).

An arm has its letter and a pattern; colour only repeats them. The ascii set has one cell per sign on every
terminal.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from rich.style import Style
from rich.text import Text
from textual.theme import Theme

from memhtml_tui.settings import Glyphs

if TYPE_CHECKING:
    from memhtml_core.rank.outcome import Outcome

NOT_SEEN = "-"

_PATTERNS: Mapping[Glyphs, str] = {"unicode": "█▓▒░▚▞▤▥", "ascii": "#=+.%*&@"}
_HUES = (("arm-1", "primary"), ("arm-2", "secondary"), ("arm-3", "warning"), ("arm-4", "success"))


@dataclass(frozen=True, slots=True)
class ArmLook:
    """How one arm is drawn; `ran` is false for a missing arm."""

    name: str
    letter: str
    label: str
    pattern: str
    style: Style
    ran: bool


@dataclass(frozen=True, slots=True)
class Look:
    """One glyph set with the colours of a theme."""

    glyphs: Glyphs = "unicode"
    colours: Mapping[str, str] = field(default_factory=dict)

    def sign(self, unicode: str, ascii: str) -> str:
        """The sign of this set."""
        return unicode if self.glyphs == "unicode" else ascii

    @property
    def prompt(self) -> str:
        """In front of the query."""
        return self.sign("❯", ">")

    @property
    def dot(self) -> str:
        """Between parts of a line."""
        return self.sign("·", "|")

    @property
    def rest(self) -> str:
        """The unfilled part of a bar."""
        return self.sign("·", ".")

    @property
    def open_quote(self) -> str:
        """In front of a matched word."""
        return self.sign("«", "*")

    @property
    def close_quote(self) -> str:
        """Behind a matched word."""
        return self.sign("»", "*")

    @property
    def ellipsis(self) -> str:
        """Where text was cut."""
        return self.sign("…", "~")

    def tier(self, tier: str) -> str:
        """Sign and letter of a tier of the pack."""
        signs = {"full": ("● F", "# F"), "disclosure": ("◐ D", "= D"), "index": ("○ I", ". I")}
        return self.sign(*signs[tier])

    def style(self, name: str, *, bold: bool = False) -> Style:
        """A style in a named colour of the theme ("warning", "success", "error", "accent", ...)."""
        colour = self.colours.get(name, "")
        return Style(color=colour if colour.startswith("#") else None, bold=bold or None)

    def _known(self, own: str, other: str) -> str:
        """The name of the app's own colour, or that of every theme."""
        return own if own in self.colours else other

    def arms(self, outcome: Outcome, registry: Sequence[tuple[str, str, str]]) -> list[ArmLook]:
        """The arms of an answer, missing ones included, in the order of the registry (name, letter, label).

        An arm that the registry does not know stands behind the others, in the order of the answer.
        """
        ran = {arm.name: arm for arm in outcome.arms}
        known = {name: (letter, label) for name, letter, label in registry}
        names = [
            name for name, _, _ in registry if name in ran or any(m.arm == name for m in outcome.missing)
        ]
        names += [name for name in ran if name not in known]
        names += [m.arm for m in outcome.missing if m.arm not in known and m.arm not in ran]
        order = [name for name, _, _ in registry] + [name for name in names if name not in known]
        looks = []
        for name in dict.fromkeys(names):
            place = order.index(name)
            patterns = _PATTERNS[self.glyphs]
            letter, label = known.get(name, (name[:1].upper(), name))
            if name in ran:
                letter, label = ran[name].letter, ran[name].label
            looks.append(
                ArmLook(
                    name,
                    letter,
                    label,
                    patterns[place % len(patterns)],
                    self.style(self._known(*_HUES[place % len(_HUES)])),
                    name in ran,
                )
            )
        return looks


def bar(parts: Sequence[tuple[float, str, Style]], whole: float, width: int) -> Text:
    """Segments of a sum on a shared scale: `whole` is the length of `width` cells, never stretched.

    Cells are given out at the running sum's rounding, so that the bar's length is the sum's.
    """
    text = Text()
    if whole <= 0 or width <= 0:
        return text
    reached = 0.0
    drawn = 0
    for value, pattern, style in parts:
        reached += max(0.0, value)
        end = min(width, round(reached / whole * width))
        if value > 0 and end == drawn and end < width and not drawn:
            end = 1
        if end > drawn:
            text.append(pattern * (end - drawn), style)
            drawn = end
    return text


DARK = Theme(
    name="memhtml-dark",
    primary="#7fb2ff",
    secondary="#d0a5ff",
    warning="#ffc66b",
    success="#8fdc9a",
    error="#ff8f8f",
    accent="#ffd479",
    foreground="#e4e6eb",
    background="#14161a",
    surface="#1a1d22",
    panel="#23272e",
    dark=True,
    variables={
        "arm-1": "#7fb2ff",
        "arm-2": "#d0a5ff",
        "arm-3": "#ffc66b",
        "arm-4": "#8fdc9a",
        "block-cursor-text-style": "none",
        "footer-key-foreground": "#ffd479",
        "input-selection-background": "#7fb2ff 35%",
    },
)

LIGHT = Theme(
    name="memhtml-light",
    primary="#0b4fae",
    secondary="#6b2fa8",
    warning="#7a4b00",
    success="#1c6330",
    error="#a01c1c",
    accent="#7a4b00",
    foreground="#1b1d21",
    background="#f7f7f4",
    surface="#efefea",
    panel="#e2e2dc",
    dark=False,
    variables={
        "arm-1": "#0b4fae",
        "arm-2": "#6b2fa8",
        "arm-3": "#7a4b00",
        "arm-4": "#1c6330",
        "block-cursor-text-style": "none",
        "footer-key-foreground": "#7a4b00",
        "input-selection-background": "#0b4fae 25%",
    },
)
