r"""The typed form of a scope, and which words of a query line are scope (DESIGN 9).

A scope word is `key:value` without a space, where key is one of `type ws tag entity facet archived as-of`, in
lower case, at the start of the line or after white space:

    type:verdict ws:tide-works tag:fuel tag:"night shift" entity:"person:Robin Hale" facet:tier=1 archived:yes

* A value is bare (no white space, no quote, no backslash) or stands in double quotes, where `\"` is a quote,
  `\\` a backslash, `\n`, `\r` and `\t` the line ends and the tab, and `\uXXXX` (four hexadecimal digits) a
  character that no screen can show. `""` is the empty value; a bare empty value is none.
* `facet:` takes two such values around the first `=`; `archived:` takes `yes` alone.
* Several `type`, `tag` and `facet` words add up; of the others the last one counts.
* Everything else is query text. So `person:robin hale`, `Type:arc`, `archived:maybe` and `tag:` are words to
  search for, and so is anything inside a quoted phrase of the query.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace

from memhtml_core.errors import UsageError
from memhtml_core.plain import UNSHOWN
from memhtml_core.rank.request import FacetFilter, Scope

KEYS = ("type", "ws", "tag", "entity", "facet", "archived", "as-of")
"""The keys of scope words, in the order in which a scope is written out."""

_VALUE = r'(?:[^\s"\\]+|"(?:[^"\\]|\\.)*")'
_NAME = r'(?:[^\s"\\=]+|"(?:[^"\\]|\\.)*")'
_WORD = re.compile(
    rf"(?:(?P<key>type|ws|tag|entity|as-of):(?P<value>{_VALUE})"
    rf"|facet:(?P<name>{_NAME})=(?P<text>{_VALUE})"
    r"|(?P<archived>archived:yes))(?=\s|$)",
    re.DOTALL,
)
_BARE = re.compile(r'[^\s"\\]+')
_BARE_NAME = re.compile(r'[^\s"\\=]+')
_ESCAPE = re.compile(r"\\(?:u([0-9a-fA-F]{4})|(.))", re.DOTALL)
_TO_ESCAPE = re.compile(f'["\\\\\n\r\t]|{UNSHOWN.pattern}')
_ESCAPES = {"n": "\n", "r": "\r", "t": "\t"}
_ESCAPED = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t"}


@dataclass(frozen=True, slots=True)
class TypedLine:
    """A query line taken apart: what its scope words state, the text that is left to search for, and where
    in the line each scope word stands (start and end)."""

    scope: Scope
    query: str
    scope_words: tuple[str, ...]
    spans: tuple[tuple[int, int], ...] = ()


def split_line(line: str, base: Scope | None = None) -> TypedLine:
    """Take the scope words out of a query line; they add to `base` (default: the empty scope).

    Each scope word goes with the white space behind it; what is left keeps its own spacing, trimmed at both
    ends.
    """
    scope = base if base is not None else Scope()
    found: list[str] = []
    spans: list[tuple[int, int]] = []
    rest: list[str] = []
    place = 0
    fresh = True
    while place < len(line):
        match = _WORD.match(line, place) if fresh else None
        if match:
            scope = _with(scope, match)
            found.append(match.group())
            spans.append(match.span())
            place = match.end()
            while place < len(line) and line[place].isspace():
                place += 1
            continue
        end = _end_of_phrase(line, place)
        rest.append(line[place:end])
        fresh = line[end - 1].isspace()
        place = end
    return TypedLine(scope, "".join(rest).strip(), tuple(found), tuple(spans))


def parse_scope(text: str) -> Scope:
    """The scope that a line of scope words states. Raises `UsageError` for anything else on the line."""
    line = split_line(text)
    if line.query:
        raise UsageError(
            "not a scope word",
            subject=line.query,
            remedy="Use "
            + ", ".join(f"{key}:" for key in KEYS)
            + " with a value, in double quotes if it holds a space",
        )
    return line.scope


def format_scope(scope: Scope) -> str:
    """The scope as typed; `parse_scope` gives it back, save that an unset entity "" comes back as None."""
    return " ".join(scope_words(scope))


def scope_words(scope: Scope) -> tuple[str, ...]:
    """The scope word of each part, in the order of `KEYS`: what the chips of a scope line show."""
    words = [f"type:{_quoted(name)}" for name in scope.memory_types]
    if scope.workspace:
        words.append(f"ws:{_quoted(scope.workspace)}")
    words.extend(f"tag:{_quoted(tag)}" for tag in scope.tags)
    if scope.entity:
        words.append(f"entity:{_quoted(scope.entity)}")
    words.extend(f"facet:{_quoted(f.name, _BARE_NAME)}={_quoted(f.value)}" for f in scope.facets)
    if scope.include_archived:
        words.append("archived:yes")
    if scope.as_of:
        words.append(f"as-of:{_quoted(scope.as_of)}")
    return tuple(words)


_SETTERS: dict[str, Callable[[Scope, str], Scope]] = {
    "type": lambda scope, value: replace(scope, memory_types=(*scope.memory_types, value)),
    "ws": lambda scope, value: replace(scope, workspace=value),
    "tag": lambda scope, value: replace(scope, tags=(*scope.tags, value)),
    "entity": lambda scope, value: replace(scope, entity=value or None),
    "as-of": lambda scope, value: replace(scope, as_of=value),
}


def _with(scope: Scope, match: re.Match[str]) -> Scope:
    if match["archived"]:
        return replace(scope, include_archived=True)
    if match["key"]:
        return _SETTERS[match["key"]](scope, _plain(match["value"]))
    return replace(scope, facets=(*scope.facets, FacetFilter(_plain(match["name"]), _plain(match["text"]))))


def _end_of_phrase(line: str, place: int) -> int:
    """Behind the quoted phrase that starts here, or behind one character where none does."""
    if line[place] == '"':
        close = line.find('"', place + 1)
        if close >= 0:
            return close + 1
    return place + 1


def _plain(value: str) -> str:
    if not value.startswith('"'):
        return value
    return _ESCAPE.sub(
        lambda match: chr(int(match[1], 16)) if match[1] else _ESCAPES.get(match[2], match[2]), value[1:-1]
    )


def _quoted(value: str, bare: re.Pattern[str] = _BARE) -> str:
    if bare.fullmatch(value) and not UNSHOWN.search(value):
        return value
    return '"' + _TO_ESCAPE.sub(lambda match: _escaped(match.group()), value) + '"'


def _escaped(character: str) -> str:
    return _ESCAPED.get(character) or f"\\u{ord(character):04x}"
