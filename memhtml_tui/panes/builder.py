"""The scope builder: the typed form, a field to narrow by, and every value of every axis with its count.

Used as a pane and inside a dialog alike. It draws the scope it is given and says what a person wants of it;
it keeps nothing that the scope does not state.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from rich.text import Text
from textual import events
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.widgets import Input, Static

from memhtml_core.errors import UsageError
from memhtml_core.rank.request import Scope
from memhtml_core.rank.typed import format_scope, parse_scope
from memhtml_tui import scoping
from memhtml_tui.keys import bindings
from memhtml_tui.look import Look
from memhtml_tui.messages import ScopeEdited
from memhtml_tui.panes.draw import BOLD, DIM, cut, line, span
from memhtml_tui.panes.linelist import LineList
from memhtml_tui.panes.query import LineInput
from memhtml_tui.resources import styles_folder

if TYPE_CHECKING:
    from memhtml_core.browse.facets import Removed, ScopeCounts

COUNT = 8
"""Cells of the count at the right."""

_ARCHIVED = {"no": "left out", "yes": "with them"}


class ValueList(LineList):
    """The lines of the builder; the cursor stays on its value while counts and order change around it."""

    HELP = (
        "Every value of the scope with the memories it would hold beside the other conditions. "
        "space or Enter chooses; values of one facet name join with or, facet names with and, tags with or."
    )
    BINDINGS: ClassVar[list[BindingType]] = [*bindings("values")]

    def __init__(self, look: Look, *, id: str | None = None) -> None:
        super().__init__(look, id=id)
        self.nothing = "no value has this"
        self.choices: list[scoping.Choice] = []

    @property
    def count(self) -> int:
        """How many lines there are."""
        return len(self.choices)

    @property
    def current(self) -> scoping.Choice | None:
        """The line under the cursor."""
        return self.choices[self.cursor] if self.choosable(self.cursor) else None

    def choosable(self, place: int) -> bool:
        """Headings are passed over."""
        return 0 <= place < self.count and self.choices[place].kind != "heading"

    def show(self, choices: list[scoping.Choice], *, top: bool = False) -> None:
        """Draw other lines; the cursor keeps its value, or with `top` goes to the first."""
        kept = self.current
        self.choices = choices
        place = 0 if top else self.cursor
        if kept is not None and not top:
            place = next((n for n, each in enumerate(choices) if each.key == kept.key), place)
        self.changed(place)

    def row(self, place: int, width: int) -> Text:
        """One line: a heading with its rule, a value with its count, or what is left out."""
        return choice_text(self.choices[place], self.look, width)

    def action_section(self, steps: int) -> None:
        """To the first value of the next or previous section."""
        starts = [n for n in range(1, self.count) if self.choosable(n) and not self.choosable(n - 1)]
        place = sum(start <= self.cursor for start in starts) - 1 + steps
        if starts:
            self.point(starts[max(0, min(place, len(starts) - 1))])


class Narrow(LineInput):
    """The field to narrow by. Up, down and Enter act on the list below it, so that nobody has to leave it."""

    HELP = "Type to narrow the list; up and down move in it, Enter chooses, tab goes there."
    BINDINGS: ClassVar[list[BindingType]] = [*bindings("narrow")]

    async def _on_key(self, event: events.Key) -> None:
        """Before anything is written, a space chooses, as it does in the list; no text begins with one."""
        if event.key == "space" and not self.value:
            event.stop()
            event.prevent_default()
            self._below.action_choose()
            return
        await super()._on_key(event)

    @property
    def _below(self) -> LineList:
        return self.query_ancestor(Vertical).query_one(LineList)

    def action_in_list(self, steps: int) -> None:
        """Move in the list below."""
        self._below.move(steps)


class TypedScope(LineInput):
    """The scope in its typed form."""

    HELP = 'Scope words: type: ws: tag: entity: facet:name=value archived:yes as-of:, spaces in "quotes".'


class ScopeBuilder(Vertical):
    """Typed form, field to narrow by, values, and what the conditions remove. Posts `ScopeEdited`."""

    DEFAULT_CSS = (styles_folder() / "scope.tcss").read_text(encoding="utf-8")

    def __init__(self, look: Look, *, id: str | None = None) -> None:
        super().__init__(id=id, classes="builder")
        self._look = look
        self._scope: Scope | None = None
        self._counts: ScopeCounts | None = None
        self._removed: tuple[Removed, ...] = ()
        self._sections: tuple[scoping.Section, ...] = ()
        self._opened: frozenset[tuple[str, str]] = frozenset()
        self.border_title = Content("scope")
        self.border_subtitle = Content("space choose, / narrow, esc close")

    def compose(self) -> ComposeResult:
        """From the typed form down to the sums."""
        yield TypedScope(placeholder="type:arc ws:name tag:name facet:name=value", id="typed-scope")
        yield Narrow(placeholder="narrow: type a piece of a value", id="narrow")
        yield ValueList(self._look, id="values")
        yield Static(id="removes")

    @property
    def values(self) -> ValueList:
        """The list."""
        return self.query_one(ValueList)

    @property
    def narrow(self) -> Narrow:
        """The field to narrow by."""
        return self.query_one(Narrow)

    @property
    def typed(self) -> TypedScope:
        """The typed form."""
        return self.query_one(TypedScope)

    def show(self, scope: Scope, counts: ScopeCounts | None, removed: tuple[Removed, ...]) -> None:
        """Draw this scope with its counts; None keeps the counts shown until those of the scope come."""
        if (scope, removed) == (self._scope, self._removed) and counts in (None, self._counts):
            return
        first = self._counts is None
        self._removed = removed
        self._counts = counts or self._counts
        self._sections = scoping.sections(self._counts, scope)
        if scope != self._scope and not self.typed.has_focus:
            self._write(scope)
        self._scope = scope
        self._list(top=first)
        self.query_one("#removes", Static).update(removes_text(scope, removed, self._counts))

    def _write(self, scope: Scope) -> None:
        field = self.typed
        with field.prevent(Input.Changed):
            field.value = format_scope(scope)
            field.cursor_position = len(field.value)

    def _list(self, *, top: bool = False) -> None:
        scope = self._scope or Scope()
        lines = scoping.choices(self._sections, scope, self.narrow.value, self._opened)
        self.values.show(lines, top=top)

    def on_input_changed(self, event: Input.Changed) -> None:
        """Narrowed; the typed form waits for Enter, because half a condition would empty the list."""
        event.stop()
        if event.input is self.narrow:
            self._list(top=True)

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Choose what the cursor is on, or take the scope as typed."""
        event.stop()
        if event.input is self.narrow:
            self.values.action_choose()
            return
        try:
            scope = parse_scope(event.value)
        except UsageError as error:
            self.notify(line(str(error)).plain, title="scope", severity="warning", markup=False)
            return
        self.values.focus()
        self.post_message(ScopeEdited(scope))

    def on_line_list_chosen(self, event: LineList.Chosen) -> None:
        """Choose or unchoose a value, list the rest of a section, or write an as-of."""
        event.stop()
        choice = self.values.choices[event.row]
        scope = self._scope or Scope()
        if choice.kind == "more":
            self._opened |= {(choice.axis, choice.name)}
            self._list()
        elif choice.kind == "write":
            text = format_scope(scope)
            self.typed.value = f"{text} as-of:".lstrip()
            self.typed.cursor_position = len(self.typed.value)
            self.typed.focus()
        else:
            made = scoping.toggled(scope, choice.axis, choice.name, choice.value)
            # Shown at once: the next key may come before the view has answered, and builds on this scope.
            self.show(made, None, ())
            self.post_message(ScopeEdited(made))

    def on_line_list_pointed(self, event: LineList.Pointed) -> None:
        """Nothing outside the list follows its cursor."""
        event.stop()

    def step_back(self) -> bool:
        """From a field into the list; an unfinished typed form goes back to the scope that holds. False
        where the list has the focus."""
        if self.typed.has_focus and self._scope is not None:
            self._write(self._scope)
        if self.typed.has_focus or self.narrow.has_focus:
            self.values.focus()
            return True
        return False


