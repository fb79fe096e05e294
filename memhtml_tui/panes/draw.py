"""Drawing tools that every pane shares: stored text to lines, matched words, wrapping with a hanging label.

The only way from stored text to the screen is `line` or `block`: cleaned, never parsed as markup (DESIGN
3, `text.py`).
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from rich.cells import cell_len, set_cell_size
from rich.style import Style
from rich.text import Text

from memhtml_tui.look import Look
from memhtml_tui.text import clean, one_line

DIM = Style(dim=True)
BOLD = Style(bold=True)
MATCH = Style(bold=True, underline=True)

_WORD = re.compile(r"[^\W_]+")
_JOINING = frozenset("\u200d\ufe0e\ufe0f\U0001f3fb\U0001f3fc\U0001f3fd\U0001f3fe\U0001f3ff")
_TERM = re.compile(r'"([^"]*)"|([^\s"()]+)')


@dataclass(frozen=True)
class Line:
    """One logical line of a text view: a label that stands once, and a body that wraps beside it."""

    body: Text
    label: Text = field(default_factory=Text)
    indent: int = 0


def span(text: str, style: Style | str = "") -> Text:
    """Our own words in a style that ends with them: a `Text`'s own style would cover what is appended."""
    return Text().append(text, style)


def line(text: str, style: Style | str = "") -> Text:
    """Stored text on a single line: every white space run is one space."""
    return span(one_line(text), style)


def block(text: str, style: Style | str = "") -> list[Text]:
    """Stored text as lines; tabs become two spaces."""
    return [span(part, style) for part in clean(text).replace("\t", "  ").split("\n")]


def cut(text: Text, width: int, look: Look) -> Text:
    """`text` in at most `width` cells, with a sign where it was cut."""
    if width <= 0:
        return Text()
    if cell_len(text.plain) <= width:
        return text
    head = set_cell_size(text.plain, width - 1).rstrip()
    if text.plain.startswith(head):
        result = text[: _between(text.plain, 0, len(head))]
    else:
        result = span(head, text.style)
    result.append(look.ellipsis)
    return result


def _between(plain: str, start: int, end: int) -> int:
    """`end`, moved back towards `start` until it parts no flag, joined emoji or accented letter.

    Half a flag is a letter, half a family somebody else. Gives `start` where one cluster fills all of it.
    """
    place = end
    while start < place < len(plain) and _inside(plain, place):
        place -= 1
    return place


def _inside(plain: str, place: int) -> bool:
    after, before = plain[place], plain[place - 1]
    if after in _JOINING or before == "\u200d" or unicodedata.combining(after):
        return True
    flags = 0
    while place > flags and "\U0001f1e6" <= plain[place - flags - 1] <= "\U0001f1ff":
        flags += 1
    return flags % 2 == 1 and "\U0001f1e6" <= after <= "\U0001f1ff"


def join(parts: Iterable[Text], separator: str) -> Text:
    """Parts with a separator between them, the empty ones left out."""
    return span(separator, DIM).join([part for part in parts if part.plain])


def pair(label: str, body: Text | str, width: int = 10) -> Line:
    """A dim label in a column of `width`, and what stands beside it."""
    text = body if isinstance(body, Text) else Text(body)
    return Line(text, span(label.ljust(width)[:width], DIM), width)


def fold(word: str) -> str:
    """A word as the full text index compares it: lower case, without diacritics."""
    decomposed = unicodedata.normalize("NFKD", word.casefold())
    return "".join(c for c in decomposed if not unicodedata.combining(c))


def query_words(match: str) -> frozenset[str]:
    """The words of a MATCH form, folded (`Outcome.forms.used`; the joiners AND and OR are not words).

    One ASCII letter or digit is left out: `a` stands everywhere, and a mark on it says nothing.
    """
    found: set[str] = set()
    for phrase, bare in _TERM.findall(match):
        if bare in ("AND", "OR"):
            continue
        found.update(fold(word) for word in _WORD.findall(phrase or bare))
    return frozenset(word for word in found if len(word) > 1 or not word.isascii())


def marked(text: Text, words: frozenset[str], look: Look) -> Text:
    """`text` with every word of `words` marked by style and by signs around it."""
    if not words:
        return text
    result = Text(style=text.style)
    reached = 0
    for match in _WORD.finditer(text.plain):
        if fold(match.group()) not in words:
            continue
        result.append_text(text[reached : match.start()])
        result.append(look.open_quote, DIM)
        result.append(match.group(), MATCH)
        result.append(look.close_quote, DIM)
        reached = match.end()
    result.append_text(text[reached:])
    return result


def wrapped(lines: Sequence[Line], width: int) -> list[Text]:
    """The lines as rows of at most `width` cells; labels on the first row of their line."""
    rows: list[Text] = []
    for item in lines:
        indent = min(item.indent, max(0, width - 8))
        body = item.body if indent else Text().append_text(item.label).append_text(item.body)
        parts = _wrap(body, max(1, width - indent))
        for number, part in enumerate(parts):
            row = Text()
            if indent:
                label = item.label.copy() if number == 0 else Text()
                label.truncate(indent, pad=True)
                row.append_text(label)
            row.append_text(part)
            rows.append(row)
    return rows


def _wrap(text: Text, width: int) -> list[Text]:
    """Break at spaces, a longer word at the width; cells, not characters. No row is empty but that of
    empty text."""
    if cell_len(text.plain) <= width:
        return [text]
    rows: list[Text] = []
    start = 0
    plain = text.plain
    while start < len(plain):
        end = start
        cells = 0
        last_space = -1
        while end < len(plain):
            size = cell_len(plain[end])
            if cells + size > width:
                break
            if plain[end] == " ":
                last_space = end
            cells += size
            end += 1
        if end < len(plain) and plain[end] != " " and last_space > start:
            end = last_space
        between = _between(plain, start, end)
        end = between if between > start else max(end, start + 1)
        rows.append(text[start:end])
        start = end
        while start < len(plain) and plain[start] == " ":
            start += 1
    return rows
