"""The bytes of a file for reading: every character that a terminal would act on or hide is written out.

Escapes are those of a programmer's string (`\\x1b`, `\\u202e`), marked by style, so that a file can be
judged without being obeyed.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from rich.text import Text

from memhtml_tui.look import Look
from memhtml_tui.panes.beside import version_text
from memhtml_tui.panes.draw import BOLD, DIM, Line, line, pair, span

if TYPE_CHECKING:
    from memhtml_core.browse.history import Diff, Version

MAX_SHOWN: Final = 64_000
"""Characters of a source that are drawn."""

MAX_DIFF: Final = 2_000
"""Lines of a diff that are drawn."""

_HIDDEN = re.compile(
    "[\x00-\x1f\x7f-\xa0\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2028-\u202f"
    "\u205f-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff9-\ufffb\ud800-\udfff\U000e0000-\U000e0fff]"
)


def visible(text: str, look: Look) -> Text:
    """One line of text with every hidden character written out and marked; nothing is left out."""
    made = Text()
    reached = 0
    mark = look.style("warning", bold=True)
    for match in _HIDDEN.finditer(text):
        made.append(text[reached : match.start()])
        made.append(_written(match.group(), look), mark)
        reached = match.end()
    return made.append(text[reached:])


def _written(character: str, look: Look) -> str:
    number = ord(character)
    if character == "\t":
        return look.sign("→   ", "\\t  ")
    if character == "\r":
        return "\\r"
    if 0xDC80 <= number <= 0xDCFF:
        return f"\\x{number - 0xDC00:02x}"
    if number < 0x100:
        return f"\\x{number:02x}"
    return f"\\u{number:04x}" if number < 0x10000 else f"\\U{number:08x}"


def source_lines(data: bytes, look: Look) -> list[Line]:
    """A file's bytes as numbered lines; bytes that are no UTF-8 are written as bytes."""
    text = data.decode("utf-8", "surrogateescape")
    shown = text[:MAX_SHOWN]
    rows = shown.split("\n")
    if rows and not rows[-1] and len(text) <= MAX_SHOWN:
        rows.pop()
    wide = len(str(max(1, len(rows)))) + 1
    lines = [
        Line(visible(row, look), span(f"{number:>{wide - 1}} ", DIM), wide)
        for number, row in enumerate(rows, 1)
    ]
    lines = lines or [Line(span("an empty file", DIM))]
    if len(text) > MAX_SHOWN:
        lines.append(Line(span(f"{len(text) - MAX_SHOWN:,} more characters; e opens the whole file", DIM)))
    elif data and not data.endswith(b"\n"):
        lines.append(Line(span("no line end at the end of the file", DIM)))
    return lines


def between_lines(diff: Diff, look: Look) -> list[Line]:
    """Two versions: which, how much, and the changed places with the lines around them."""
    lines = [
        pair("newer", _version(diff.newer, look), 7),
        pair("older", _version(diff.older, look), 7),
    ]
    if diff.older is not None and diff.older.path != diff.newer.path:
        moved = line(diff.older.path).append(look.sign(" → ", " -> "), DIM).append_text(line(diff.newer.path))
        lines.append(pair("moved", moved, 7))
    if diff.state:
        return [*lines, Line(Text()), Line(span(diff.state, BOLD))]
    lines.append(pair("lines", Text(f"{diff.added} added, {diff.removed} removed"), 7))
    if diff.coarse:
        lines.append(
            Line(span("too much differs to compare line by line: the middle counts as replaced", DIM))
        )
    hues = {"+": look.style("success"), "-": look.style("error")}
    shown = 0
    for hunk in diff.hunks():
        first = hunk[0]
        lines.append(Line(span(f"{look.sign('─', '-') * 4} line {first.new or first.old}", DIM)))
        for each in hunk:
            if shown == MAX_DIFF:
                return [*lines, Line(span("the rest of the diff is not drawn", DIM))]
            body = visible(each.text, look)
            if each.sign != " ":
                body.style = hues[each.sign]
            lines.append(Line(body, span(f"{each.sign} ", hues.get(each.sign, DIM)), 2))
            shown += 1
    return lines


def _version(version: Version | None, look: Look) -> Text:
    if version is None:
        return span("nothing: before the file was made", DIM)
    text = line(version.at[:16].replace("T", " "), DIM)
    return text.append(" " if text.plain else "").append_text(version_text(version, look))
