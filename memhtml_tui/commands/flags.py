"""Flags that commands share, and what they mean: which store, which scope, which constants of the ranking.

Flags are suppressed where they are not given, so that one stated before a command is not undone by the
default of the same flag behind it. Order of settings: flag, environment, file, default (DESIGN 10).
"""

from __future__ import annotations

import argparse
import math
import os
import time
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

from memhtml_core.errors import UsageError

if TYPE_CHECKING:
    from memhtml_core.opened import OpenStore
    from memhtml_core.rank.request import Kind, Ranking, Request, Scope
    from memhtml_tui.commands.output import Output
    from memhtml_tui.config import Config

DEFAULTS: Mapping[str, Any] = {
    "store": None,
    "index": "auto",
    "embedder": None,
    "state": None,
    "no_embed": False,
    "no_history": False,
    "read_only": False,
    "json": False,
    "plain": False,
    "scope": "",
    "type": [],
    "workspace": "",
    "tag": [],
    "entity": None,
    "facet": [],
    "archived": False,
    "as_of": "",
    "limit": 10,
    "budget": 16_000,
    "arcs_budget": 9_000,
    "per_entity": 2,
    "pack_order": "fused",
    "weight": [],
    "k": 60,
    "mmr_lambda": 0.5,
    "floor": None,
    "without": [],
    "simulate": [],
    "like": "",
    "arm_limit": 40,
    "pool_factor": 3,
    "recall_pool": 30,
    "twin_cosine": 0.9,
    "demotion": 0.5,
    "no_polarity": False,
    "no_mmr": False,
    "now": None,
    "exit_code": False,
    "config": None,
}
"""What each shared flag means where it is not given."""

LARGEST = 1_000_000
"""The largest limit or budget in either direction that is still taken for one."""


def configured(config: Config) -> dict[str, Any]:
    """What the file says in place of `DEFAULTS`. Settings that the environment has a say in are looked up
    in `config` behind it."""
    stated = config.store
    return {
        "config": config,
        "index": stated.get("index", DEFAULTS["index"]),
        "read_only": stated.get("read_only", DEFAULTS["read_only"]),
        "no_embed": not stated.get("embed", not DEFAULTS["no_embed"]),
    }


class Parser(argparse.ArgumentParser):
    """A parser that raises `UsageError` in place of ending the program."""

    def error(self, message: str) -> NoReturn:
        """Refuse the command line."""
        raise UsageError(message, remedy=f"See `{self.prog} --help`")


def add_store(parser: argparse.ArgumentParser) -> None:
    """Flags of everything that opens a store."""
    group = parser.add_argument_group("store")
    add = _adder(group)
    add("--store", metavar="DIR", help="its folder (else MEMHTML_ROOT, a parent with .memhtml, ~/memhtml)")
    add(
        "--index",
        choices=("tree", "peer", "auto"),
        help="where the index is taken from",
    )
    add(
        "--embedder",
        metavar="SPEC",
        help="auto, static, http, bedrock, python:FILE or off",
    )
    add("--state", choices=("auto", "none"), help="`none` leaves the state plane out")
    add("--no-embed", action="store_true", help="fetch no vectors for texts that have none")
    add("--read-only", action="store_true", help="refuse to count an open")


def add_format(parser: argparse.ArgumentParser) -> None:
    """Flags for the form of the answer."""
    group = parser.add_argument_group("answer")
    add = _adder(group)
    add("--json", action="store_true", help="one JSON object, ASCII, with its schema and version")
    add("--plain", action="store_true", help="tab-separated lines without heads")
    add("--exit-code", action="store_true", help="end with 4 where the answer is empty")


def add_scope(parser: argparse.ArgumentParser) -> None:
    """Flags that say which memories may answer."""
    group = parser.add_argument_group("scope", "which memories may answer")
    add = _adder(group)
    add(
        "--scope",
        metavar="WORDS",
        help="typed: 'type:arc ws:x tag:y facet:name=value'",
    )
    add("--type", action="append", metavar="TYPE", help="a memory type (default: all but task)")
    add("--workspace", metavar="NAME", help="a folder below projects/")
    add("--tag", action="append", metavar="TAG", help="any of these tags")
    add("--entity", metavar="TYPE:NAME", help="one entity")
    add("--facet", action="append", metavar="NAME=VALUE", help="a facet; different names must all hold")
    add("--archived", action="store_true", help="archived memories too")
    add("--as-of", metavar="INSTANT", help="what was valid at that instant, archived or not")


