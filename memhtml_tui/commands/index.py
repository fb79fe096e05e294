"""`index`: bring the index of a store up to date, embed what has no vector, print its rows, prune the
cache.
"""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

from memhtml_tui.commands import flags
from memhtml_tui.commands.output import Output

if TYPE_CHECKING:
    from memhtml_core.index.location import CachedStore
    from memhtml_core.index.report import BuildReport
    from memhtml_core.index.vectors import EmbedReport

INDEX = "memhtml-index/1"


def add(commands: Any) -> None:
    """Describe the command."""
    parser = commands.add_parser("index", help="bring the index up to date", allow_abbrev=False)
    what = parser.add_mutually_exclusive_group()
    what.add_argument("--full", action="store_true", help="build from nothing")
    what.add_argument("--prune", action="store_true", help="remove the caches of stores that are gone")
    parser.add_argument("--dump-rows", action="store_true", help="print every row as one JSON object")
    flags.add_store(parser)
    flags.add_format(parser)


def run(args: argparse.Namespace, output: Output) -> int:
    """Index and report; with `--prune` only clear the cache."""
    if args.prune:
        return _prune(args, output)
    from memhtml_core.index.build import build
    from memhtml_core.index.location import locate
    from memhtml_core.store.tree import Tree

    report = None
    if args.full:
        tree = Tree(flags.store_root(args))
        report = build(tree, locate(tree.root), source=args.index, full=True, progress=output.progress)
    with flags.open_it(args, output, embed=False) as store:
        report = report or store.report
        embedded = None if args.no_embed else store.embed(output.progress)
        if args.dump_rows:
            from memhtml_core.index.dump import dump_rows

            output.json(dump_rows(store.database, store.vectors.space))
    if args.json and not args.dump_rows:
        output.json({"build": report, "embed": embedded}, INDEX)
    elif not args.dump_rows:
        for line in (*_words(report), *_vector_words(embedded, args)):
            output.data(line)
    return 1 if embedded is not None and embedded.problem else 0


def _words(report: BuildReport) -> list[str]:
    changes = report.changes
    counts = ", ".join(
        f"{number} {word}"
        for word, number in (
            ("added", changes.added),
            ("changed", changes.changed),
            ("moved", changes.moved),
            ("removed", changes.removed),
            ("unchanged", changes.unchanged),
        )
    )
    lines = [
        f"source: {report.source} ({report.why})",
        f"memories: {report.files} ({counts})",
        f"chunks: {report.chunks}, vectors: {report.vectors}",
        f"commit: {report.head_sha or 'none'}" + (f", {report.dirty} uncommitted" if report.dirty else ""),
        f"time: {report.seconds:.2f} s, {report.rate:.0f} files per second",
    ]
    if report.problems:
        lines.append(f"not indexed: {report.problems} files; `memhtml-tui status` says why")
    return lines


def _vector_words(embedded: EmbedReport | None, args: argparse.Namespace) -> list[str]:
    if embedded is None:
        return ["embedding: off" if args.no_embed else "embedding: no embedder is to be asked"]
    parts = [f"{embedded.written} written"]
    parts += [f"{embedded.refused} refused"] if embedded.refused else []
    parts += [f"{embedded.left} left"] if embedded.left else []
    problem = f"; {embedded.problem}" if embedded.problem else ""
    return [f"embedding: {embedded.space.name}: {', '.join(parts)}{problem}"]


def _prune(args: argparse.Namespace, output: Output) -> int:
    from memhtml_core.index.location import prune

    removed: list[CachedStore] = prune()
    if args.json:
        output.json({"removed": removed}, INDEX)
        return 0
    for entry in removed:
        output.data(f"removed: {entry.store} ({entry.size} bytes)")
    if not removed:
        output.data("nothing to remove")
    return 0
