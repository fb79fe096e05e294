"""`status`: what the index holds, how fresh it is, which vectors, which files are missing and why."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from memhtml_tui.commands import flags
from memhtml_tui.commands.output import Output, data_of
from memhtml_tui.commands.words import missing_words

if TYPE_CHECKING:
    from memhtml_core.browse.counts import Counts
    from memhtml_core.browse.health import Health
    from memhtml_core.index.freshness import Freshness
    from memhtml_core.opened import VectorPlan

STATUS = "memhtml-status/1"


def add(commands: Any) -> None:
    """Describe the command."""
    parser = commands.add_parser("status", help="the state of the store and its index", allow_abbrev=False)
    parser.add_argument("--counts", action="store_true", help="memories per value of each axis, too")
    flags.add_store(parser)
    flags.add_scope(parser)
    flags.add_format(parser)


def run(args: argparse.Namespace, output: Output) -> int:
    """Print the report. With `--exit-code`, 4 where a file is not indexed."""
    from memhtml_core.browse.health import read_health

    with flags.open_it(args, output, embed=False) as store:
        health = read_health(store.tree, store.location, store.database, store.usage, store.vectors.space)
        plan, why = store.vectors, store.report.why
        counts = store.counts(flags.scope_of(args)) if args.counts else None
    if args.json:
        shape = data_of(health) | {"sourceReason": why, "embedder": plan.label, "missing": plan.out}
        if counts is not None:
            shape["counts"] = counts
        output.json(shape, STATUS)
    else:
        for line in _words(health, plan, why):
            output.data(line)
        for line in _count_words(counts) if counts is not None else ():
            output.data(line)
    return 4 if args.exit_code and health.problems else 0


def _words(health: Health, plan: VectorPlan, why: str) -> list[str]:
    usage, versions = health.usage, health.versions
    lines = [
        f"store: {health.root}",
        f"source: {health.freshness.source} ({why})",
        f"git: {health.freshness.git}",
        f"freshness: {freshness_words(health.freshness)}",
        f"memories: {health.memories}, {health.archived} archived",
        f"types: {_counted(health.types)}",
        f"buckets: {_counted(health.buckets)}",
        f"updated: {health.oldest or '-'} to {health.newest or '-'}",
        f"space: {health.space or 'none'}, {health.coverage.have} of {health.coverage.chunks} chunks"
        f" ({health.coverage.ratio:.1%})",
        f"embedder: {plan.label}" + (" (not the agent's space)" if plan.foreign else ""),
    ]
    if plan.out is not None:
        lines.append(f"missing: {missing_words(plan.out)}")
    others = [
        f"{each.space.name} ({each.count})" for each in health.spaces if each.space.name != health.space
    ]
    if others:
        lines.append(f"other spaces: {', '.join(others)}")
    lines += [
        f"usage: {usage.source} ({usage.detail})",
        f"access rows: {usage.rows}, {usage.orphans} of no indexed memory; {usage.opens} opens,"
        f" {usage.judged} judged, the last one {usage.last_opened or 'never'}",
        f"cache: {health.cache_folder}, {health.cache_size} bytes; {len(health.caches)} stores in all,"
        f" {sum(each.size for each in health.caches)} bytes",
        f"versions: SQLite {versions.sqlite}, apsw {versions.apsw}, vectors by {versions.vector_function}",
        f"not indexed: {len(health.problems)}",
    ]
    for path, problem in health.problems.items():
        codes = ", ".join(problem.violations)
        lines.append(
            f"  {path}: {problem.reason}"
            + (f" ({codes or problem.detail})" if codes or problem.detail else "")
        )
    return [line.replace("\n", " ") for line in lines]


def freshness_words(fresh: Freshness) -> str:
    """How the index stands to HEAD and to the files."""
    words = []
    if fresh.head is None:
        words.append("no commits to compare with")
    elif fresh.behind == 0:
        words.append("at HEAD")
    elif fresh.behind is not None:
        words.append(f"{fresh.behind} commits behind HEAD")
    else:
        words.append("not at HEAD")
    if fresh.dirty:
        words.append(f"{fresh.dirty} memories not committed")
    if fresh.peer_moved and fresh.source == "peer":
        words.append("the store's own index has moved on")
    return ", ".join((*words, *fresh.notes))


def _count_words(counts: Counts) -> list[str]:
    lines = [f"in scope: {counts.total}"]
    for name, values in (
        ("types", counts.types),
        ("workspaces", counts.workspaces),
        ("tags", counts.tags),
        ("entities", counts.entities),
    ):
        lines.append(f"{name}: {_counted(values)}")
    lines += [f"facet {name}: {_counted(values)}" for name, values in counts.facets.items()]
    return [line.replace("\n", " ") for line in lines]


def _counted(values: Mapping[str, int]) -> str:
    return ", ".join(f"{name} {number}" for name, number in values.items()) or "none"