def add_ranking(parser: argparse.ArgumentParser) -> None:
    """Flags for the constants of the ranking."""
    group = parser.add_argument_group("ranking")
    add = _adder(group)
    add("--limit", type=whole, metavar="N", help="hits of a search (default 10)")
    add("--weight", action="append", metavar="ARM=W", help="weight of an arm; 0 keeps it in the table")
    add("--without", action="append", metavar="ARM", help="switch an arm off")
    add("--k", type=whole, metavar="N", help="the constant of reciprocal rank fusion (default 60)")
    add(
        "--lambda",
        dest="mmr_lambda",
        type=_number,
        metavar="L",
        help="relevance over diversity (default 0.5)",
    )
    add(
        "--floor",
        type=_number,
        metavar="F",
        help="least vector coverage (default 0.95)",
    )
    add(
        "--now",
        metavar="INSTANT",
        help="the instant of asking, as 2024-05-01T08:30:00Z or in seconds",
    )
    add("--simulate", action="append", metavar="OUTAGE", help="play one, as embedder-off or no-state-plane")
    add("--like", metavar="PATH", help="ask with the stored vector of this memory")
    add("--arm-limit", type=whole, metavar="N", help="memories per arm (default 40)")
    add("--pool-factor", type=whole, metavar="N", help="pool of a search per hit asked for (default 3)")
    add("--recall-pool", type=whole, metavar="N", help="pool of a recall (default 30)")
    add("--twin-cosine", type=_number, metavar="C", help="likeness of polarity twins (default 0.9)")
    add("--demotion", type=_number, metavar="D", help="what a demoted score is multiplied by (default 0.5)")
    add("--no-polarity", action="store_true", help="demote nothing")
    add("--no-mmr", action="store_true", help="do not diversify hits")


def add_pack(parser: argparse.ArgumentParser) -> None:
    """Flags of the recall pack."""
    group = parser.add_argument_group("pack", "budgets are UTF-16 units of content")
    add = _adder(group)
    add("--budget", type=whole, metavar="N", help="for memories (default 16000)")
    add("--arcs-budget", type=whole, metavar="N", help="for arcs (default 9000)")
    add("--per-entity", type=whole, metavar="N", help="full texts that one entity name may have (default 2)")
    add("--pack-order", choices=("fused", "diversified"), help="the order that is folded (default fused)")


def open_it(
    args: argparse.Namespace, output: Output, *, embed: bool = True, cache: Path | None = None
) -> OpenStore:
    """The store of the flags, indexed and opened; remarks go to stderr.

    Raises `StoreError` where there is none, `UsageError` for a specification that cannot be meant.
    """
    from memhtml_core.opened import open_store
    from memhtml_tui.settings import from_environment

    from_environment(os.environ)  # an unknown setting of ours is named, whoever would read it
    store = open_store(
        store_root(args),
        source=args.index,
        embedder=embedder_of(args),
        state=plane_mode(args),
        cache=cache,
        embed=embed and not args.no_embed,
        progress=output.progress,
    )
    for remark in store.report.notes:
        output.note(remark)
    return store


def store_root(args: argparse.Namespace) -> Path:
    """Which store is meant (DESIGN 3). Raises `StoreError`."""
    from memhtml_core.store.discover import find_store, home_folder, working_folder

    return find_store(args.store, os.environ, working_folder(os.environ), home_folder())


def embedder_of(args: argparse.Namespace) -> str | None:
    """`--embedder`, else MEMHTML_TUI_EMBEDDER, else the file's, else None: what the reference's own variables
    say decides."""
    stated: str | None = args.embedder
    if stated is None:
        stated = os.environ.get("MEMHTML_TUI_EMBEDDER") or _in_file(args, "embedder")
    return stated


def plane_mode(args: argparse.Namespace) -> Any:
    """`--state`, else MEMHTML_TUI_STATE, else the file's, else auto. Raises `UsageError` for another one."""
    mode = args.state or os.environ.get("MEMHTML_TUI_STATE") or _in_file(args, "state") or "auto"
    if mode not in ("auto", "none"):
        raise UsageError(
            "no such state plane", subject=f"MEMHTML_TUI_STATE={mode}", remedy="Use auto or none"
        )
    return mode


def _in_file(args: argparse.Namespace, name: str) -> str | None:
    stated: str | None = None if args.config is None else args.config.store.get(name)
    return stated


