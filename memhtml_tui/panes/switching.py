"""The switch panel's texts: every outage that can be played, and what the answer would be with every arm.

A played outage carries the word *simulated*; a real one looks the same without it (DESIGN 5).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, ClassVar

from rich.text import Text
from textual.binding import BindingType

from memhtml_tui.keys import bindings
from memhtml_tui.look import Look
from memhtml_tui.panes.draw import BOLD, DIM, Line, cut, line, span
from memhtml_tui.panes.linelist import LineList

if TYPE_CHECKING:
    from memhtml_core.rank.outcome import Outcome
    from memhtml_core.rank.simulate import Move, Simulation

_OUTAGES = "outages to play"
_ARMS = "arms to switch off"


class SwitchList(LineList):
    """Outages, then arms; each with its box, and whether it is simulated or really so."""

    BINDINGS: ClassVar[list[BindingType]] = [*bindings("switch-list")]
    HELP = "Play an outage, or switch an arm off, and see what the answer becomes. Nothing real is touched."

    def __init__(self, look: Look, *, id: str | None = None) -> None:
        super().__init__(look, id=id)
        self._rows: tuple[Simulation | str, ...] = ()
        self._on: frozenset[str] = frozenset()
        self._real: frozenset[str] = frozenset()

    def show(self, every: Sequence[Simulation], on: Sequence[Simulation], outcome: Outcome | None) -> None:
        """List the switches; `outcome` says what is really out."""
        outages = [each for each in every if each.reason is not None]
        arms = [each for each in every if each.reason is None]
        self._rows = (_OUTAGES, *outages, _ARMS, *arms)
        self._on = frozenset(each.name for each in on)
        missing = () if outcome is None else outcome.missing
        reasons = {each.reason for each in missing if not each.simulated}
        self._real = frozenset(each.name for each in outages if each.reason in reasons)
        self.changed()

    @property
    def count(self) -> int:
        """Headings and switches."""
        return len(self._rows)

    def choosable(self, place: int) -> bool:
        """A switch, not a heading."""
        return 0 <= place < len(self._rows) and not isinstance(self._rows[place], str)

    def switch(self, place: int) -> Simulation | None:
        """The switch of a row."""
        found = self._rows[place] if self.choosable(place) else None
        return None if isinstance(found, str) else found

    def is_on(self, switch: Simulation) -> bool:
        """Whether it is on in the request."""
        return switch.name in self._on

    def row(self, place: int, width: int) -> Text:
        """A box, the words, and what is so."""
        found = self._rows[place]
        if isinstance(found, str):
            return span(found, BOLD)
        on = found.name in self._on
        warning = self.look.style("warning")
        text = span("[x] " if on else "[ ] ", BOLD if on else DIM)
        if on and found.reason is not None:
            text.append("simulated: ", warning)
        text.append_text(line(found.label))
        if found.name in self._real:
            text.append(" (so it is now)", warning)
        return cut(text, width, self.look)


def effect_lines(
    full: Outcome | None, reduced: Outcome | None, moves: Sequence[Move], look: Look, letters: dict[str, str]
) -> list[Line]:
    """What is out and why, then every hit that came, went or moved against the full run."""
    if reduced is None:
        return [Line(span("A query shows what an outage does to its answer.", DIM))]
    lines = [Line(span("out of this answer", BOLD))]
    for missing in reduced.missing:
        text = span(f"{letters.get(missing.arm, missing.arm)} ", BOLD)
        text.append("simulated " if missing.simulated else "", look.style("warning"))
        text.append(missing.reason.value, look.style("warning"))
        if missing.detail:
            text.append(" ").append_text(line(f"({missing.detail})"))
        lines.append(Line(text))
    if not reduced.missing:
        lines.append(Line(span("nothing: every arm ran", DIM)))
    lines.append(Line(Text()))
    if full is None:
        return [*lines, Line(span("running it with every arm", DIM))]
    fates = {fate: sum(move.fate == fate for move in moves) for fate in ("came", "went", "moved", "stayed")}
    lines.append(Line(span("against the full run", BOLD)))
    lines.append(Line(Text(", ".join(f"{count} {fate}" for fate, count in fates.items()))))
    return [*lines, *(Line(_move_text(move, look), _places(move, look), 12) for move in moves)]


def _places(move: Move, look: Look) -> Text:
    before = "-" if move.before is None else str(move.before)
    after = "-" if move.after is None else str(move.after)
    if move.fate == "stayed":
        return span(f"{after:>4}", DIM)
    return Text(f"{before:>4} {look.sign('→', '>')} {after:<3}")


def _move_text(move: Move, look: Look) -> Text:
    title = line(move.title if move.title.strip() else move.path, DIM if move.fate == "stayed" else "")
    styles = {"came": "success", "went": "error", "moved": "accent"}
    text = Text()
    if move.fate == "moved":
        sign = look.sign("▲", "up ") if move.by > 0 else look.sign("▼", "down ")
        text.append(f"{sign}{abs(move.by)} ", look.style(styles["moved"]))
    elif move.fate in styles:
        text.append(f"{move.fate} ", look.style(styles[move.fate], bold=True))
    return text.append_text(title)
