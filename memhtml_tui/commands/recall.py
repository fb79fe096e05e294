"""`recall`: the pack under its budgets, printed as the exact text that an agent would read."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

from memhtml_tui.commands import flags, words
from memhtml_tui.commands.asked import check_request
from memhtml_tui.commands.output import Output, tabbed
from memhtml_tui.commands.shapes import RECALL, recall_shape

if TYPE_CHECKING:
    from memhtml_core.pack.entries import Pack


def add(commands: Any) -> None:
    """Describe the command."""
    parser = commands.add_parser("recall", help="the text that an agent would read", allow_abbrev=False)
    parser.add_argument("query", nargs="*", help='the question; "quoted words" are one phrase')
    flags.add_store(parser)
    flags.add_scope(parser)
    flags.add_pack(parser)
    flags.add_ranking(parser)
    flags.add_format(parser)


def run(args: argparse.Namespace, output: Output) -> int:
    """Recall and print."""
    from memhtml_core.pack.render import render

    request = flags.request_of(args, "recall")
    check_request(request, output)
    with flags.open_it(args, output) as store:
        outcome = store.search(request)
        pack = store.pack(outcome)
    rendered = render(request.query, pack)
    if args.json:
        output.json(recall_shape(outcome, pack, rendered), RECALL)
    elif args.plain:
        rows = _plain(pack)
        if rows:
            output.data(tabbed(rows))
    else:
        output.data(rendered.text.removesuffix("\n"))
    if not args.json:
        for line in words.pack_lines(pack):
            output.note(line)
        output.note(f"{rendered.characters} characters as written, about {rendered.tokens_estimate} tokens")
        output.note(words.missing_line(outcome))
    empty = not pack.arcs.entries and not pack.memories.entries
    return 4 if args.exit_code and empty else 0


def _plain(pack: Pack) -> list[tuple[str, ...]]:
    """Envelope, place, tier, cost, why it is not in full ("" where it is), path, title."""
    rows: list[tuple[str, ...]] = []
    for envelope in (pack.arcs, pack.memories):
        for entry in envelope.entries:
            reason = "" if entry.tier == "full" else entry.full_reason.value
            place = str(entry.place)
            rows.append((envelope.name, place, entry.tier, str(entry.cost), reason, entry.path, entry.title))
    return rows