def scope_of(args: argparse.Namespace) -> Scope:
    """The scope of the flags: the typed form first, the other flags on top of it. Raises `UsageError`."""
    from memhtml_core.rank.scope import parse_facet
    from memhtml_core.rank.typed import parse_scope

    typed = parse_scope(args.scope)
    facets = []
    for text in args.facet:
        facet = parse_facet(text)
        if facet is None:
            raise UsageError("no facet", subject=text, remedy="Write it as name=value")
        facets.append(facet)
    return replace(
        typed,
        memory_types=(*typed.memory_types, *args.type),
        workspace=args.workspace or typed.workspace,
        tags=(*typed.tags, *args.tag),
        entity=args.entity if args.entity is not None else typed.entity,
        facets=(*typed.facets, *facets),
        include_archived=args.archived or typed.include_archived,
        as_of=args.as_of or typed.as_of,
    )


def ranking_of(args: argparse.Namespace) -> Ranking:
    """The constants of the flags. Arm names and ranges are checked when the request runs."""
    from memhtml_core.rank.request import Ranking

    weights = {}
    for text in args.weight:
        name, sign, number = text.partition("=")
        if not sign:
            raise UsageError("no weight", subject=text, remedy="Write it as arm=weight, as in fts=0.5")
        weights[name] = _number(number)
    return Ranking(
        weights=weights,
        k=args.k,
        arm_limit=args.arm_limit,
        pool_factor=args.pool_factor,
        recall_pool=args.recall_pool,
        mmr_lambda=args.mmr_lambda,
        twin_cosine=args.twin_cosine,
        demotion=args.demotion,
        coverage_floor=coverage_floor(args.floor),
        arcs_budget=args.arcs_budget,
        memories_budget=args.budget,
        per_entity=args.per_entity,
        off=frozenset(args.without),
        polarity=not args.no_polarity,
        mmr=not args.no_mmr,
        pack_order=args.pack_order,
    )


def request_of(args: argparse.Namespace, kind: Kind) -> Request:
    """The whole request of the flags."""
    from memhtml_core.rank.request import Request
    from memhtml_core.rank.simulate import switched

    request = Request(
        query=" ".join(args.query),
        now=instant_of(args.now),
        kind=kind,
        scope=scope_of(args),
        limit=args.limit,
        ranking=ranking_of(args),
        like=args.like,
    )
    for name in args.simulate:
        request = switched(request, name)
    return request


def coverage_floor(stated: float | None) -> float:
    """The floor that was stated, else MEMHTML_VECTOR_COVERAGE_FLOOR, else the reference's 0.95."""
    if stated is not None:
        return stated
    name = "MEMHTML_VECTOR_COVERAGE_FLOOR"
    text = os.environ.get(name)
    if not text:
        return 0.95
    try:
        floor = float(text)
    except ValueError:
        floor = math.nan
    if not 0.0 <= floor <= 1.0:
        raise UsageError("no coverage floor", subject=f"{name}={text}", remedy="Use a number from 0 to 1")
    return floor


def instant_of(stated: str | None) -> float:
    """Seconds since 1970 of an instant in the store's grammar or in seconds; None is the present."""
    if stated is None:
        return time.time()
    from memhtml_core.access.instants import epoch_seconds

    try:
        seconds = float(stated)
    except ValueError:
        read = epoch_seconds(stated)
        seconds = math.nan if read is None else float(read)
    if not math.isfinite(seconds) or abs(seconds) > 1e12:
        raise UsageError("not an instant", subject=stated, remedy="Write it as 2024-05-01T08:30:00Z")
    return seconds


def _adder(group: argparse._ArgumentGroup) -> Any:
    """`add_argument` that leaves a flag out of the namespace where it is not given."""

    def add(*names: str, **rest: Any) -> None:
        group.add_argument(*names, default=argparse.SUPPRESS, **rest)

    return add


def whole(text: str) -> int:
    """A whole number of a flag, within `LARGEST` in either direction."""
    try:
        number = int(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is no whole number") from None
    if abs(number) > LARGEST:
        raise argparse.ArgumentTypeError(f"{text} is beyond {LARGEST}")
    return number


def _number(text: str) -> float:
    try:
        number = float(text)
    except ValueError:
        number = math.nan
    if not math.isfinite(number):
        raise UsageError("not a number", subject=text, remedy="Write 0.5 or 2")
    return number
