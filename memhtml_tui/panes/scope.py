"""The scope line: one chip per condition, how they combine, and what each condition removes (DESIGN 9)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, ClassVar

from rich.text import Text
from textual import events
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal, HorizontalScroll
from textual.content import Content
from textual.widgets import Static

from memhtml_core.rank.request import Scope
from memhtml_core.rank.typed import parse_scope, scope_words
from memhtml_tui.keys import bindings
from memhtml_tui.look import Look
from memhtml_tui.messages import ScopeEdited
from memhtml_tui.panes.draw import DIM, cut, line, span

if TYPE_CHECKING:
    from memhtml_core.browse.facets import Removed
    from memhtml_core.rank.scope import Axis

_CHIP = 34


class Chip(Static, can_focus=True):
    """One condition of the scope. `x` or a click on it removes it; the arrows go to its neighbours.

    `place` counts scope words, `removes` is how many memories the condition removes on its own (None: it
    shares the number with the next chip, or the number is not known yet).
    """

    HELP = (
        "A condition of the scope. The number says how many memories of the index it removes; "
        "x takes it away, X all of them."
    )
    BINDINGS: ClassVar[list[BindingType]] = [*bindings("chip")]

    def __init__(self, word: str, place: int, look: Look, removes: int | None = None) -> None:
        super().__init__(chip_text(word, look, removes), classes="chip")
        self.word = word
        self.place = place
        self._look = look

    def say(self, removes: int | None) -> None:
        """Another number."""
        self.update(chip_text(self.word, self._look, removes))

    def on_click(self, event: events.Click) -> None:
        """Remove it."""
        event.stop()
        self.screen.query_one(ScopeLine).drop(self.place)

    def action_chip(self, steps: int) -> None:
        """To a neighbour."""
        self.screen.query_one(ScopeLine).focus_chip(self, steps)


class ScopeLine(Horizontal):
    """Chips of the current scope, those of one condition beside each other."""

    def __init__(self, look: Look, *, id: str) -> None:
        super().__init__(id=id)
        self._look = look
        self._scope = Scope()
        self._words: tuple[str, ...] | None = None
        self._refocus: int | None = None

    def compose(self) -> ComposeResult:
        """Label and chips."""
        yield Static(Content(" scope "), id="scope-label")
        yield HorizontalScroll(id="chips", can_focus=False)

    @property
    def _chips(self) -> list[Chip]:
        return list(self.query(Chip))

    def show(self, scope: Scope, removed: Sequence[Removed] = ()) -> None:
        """Draw the chips of `scope` with what its conditions remove."""
        self._scope = scope
        words = scope_words(scope)
        if words == self._words:
            if removed:
                numbers = {place: number for place, _, number in chip_line(scope, removed)}
                for chip in self._chips:
                    chip.say(numbers[chip.place])
            return
        self._words = words
        focused = self.screen.focused
        if isinstance(focused, Chip):
            self._refocus = self._chips.index(focused)
            # Nobody has the focus meanwhile: a key meant for a chip must not end up in the query.
            self.screen.set_focus(None)
        chips = self.query_one("#chips", HorizontalScroll)
        chips.remove_children()
        chips.mount_all(self._parts(scope, words, removed))
        if self._refocus is not None:
            self.call_after_refresh(self._focus_again)

    def _parts(self, scope: Scope, words: Sequence[str], removed: Sequence[Removed]) -> Iterator[Static]:
        if not words:
            yield Static(Content("every memory but tasks and archived ones"), classes="no-scope")
        for place, joiner, number in chip_line(scope, removed):
            if joiner:
                yield Static(Content(joiner), classes="joiner")
            yield Chip(words[place], place, self._look, number)

    def _focus_again(self) -> None:
        """The chips are new, but the focus stays where it was among them, so that `x` can go on."""
        place, self._refocus = self._refocus, None
        chips = self._chips
        if chips and place is not None:
            chips[min(place, len(chips) - 1)].focus()
        elif self.screen.focused is None:
            self.screen.focus_next(".list")

    def focus_chip(self, chip: Chip, steps: int) -> None:
        """From a chip to its neighbour."""
        chips = self._chips
        place = chips.index(chip) + steps
        if 0 <= place < len(chips):
            chips[place].focus()

    def drop(self, place: int | None = None) -> bool:
        """Drop the condition at `place`, by default the one in focus, else the last. False where there is
        none."""
        words = list(scope_words(self._scope))
        if not words:
            return False
        if place is None:
            focused = self.screen.focused
            place = len(words) - 1
            if isinstance(focused, Chip):
                place = focused.place
        del words[place]
        self.post_message(ScopeEdited(parse_scope(" ".join(words))))
        return True

    def clear(self) -> None:
        """Drop every condition."""
        if scope_words(self._scope):
            self.post_message(ScopeEdited(Scope()))


def chip_text(word: str, look: Look, removes: int | None) -> Content:
    """One chip: the scope word, what its condition removes, and the sign that takes it away."""
    text = Text(" ").append_text(cut(line(word), _CHIP, look))
    if removes is not None:
        text.append_text(span(f" -{removes:,}", DIM))
    return Content.from_rich_text(text.append(f" {look.sign('✕', 'x')} "))


def chip_line(scope: Scope, removed: Sequence[Removed] = ()) -> list[tuple[int, str, int | None]]:
    """The chips in the order in which they stand: place of the scope word, the word that joins it to the
    chip before it ("" where nothing is said), and the number of its condition, at the last chip of it.

    Chips of one condition stand together, also where the scope states them apart; values join with "or",
    facet names with "and".
    """
    from memhtml_tui.scoping import chip_groups

    groups: dict[tuple[Axis, str], list[int]] = {}
    for place, group in enumerate(chip_groups(scope)):
        groups.setdefault(group, []).append(place)
    numbers = {(each.axis, each.name): each.alone for each in removed if each.stated}
    parts: list[tuple[int, str, int | None]] = []
    faceted = False
    for group, places in groups.items():
        for number, place in enumerate(places):
            joiner = "or" if number else "and" if faceted and group[0] == "facet" else ""
            last = number == len(places) - 1
            parts.append((place, joiner, numbers.get(group) if last else None))
        faceted = faceted or group[0] == "facet"
    return parts
