"""`batch`: one JSON request a line in, one JSON answer a line out, the store kept open in between (DESIGN
10).

Request: `query` (required), `kind` search|recall, `mode` vector|lexical|fail, `scope` {memoryTypes,
workspace, tags, entity, facets [{name, value}], includeArchived, asOf}, `limit`, `budget`, `floor`, `now`,
and an `id` of any kind that comes back. A null is the same as a key left out; unknown keys are ignored.

Answer: `id, forms, matchUsed, armRanks, fused, polarity, result` as the recorded answers have them, and
beside them our own `missing` and, for a recall, `pack`. A line that is no request is answered with `id` and
`error`.
"""

from __future__ import annotations

import argparse
import json
import math
import sys
from dataclasses import replace
from typing import TYPE_CHECKING, Any, BinaryIO

from memhtml_core.errors import MemhtmlError, UsageError
from memhtml_tui.commands import flags
from memhtml_tui.commands.output import data_of
from memhtml_tui.commands.peer import number, recall_result, search_result
from memhtml_tui.commands.shapes import missing_shape, pack_shape

if TYPE_CHECKING:
    from memhtml_core.opened import OpenStore
    from memhtml_core.rank.outcome import MissingArm, Outcome
    from memhtml_core.rank.request import Kind, Ranking, Request, Scope
    from memhtml_tui.commands.output import Output

LONGEST_LINE = 4 * 1024 * 1024
"""Bytes of a request line beyond which it is refused unread."""

FORMAT = (__doc__ or "").partition("\n\n")[2]
EXAMPLE = """example:
  echo '{"id": 1, "query": "one writer", "scope": {"tags": ["sqlite"]}, "limit": 3}' | memhtml-tui batch
"""

_KINDS = ("search", "recall")
_MODES = ("vector", "lexical", "fail")


