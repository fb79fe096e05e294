"""Every action a person can take, with its id, key, footer label and help line (DESIGN 9, the key table).

Screens and panes take their bindings from here, the palette and the help read the same table, so that the
three cannot differ. An action that a later view brings is not listed before it works.
"""

from __future__ import annotations

from dataclasses import dataclass

from textual.binding import Binding


@dataclass(frozen=True, slots=True)
class Act:
    """One action. `keys` is Textual's notation, several joined with commas; `where` names the places that
    bind it."""

    id: str
    keys: str
    action: str
    label: str
    help: str
    where: tuple[str, ...]
    footer: bool = True
    shown_as: str = ""


ACTS: tuple[Act, ...] = (
    Act("query.focus", "slash", "focus_query", "query", "Write the query", ("search", "pack", "memory")),
    Act(
        "memory.open",
        "enter,o",
        "open('neutral')",
        "open",
        "Open the memory: counts one use, unless it was opened in the last 15 minutes",
        ("rows", "memory"),
        shown_as="Enter",
    ),
    Act(
        "memory.helpful",
        "plus",
        "open('positive')",
        "helpful",
        "Open it and judge it helpful",
        ("rows", "memory"),
        shown_as="+",
    ),
    Act(
        "memory.misleading",
        "minus",
        "open('negative')",
        "misleading",
        "Open it and judge it misleading",
        ("rows", "memory"),
        shown_as="-",
    ),
    Act("memory.peek", "space", "peek", "peek", "Look at the memory; writes nothing", ("rows",)),
    Act("memory.next", "right", "step(1)", "next", "Peek at the next memory of the list", ("memory",)),
    Act(
        "memory.previous",
        "left",
        "step(-1)",
        "previous",
        "Peek at the previous memory of the list",
        ("memory",),
    ),
    Act("scope.edit", "f", "edit_scope", "scope", "Write the scope in one line", ("search", "pack")),
    Act(
        "scope.remove",
        "x",
        "remove_chip",
        "drop chip",
        "Remove the last condition of the scope, or the one in focus",
        ("search", "pack"),
        footer=False,
    ),
    Act(
        "scope.clear", "X", "clear_scope", "clear scope", "Remove every condition", ("search", "pack"), False
    ),
    Act("browse.sort", "s", "sort", "sort", "Sort Browse by the next column", ("search",)),
    Act("budget.less", "left_square_bracket", "budget(-1)", "less", "Take 1,000 from the budget", ("pack",)),
    Act("budget.more", "right_square_bracket", "budget(1)", "more", "Add 1,000 to the budget", ("pack",)),
    Act("budget.type", "b", "type_budget", "budget", "Type the budget of this envelope", ("pack",)),
    Act("pack.text", "t", "swap", "text", "Between the list and the exact text", ("pack",)),
    Act("run.again", "r", "run_again", "run", "Run the request again", ("search", "pack"), False),
    Act(
        "index.update",
        "ctrl+r",
        "reindex",
        "re-index",
        "Bring the index up to date with the store",
        ("app",),
        False,
    ),
    Act("list.down", "j,down", "cursor_down", "down", "Next row", ("rows",), False),
    Act("list.up", "k,up", "cursor_up", "up", "Previous row", ("rows",), False),
    Act("list.first", "g,home", "scroll_top", "first", "First row", ("rows",), False),
    Act("list.last", "G,end", "scroll_bottom", "last", "Last row", ("rows",), False),
    Act("list.page_down", "pagedown", "page_down", "page down", "A screenful on", ("rows",), False),
    Act("list.page_up", "pageup", "page_up", "page up", "A screenful back", ("rows",), False),
    Act("text.down", "j,down", "scroll_down", "down", "One line down", ("text",), False),
    Act("text.up", "k,up", "scroll_up", "up", "One line up", ("text",), False),
    Act("text.first", "g,home", "scroll_home", "top", "To the top", ("text",), False),
    Act("text.last", "G,end", "scroll_end", "end", "To the end", ("text",), False),
    Act("text.page_down", "pagedown", "page_down", "page down", "A screenful on", ("text",), False),
    Act("text.page_up", "pageup", "page_up", "page up", "A screenful back", ("text",), False),
    Act("view.search", "1", "view('search')", "Search", "The Search view", ("app",), False),
    Act(
        "view.pack", "2", "view('pack')", "Pack", "The Pack view: what the agent would read", ("app",), False
    ),
    Act("view.memory", "3", "view('memory')", "Memory", "The Memory view", ("app",), False),
    Act("back", "escape", "back", "back", "Close, else one step back, else the query; never quits", ("app",)),
    Act("help", "f1,question_mark", "help", "help", "This help", ("app",), shown_as="F1"),
    Act(
        "stop",
        "ctrl+c",
        "stop",
        "stop",
        "Stop a running search; copies a selection in a text field; else says how to quit",
        ("app",),
        False,
    ),
    Act("quit", "ctrl+q", "quit", "quit", "Leave", ("app",)),
)
"""The closed list; an id stands once."""


def bindings(where: str) -> list[Binding]:
    """The bindings of one place ("app", a screen, "rows", "text")."""
    return [
        Binding(
            act.keys,
            act.action,
            act.label,
            show=act.footer,
            id=act.id,
            key_display=act.shown_as or None,
            priority=act.id == "quit",
        )
        for act in ACTS
        if where in act.where
    ]


def acts(*where: str) -> list[Act]:
    """The actions of several places, each once, in the order of the table."""
    return [act for act in ACTS if set(where) & set(act.where)]


def key_text(act: Act) -> str:
    """The keys of an action as a person reads them."""
    names = {
        "slash": "/",
        "plus": "+",
        "minus": "-",
        "left_square_bracket": "[",
        "right_square_bracket": "]",
        "question_mark": "?",
        "escape": "esc",
        "enter": "Enter",
        "f1": "F1",
    }
    return " ".join(names.get(key, key) for key in act.keys.split(","))
