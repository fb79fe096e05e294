"""`search`: the ranked hits of a query, with the rank of each in every arm."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from memhtml_core.errors import UsageError
from memhtml_tui.commands import flags, words
from memhtml_tui.commands.asked import check_request
from memhtml_tui.commands.output import Output, tabbed
from memhtml_tui.commands.shapes import SEARCH, search_shape

if TYPE_CHECKING:
    from memhtml_core.rank.outcome import Outcome


def add(commands: Any) -> None:
    """Describe the command."""
    parser = commands.add_parser("search", help="ranked hits", allow_abbrev=False)
    parser.add_argument("query", nargs="*", help='the question; "quoted words" are one phrase')
    parser.add_argument("--why", type=int, metavar="N", help="explain hit N (0: every hit)")
    flags.add_store(parser)
    flags.add_scope(parser)
    flags.add_ranking(parser)
    flags.add_format(parser)


def run(args: argparse.Namespace, output: Output) -> int:
    """Search and print."""
    request = flags.request_of(args, "search")
    check_request(request, output)
    with flags.open_it(args, output) as store:
        outcome = store.search(request)
        columns = [arm.name for arm in store.arms]
    explained = _explained(args.why, len(outcome.hits))
    if args.json:
        output.json(search_shape(outcome), SEARCH)
    elif args.plain:
        if outcome.hits:
            output.data(tabbed(_plain(outcome, columns)))
        for remark in (words.missing_line(outcome), *words.remarks(outcome)):
            output.note(remark)
    else:
        show(outcome, output)
        for place in explained:
            output.data("\n" + "\n".join(words.why(outcome, place)))
    return 4 if args.exit_code and not outcome.hits else 0


def show(outcome: Outcome, output: Output) -> None:
    """The rank table, the missing arms, and what else a reader has to know."""
    if outcome.hits:
        output.data(words.rank_table(outcome))
    output.data(words.missing_line(outcome))
    for remark in words.remarks(outcome):
        output.data(remark)


def _explained(asked: int | None, hits: int) -> range:
    if asked is None:
        return range(0)
    if not 0 <= asked <= max(hits, 0):
        raise UsageError("no such hit", subject=f"--why {asked}", remedy=f"The answer has {hits}")
    return range(1, hits + 1) if asked == 0 else range(asked, asked + 1)


def _plain(outcome: Outcome, columns: Sequence[str]) -> list[tuple[str, ...]]:
    """Place, path, fused score, one rank per arm ("" where it did not run, "-" where it did not see),
    title.
    """
    ran = {run.name for run in outcome.arms}
    rows = []
    for hit in outcome.hits:
        seen = outcome.candidate(hit.path)
        ranks = [words.rank_in(seen, name) if name in ran else "" for name in columns]
        fused = "" if seen is None else repr(seen.fused)
        rows.append((str(hit.place), hit.path, fused, *ranks, hit.card.title))
    return rows