def add(commands: Any) -> None:
    """Describe the command."""
    parser = commands.add_parser(
        "batch",
        help="answer requests from stdin, one JSON object a line",
        description=FORMAT,
        epilog=EXAMPLE,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    flags.add_store(parser)
    flags.add_ranking(parser)
    flags.add_pack(parser)


def run(args: argparse.Namespace, output: Output) -> int:
    """Answer until the input ends. Ends with 0 whatever the answers were."""
    ranking = flags.ranking_of(args)
    with flags.open_it(args, output) as store:
        for line in _lines(sys.stdin.buffer):
            output.json(_answer(store, line, args, ranking, output))
    return 0


def _lines(stream: BinaryIO) -> Any:
    """Lines without their end; one that is too long comes as its first `LONGEST_LINE` + 1 bytes."""
    while line := stream.readline(LONGEST_LINE + 1):
        rest = line
        while not rest.endswith(b"\n") and (rest := stream.readline(LONGEST_LINE)):
            pass
        yield line.rstrip(b"\r\n") if line.endswith(b"\n") else line


def _answer(
    store: OpenStore, line: bytes, args: argparse.Namespace, ranking: Ranking, output: Output
) -> dict[str, Any]:
    ident: Any = None
    try:
        asked = _parsed(line)
        ident = data_of(asked.get("id"))
        request, mode = _request(asked, args, ranking)
        return {"id": ident, **_answered(store, request, mode)}
    except MemhtmlError as error:
        return {"id": ident, "error": str(error)}
    except Exception as error:  # the loop has to go on; the fault is ours and is said so in both places
        output.note(f"batch: {type(error).__name__}: {error}")
        return {"id": ident, "error": f"fault in memhtml-tui: {type(error).__name__}: {error}"}


def _answered(store: OpenStore, request: Request, mode: str) -> dict[str, Any]:
    outcome = store.search(request, _instead_of_vector(mode))
    pool = [c for c in outcome.candidates if c.in_pool]
    fused = [[c.path, number(c.fused)] for c in pool]
    answer: dict[str, Any] = {
        "forms": {"all": outcome.forms.all, "any": outcome.forms.any},
        "matchUsed": outcome.forms.used,
        "armRanks": {run.name: [entry.path for entry in run.entries] for run in outcome.arms},
        "fused": fused,
        "polarity": _polarity(outcome, [c.path for c in pool]),
        "missing": missing_shape(outcome),
    }
    if request.kind == "recall":
        pack = store.pack(outcome)
        return {**answer, "result": recall_result(outcome, pack), "pack": pack_shape(pack)}
    return {**answer, "result": search_result(outcome)}


def _polarity(outcome: Outcome, pool: list[str]) -> str | list[list[Any]]:
    """The order and scores after polarity, or "unchanged" where they are those of the fused order."""
    untouched = tuple((path, 1.0 / place) for place, path in enumerate(pool, start=1))
    if outcome.pool == untouched:
        return "unchanged"
    return [[path, number(score)] for path, score in outcome.pool]


def _instead_of_vector(mode: str) -> MissingArm | None:
    """Why there is no query vector in a mode that has none; None where the embedder is asked."""
    from memhtml_core.rank.outcome import MissingArm, MissingReason

    if mode == "lexical":
        return MissingArm("vector", MissingReason.EMBEDDER_OFF, simulated=True)
    if mode == "fail":
        return MissingArm(
            "vector", MissingReason.EMBEDDER_FAILED, "the request asks for a failure", simulated=True
        )
    return None


def _parsed(line: bytes) -> dict[str, Any]:
    if len(line) > LONGEST_LINE:
        raise UsageError("a request line must not be longer", subject=f"{LONGEST_LINE} bytes")
    try:
        asked = json.loads(line.decode("utf-8"))
    except RecursionError:
        raise UsageError("not a JSON object", subject="nested too deep") from None
    except ValueError as error:
        raise UsageError("not a JSON object", subject=str(error)) from None
    if not isinstance(asked, dict):
        raise UsageError("not a JSON object", subject=type(asked).__name__)
    return asked


def _request(asked: dict[str, Any], args: argparse.Namespace, ranking: Ranking) -> tuple[Request, str]:
    from memhtml_core.rank.request import Request

    if not isinstance(asked.get("query"), str):
        raise UsageError("a request needs a query", subject="query", remedy="Give it as a string")
    kind: Kind = _one_of(asked, "kind", _KINDS)
    mode = _one_of(asked, "mode", _MODES)
    budget = _whole(asked, "budget", ranking.memories_budget)
    floor = _share(asked, "floor", ranking.coverage_floor)
    request = Request(
        query=asked["query"],
        now=_now(asked, args),
        kind=kind,
        scope=_scope(asked.get("scope")),
        limit=_whole(asked, "limit", args.limit),
        ranking=replace(ranking, memories_budget=budget, coverage_floor=floor),
    )
    return request, mode


def _scope(asked: Any) -> Scope:
    from memhtml_core.rank.request import FacetFilter, Scope

    if asked is None:
        return Scope()
    if not isinstance(asked, dict):
        raise UsageError("a scope is a JSON object", subject=type(asked).__name__)
    facets = _value(asked, "facets", list, [])
    if not all(
        isinstance(f, dict) and isinstance(f.get("name"), str) and isinstance(f.get("value"), str)
        for f in facets
    ):
        raise UsageError("a facet has a name and a value", subject="facets")
    return Scope(
        memory_types=_strings(asked, "memoryTypes"),
        workspace=_value(asked, "workspace", str, ""),
        tags=_strings(asked, "tags"),
        entity=_value(asked, "entity", str, None),
        facets=tuple(FacetFilter(f["name"], f["value"]) for f in facets),
        include_archived=_value(asked, "includeArchived", bool, False),
        as_of=_value(asked, "asOf", str, ""),
    )


def _one_of(asked: dict[str, Any], key: str, values: tuple[str, ...]) -> Any:
    value = values[0] if asked.get(key) is None else asked[key]
    if value not in values:
        raise UsageError(f"no such {key}", subject=json.dumps(value), remedy="One of " + ", ".join(values))
    return value


def _value(asked: dict[str, Any], key: str, kind: type, default: Any) -> Any:
    value = asked.get(key)
    if value is None:
        return default
    if not isinstance(value, kind):
        raise UsageError("of the wrong kind", subject=key, remedy=f"Give a {kind.__name__}")
    return value


def _strings(asked: dict[str, Any], key: str) -> tuple[str, ...]:
    values = _value(asked, key, list, [])
    if not all(isinstance(value, str) for value in values):
        raise UsageError("of the wrong kind", subject=key, remedy="Give strings")
    return tuple(values)


def _whole(asked: dict[str, Any], key: str, default: int) -> int:
    value = asked.get(key)
    if value is None:
        return default
    if isinstance(value, bool) or not isinstance(value, int) or abs(value) > flags.LARGEST:
        raise UsageError("no usable whole number", subject=key, remedy=f"Give one up to {flags.LARGEST}")
    return value


def _share(asked: dict[str, Any], key: str, default: float) -> float:
    value = asked.get(key)
    if value is None:
        return default
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        raise UsageError("no usable number", subject=key, remedy="Give one from 0 to 1")
    return float(value)


def _now(asked: dict[str, Any], args: argparse.Namespace) -> float:
    value = asked.get("now")
    if value is None:
        return flags.instant_of(args.now)
    if isinstance(value, str) or (isinstance(value, int | float) and not isinstance(value, bool)):
        return flags.instant_of(str(value))
    raise UsageError("not an instant", subject="now", remedy="Write it as 2024-05-01T08:30:00Z")
