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
    Act("query.focus", "slash", "focus_query", "query", "Write the query", ("search", "pack")),
    Act("memory.find", "slash", "find", "find", "Find words inside the text", ("memory",)),
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
    Act(
        "scope.edit",
        "f",
        "edit_scope",
        "scope",
        "Build the scope: every value with its count, and the typed form",
        ("search", "pack"),
    ),
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
    Act(
        "scope.archived",
        "a",
        "include_archived",
        "archived",
        "Include archived memories, or leave them out again",
        ("search", "pack"),
        False,
    ),
    Act("chip.next", "right", "chip(1)", "next chip", "To the next condition", ("chip",), False),
    Act("chip.previous", "left", "chip(-1)", "previous chip", "To the condition before", ("chip",), False),
    Act(
        "browse.sort",
        "s",
        "sort",
        "sort",
        "Sort: Browse by the next column, ranks by an arm or a stage",
        ("search",),
    ),
    Act("rank.rest", "p", "rest", "pool", "Show the rest of the pool, passed over", ("search",)),
    Act("rank.columns", "c", "columns", "columns", "Choose the columns of the ranks", ("search",), False),
    Act(
        "rank.more",
        "m",
        "more",
        "more",
        "Ask for 10 more hits: a new request, because the pool grows with the limit",
        ("search",),
        False,
    ),
    Act(
        "request.copy",
        "y",
        "copy_request",
        "copy request",
        "Copy the request as one line of text (OSC 52); pasted into the query it asks the same",
        ("search",),
        False,
    ),
    Act(
        "hop",
        "h",
        "hop",
        "hop",
        "Follow a value of the memory (entity, tag, facet, workspace) into a scope",
        ("search", "pack", "memory"),
    ),
    Act(
        "request.back",
        "less_than_sign",
        "travel(-1)",
        "request before",
        "Back to the request before",
        ("search", "pack", "memory"),
        False,
    ),
    Act(
        "request.forward",
        "greater_than_sign",
        "travel(1)",
        "request after",
        "Forward to the request after",
        ("search", "pack", "memory"),
        False,
    ),
    Act(
        "queries",
        "H,f4",
        "queries",
        "queries",
        "Find an earlier query and ask it again",
        ("search", "pack", "memory"),
        False,
    ),
    Act("browse.turn", "S", "turn", "turn", "Turn the order of Browse round", ("search",), False),
    Act("browse.next", "full_stop", "page(1)", "next page", "The next page of Browse", ("search",), False),
    Act(
        "browse.previous",
        "comma",
        "page(-1)",
        "previous page",
        "The page of Browse before",
        ("search",),
        False,
    ),
    Act("budget.less", "left_square_bracket", "budget(-1)", "less", "Take 1,000 from the budget", ("pack",)),
    Act("budget.more", "right_square_bracket", "budget(1)", "more", "Add 1,000 to the budget", ("pack",)),
    Act("budget.type", "b", "type_budget", "budget", "Type the budget of this envelope", ("pack",)),
    Act(
        "budget.threshold_down",
        "left_curly_bracket",
        "threshold(-1)",
        "threshold down",
        "The budget to just below where a tier changes",
        ("pack",),
        False,
    ),
    Act(
        "budget.threshold_up",
        "right_curly_bracket",
        "threshold(1)",
        "threshold",
        "The budget to where the next tier changes",
        ("pack",),
    ),
    Act(
        "pack.cap_less",
        "left_parenthesis",
        "cap(-1)",
        "lower cap",
        "One full quote fewer per entity",
        ("pack",),
        False,
    ),
    Act(
        "pack.cap_more",
        "right_parenthesis",
        "cap(1)",
        "higher cap",
        "One full quote more per entity",
        ("pack",),
        False,
    ),
    Act("pack.order", "O", "order", "order", "Pack order: fused or diversified", ("pack",)),
    Act(
        "pack.keep",
        "B",
        "keep",
        "keep",
        "Keep this pack and show what changes from it; again lets go",
        ("pack",),
    ),
    Act(
        "copy",
        "y",
        "copy",
        "copy",
        "Send the text to the terminal's clipboard",
        ("pack", "memory"),
    ),
    Act(
        "export",
        "E",
        "export",
        "export",
        "Write the text to a file outside the store",
        ("pack", "memory"),
        False,
    ),
    Act(
        "memory.links", "l", "links", "links", "To the links, neighbours and versions, and back", ("memory",)
    ),
    Act(
        "memory.follow",
        "space",
        "follow",
        "follow",
        "Look at what the cursor of the links stands on; writes nothing",
        ("memory",),
    ),
    Act(
        "memory.like",
        "L",
        "like",
        "like this",
        "Search for what is like this memory, by its stored vector",
        ("memory",),
    ),
    Act(
        "memory.source",
        "v",
        "source",
        "source",
        "Between the text and the file as it is, hidden characters written out",
        ("memory",),
    ),
    Act(
        "memory.edit",
        "e",
        "edit",
        "edit",
        "Edit the file in VISUAL or EDITOR, then re-index",
        ("memory",),
        False,
    ),
    Act("around.down", "j,down", "choose(1)", "down", "Next link or version", ("around",), False),
    Act("around.up", "k,up", "choose(-1)", "up", "Previous link or version", ("around",), False),
    Act("around.first", "g,home", "choose_end(-1)", "first", "First link", ("around",), False),
    Act("around.last", "G,end", "choose_end(1)", "last", "Last version", ("around",), False),
    Act("around.page_down", "pagedown", "page_down", "page down", "A screenful on", ("around",), False),
    Act("around.page_up", "pageup", "page_up", "page up", "A screenful back", ("around",), False),
    Act("pack.text", "t", "swap", "text", "Between the list and the exact text", ("pack",)),
    Act("run.again", "r", "run_again", "run", "Run the request again", ("search", "pack", "health"), False),
    Act(
        "switches.open",
        "d",
        "open_switches",
        "outages",
        "Play outages: what becomes of the answer without embedder, arms or state plane",
        ("search", "pack"),
        False,
    ),
    Act("switch.turn", "enter,space", "choose", "turn", "Turn this switch", ("switch-list",)),
    Act("switches.back", "X", "put_back", "put back", "Turn every switch off again", ("switches",)),
    Act("problem.peek", "enter,space", "choose", "peek", "Look at the refused file", ("problems",)),
    Act(
        "go_to",
        "colon",
        "go_to",
        "go to",
        "Go to a memory by a piece of its path or title; a peek, writes nothing",
        ("search", "pack", "memory"),
        False,
    ),
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
    Act(
        "choice.toggle",
        "space,enter",
        "choose",
        "choose",
        "Choose the line under the cursor, or take the choice back",
        ("values", "places"),
        shown_as="space",
    ),
    Act("choice.next", "right", "section(1)", "next section", "To the next section", ("values",)),
    Act("choice.previous", "left", "section(-1)", "previous", "To the section before", ("values",), False),
    Act("lines.down", "j,down", "cursor(1)", "down", "Next line", ("lines",), False),
    Act("lines.up", "k,up", "cursor(-1)", "up", "Previous line", ("lines",), False),
    Act("lines.first", "g,home", "edge(0)", "first", "First line", ("lines",), False),
    Act("lines.last", "G,end", "edge(-1)", "last", "Last line", ("lines",), False),
    Act("lines.page_down", "pagedown", "screenful(1)", "page down", "A screenful on", ("lines",), False),
    Act("lines.page_up", "pageup", "screenful(-1)", "page up", "A screenful back", ("lines",), False),
    Act("narrow.down", "down", "in_list(1)", "down", "Next line of the list below", ("narrow",), False),
    Act("narrow.up", "up", "in_list(-1)", "up", "Previous line of the list below", ("narrow",), False),
    Act("narrow.page_down", "pagedown", "in_list(9)", "page down", "Lines on below", ("narrow",), False),
    Act("narrow.page_up", "pageup", "in_list(-9)", "page up", "Lines back below", ("narrow",), False),
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
    Act("view.health", "5", "view('health')", "Health", "The Health view: index and store", ("app",), False),
    Act("jump", "ctrl+o", "jump", "jump", "A letter on every pane: press one to go there", ("app",), False),
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
        "less_than_sign": "<",
        "greater_than_sign": ">",
        "colon": ":",
        "comma": ",",
        "full_stop": ".",
        "plus": "+",
        "minus": "-",
        "left_square_bracket": "[",
        "right_square_bracket": "]",
        "left_curly_bracket": "{",
        "right_curly_bracket": "}",
        "left_parenthesis": "(",
        "right_parenthesis": ")",
        "question_mark": "?",
        "escape": "esc",
        "enter": "Enter",
        "f1": "F1",
        "f4": "F4",
    }
    return " ".join(names.get(key, key) for key in act.keys.split(","))