def choice_text(choice: scoping.Choice, look: Look, width: int) -> Text:
    """One line of the builder in at most `width` cells."""
    if choice.kind == "heading":
        said = line(f"  {choice.value}" if choice.name else choice.value, BOLD)
        rule = span(f"  {choice.rule}", DIM)
        return cut(cut(said, max(8, width - rule.cell_len), look).append_text(rule), width, look)
    if choice.kind == "more":
        what = "more" if choice.name or choice.axis != "facet" else "more facet names"
        return cut(span(f"    {choice.count:,} {what}; Enter lists them", DIM), width, look)
    if choice.kind == "write":
        return cut(span("    Enter writes one: as-of:2026-01-01", DIM), width, look)
    one = choice.axis in ("ws", "entity", "archived", "as-of")
    box = ("(x) " if choice.chosen else "( ) ") if one else ("[x] " if choice.chosen else "[ ] ")
    said = line(choice.value or "-")
    if choice.axis == "archived":
        said = Text(_ARCHIVED[choice.value])
    counted = "" if choice.count is None else f"{choice.count:,}"
    room = max(1, width - len(box) - max(COUNT, len(counted) + 1))
    text = span(box, BOLD if choice.chosen else "").append_text(cut(said, room, look))
    text.append(" " * max(1, width - text.cell_len - len(counted)))
    return cut(text.append(counted, "" if choice.count else DIM), width, look)


def removes_text(scope: Scope, removed: tuple[Removed, ...], counts: ScopeCounts | None) -> Text:
    """How many memories are in scope, what each condition removes, and which scope words state none."""
    rows = [] if counts is None else [span(f"{counts.total:,} in scope", BOLD)]
    rows += [line(scoping.removed_words(each), DIM) for each in removed if each.alone]
    rows += [line(f"ignored: {word}", DIM) for word in scoping.ignored(scope)]
    return Text("\n").join(rows)
