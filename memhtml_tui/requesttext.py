"""A request as one line of text, `memhtml-tui search ...`, and back: to copy, to paste, to run in a shell.

The line is the command line itself: what it means is read by the parser of the commands, so it gives the same
answer there. Nothing in it acts on a terminal: whatever is not printable is written as `\\uXXXX` inside
`$'...'`, which bash and zsh read back.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import TYPE_CHECKING

from memhtml_core.errors import UsageError

if TYPE_CHECKING:
    from memhtml_core.rank.request import Ranking, Request, Scope

NAME = "memhtml-tui"
COMMANDS = ("search", "recall")

_SAFE = re.compile(r"[A-Za-z0-9_@%+=:,./-]+")
_ENDING = ("-h", "--help", "--version")
_ESCAPES = {
    "n": "\n",
    "r": "\r",
    "t": "\t",
    "a": "\a",
    "b": "\b",
    "e": "\x1b",
    "f": "\f",
    "v": "\v",
    "\\": "\\",
    "'": "'",
    '"': '"',
}
_CODE = re.compile(r"u([0-9A-Fa-f]{1,4})|U([0-9A-Fa-f]{1,8})|x([0-9A-Fa-f]{1,2})")
_SPECIAL_IN_DOUBLE = '"\\$`'


def format_request(
    request: Request,
    *,
    store: str | None = None,
    clock: bool = True,
    more: Mapping[str, str] = MappingProxyType({}),
) -> str:
    """The line that asks for the same answer.

    `parse_request` gives the request back, save for what its kind does not read: a search has no budgets.
    With `store` the line names the store's folder, and `more` are further flags with their values; without
    `clock` the instant of asking is left out, so the line asks anew. Raises `UsageError` for a simulated
    outage that is no switch.
    """
    words = [NAME, request.kind]
    if store is not None:
        words += _flag("--store", store)
    for flag, value in more.items():
        words += _flag(flag, value)
    words += _scope_words(request.scope)
    if request.limit != 10:
        words += _flag("--limit", str(request.limit))
    words += _ranking_words(request)
    if request.like:
        words += _flag("--like", request.like)
    if clock:
        words += _flag("--now", repr(float(request.now)))
    if request.query:
        words += ["--"] if request.query.startswith("-") else []
        words.append(_quoted(request.query))
    return " ".join(words)


def parse_request(line: str) -> Request:
    """The request that a line asks for; flags that are no part of a request are passed over.

    Raises `UsageError` for anything that is no `search` or `recall` command line.
    """
    from memhtml_tui import cli
    from memhtml_tui.commands import flags

    words = split(line)
    if words and words[0].rpartition("/")[2] == NAME:
        del words[0]
    before = words[: words.index("--")] if "--" in words else words
    if any(word.startswith(_ENDING) for word in before):
        raise UsageError("a line that asks for help is no request", subject=line.strip())
    args = cli.parse(words)
    if args.command not in COMMANDS:
        raise UsageError("no request", subject=line.strip(), remedy=f"Paste a `{NAME} search ...` line")
    return flags.request_of(args, args.command)


def as_read(request: Request) -> Request:
    """The request without what its kind does not read: what `parse_request` gives back."""
    from memhtml_core.rank.request import Ranking

    if request.kind == "recall":
        return request
    plain = Ranking()
    return replace(
        request,
        ranking=replace(
            request.ranking,
            arcs_budget=plain.arcs_budget,
            memories_budget=plain.memories_budget,
            per_entity=plain.per_entity,
            pack_order=plain.pack_order,
        ),
    )


def split(line: str) -> list[str]:
    """The words of a shell command line: bare, '...', "..." and $'...'; nothing is expanded.

    Raises `UsageError` where a quote is not closed.
    """
    words: list[str] = []
    word: list[str] | None = None
    at = 0
    while at < len(line):
        character = line[at]
        if character in " \t\n":
            if word is not None:
                words.append("".join(word))
            word, at = None, at + 1
            continue
        word = [] if word is None else word
        part, at = _part(line, at)
        word.append(part)
    if word is not None:
        words.append("".join(word))
    return words


def _part(line: str, at: int) -> tuple[str, int]:
    """The next piece of a word, and where it ends."""
    if line.startswith("$'", at):
        return _escaped(line, at + 2)
    if line[at] == "'":
        end = line.find("'", at + 1)
        if end < 0:
            raise _unclosed(line)
        return line[at + 1 : end], end + 1
    if line[at] == '"':
        return _double(line, at + 1)
    if line[at] == "\\":
        return line[at + 1 : at + 2], at + 2
    return line[at], at + 1


def _double(line: str, at: int) -> tuple[str, int]:
    found: list[str] = []
    while at < len(line):
        if line[at] == '"':
            return "".join(found), at + 1
        if line[at] == "\\" and line[at + 1 : at + 2] in _SPECIAL_IN_DOUBLE and at + 1 < len(line):
            at += 1
        found.append(line[at])
        at += 1
    raise _unclosed(line)


def _escaped(line: str, at: int) -> tuple[str, int]:
    found: list[str] = []
    while at < len(line):
        if line[at] == "'":
            return "".join(found), at + 1
        if line[at] != "\\":
            found.append(line[at])
            at += 1
            continue
        code = _CODE.match(line, at + 1)
        if code:
            number = int(code[1] or code[2] or code[3], 16)
            if number > 0x10FFFF:
                raise UsageError("no character has this number", subject=code.group())
            found.append(chr(number))
            at = code.end()
        else:
            found.append(_ESCAPES.get(line[at + 1 : at + 2], line[at : at + 2]))
            at += 2
    raise _unclosed(line)


def _unclosed(line: str) -> UsageError:
    return UsageError("a quote is not closed", subject=line.strip(), remedy="Paste the whole line")


def _scope_words(scope: Scope) -> list[str]:
    from memhtml_core.rank.typed import format_scope

    words: list[str] = []
    if not _fits_flags(scope):
        words += _flag("--scope", format_scope(scope))
        return words if scope.entity != "" else [*words, *_flag("--entity", "")]
    for name in scope.memory_types:
        words += _flag("--type", name)
    if scope.workspace:
        words += _flag("--workspace", scope.workspace)
    for tag in scope.tags:
        words += _flag("--tag", tag)
    if scope.entity is not None:
        words += _flag("--entity", scope.entity)
    for facet in scope.facets:
        words += _flag("--facet", f"{facet.name}={facet.value}")
    if scope.include_archived:
        words.append("--archived")
    if scope.as_of:
        words += _flag("--as-of", scope.as_of)
    return words


def _fits_flags(scope: Scope) -> bool:
    """Whether one flag a part says the same: `--facet` trims and splits at the first "=", and a command line
    swallows a bare "--".
    """
    from memhtml_core.rank.scope import parse_facet

    single = (*scope.memory_types, scope.workspace, *scope.tags, scope.entity, scope.as_of)
    plain = all(parse_facet(f"{facet.name}={facet.value}") == facet for facet in scope.facets)
    return plain and "--" not in single


def _ranking_words(request: Request) -> list[str]:
    from memhtml_core.rank.request import Ranking
    from memhtml_tui.commands.flags import coverage_floor

    ranking, plain = request.ranking, Ranking()
    words: list[str] = []
    for arm, weight in ranking.weights.items():
        words += _flag("--weight", f"{arm}={weight!r}")
    for arm in sorted(ranking.off):
        words += _flag("--without", arm)
    for flag, field in _FIELDS.items():
        value = getattr(ranking, field)
        if value != getattr(plain, field):
            words += _flag(flag, value if isinstance(value, str) else repr(value))
    if ranking.coverage_floor != plain.coverage_floor or coverage_floor(None) != plain.coverage_floor:
        words += _flag("--floor", repr(ranking.coverage_floor))
    words += [
        flag for flag, on in (("--no-polarity", not ranking.polarity), ("--no-mmr", not ranking.mmr)) if on
    ]
    if request.kind == "recall":
        words += _pack_words(ranking)
    for wording in dict.fromkeys(request.simulated.values()):
        words += _flag("--simulate", _switch(wording))
    return words


_FIELDS = {
    "--k": "k",
    "--arm-limit": "arm_limit",
    "--pool-factor": "pool_factor",
    "--recall-pool": "recall_pool",
    "--lambda": "mmr_lambda",
    "--twin-cosine": "twin_cosine",
    "--demotion": "demotion",
}
_PACK_FIELDS = {
    "--budget": "memories_budget",
    "--arcs-budget": "arcs_budget",
    "--per-entity": "per_entity",
    "--pack-order": "pack_order",
}


def _pack_words(ranking: Ranking) -> list[str]:
    from memhtml_core.rank.request import Ranking

    plain = Ranking()
    words: list[str] = []
    for flag, field in _PACK_FIELDS.items():
        value = getattr(ranking, field)
        if value != getattr(plain, field):
            words += _flag(flag, str(value))
    return words


def _switch(wording: str) -> str:
    from memhtml_core.rank.simulate import OUTAGES

    for outage in OUTAGES:
        if outage.reason is not None and outage.reason.value == wording:
            return outage.name
    raise UsageError("no switch plays this outage", subject=wording)


def _flag(flag: str, value: str) -> list[str]:
    """A flag and its value; joined by "=" where the value alone would read as a flag."""
    return [f"{flag}={_quoted(value)}"] if value.startswith("-") else [flag, _quoted(value)]


def _quoted(text: str) -> str:
    if _SAFE.fullmatch(text):
        return text
    if all(character.isprintable() for character in text):
        return "'" + text.replace("'", "'\"'\"'") + "'"
    return "$'" + "".join(map(_character, text)) + "'"


def _character(character: str) -> str:
    if character in "\\'":
        return "\\" + character
    if character.isprintable():
        return character
    number = ord(character)
    return f"\\u{number:04x}" if number <= 0xFFFF else f"\\U{number:08x}"
