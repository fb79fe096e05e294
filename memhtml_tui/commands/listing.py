"""`list`: every memory in scope, sorted and paged; what an empty query shows on the screen."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

from memhtml_tui.commands import flags
from memhtml_tui.commands.asked import check_scope
from memhtml_tui.commands.output import Output, tabbed, table
from memhtml_tui.commands.shapes import LIST, list_shape
from memhtml_tui.commands.words import states

if TYPE_CHECKING:
    from memhtml_core.browse.listing import Listing
    from memhtml_core.rank.outcome import Card

SORTS = ("path", "title", "updated", "event", "due", "opens")


def add(commands: Any) -> None:
    """Describe the command."""
    parser = commands.add_parser("list", help="every memory in scope", allow_abbrev=False)
    parser.add_argument("--sort", choices=SORTS, default="path", help="the order (default path)")
    order = parser.add_mutually_exclusive_group()
    order.add_argument(
        "--ascending", action="store_false", dest="descending", default=None, help="smallest first"
    )
    order.add_argument("--descending", action="store_true", dest="descending", help="largest first")
    parser.add_argument("--offset", type=flags.whole, default=0, metavar="N", help="memories to pass over")
    parser.add_argument("--all", action="store_true", help="no limit")
    parser.add_argument(
        "--limit", type=flags.whole, default=100, metavar="N", help="memories to show (default 100)"
    )
    flags.add_store(parser)
    flags.add_scope(parser)
    flags.add_format(parser)


def run(args: argparse.Namespace, output: Output) -> int:
    """Print one page."""
    scope = flags.scope_of(args)
    check_scope(scope)
    with flags.open_it(args, output, embed=False) as store:
        limit = store.report.files if args.all else args.limit
        listing = store.list(scope, args.sort, args.offset, limit, descending=args.descending)
    if args.json:
        output.json(list_shape(listing), LIST)
    elif args.plain:
        if listing.rows:
            output.data(tabbed([_plain(listing, card) for card in listing.rows]))
    else:
        output.data(_table(listing))
        last = listing.offset + len(listing.rows)
        output.data(
            f"{listing.offset + 1 if listing.rows else 0} to {last} of {listing.total}, by {listing.sort}"
        )
        if last < listing.total:
            output.note(f"{listing.total - last} more: --offset {last}, or --all")
    return 4 if args.exit_code and not listing.rows else 0


def _table(listing: Listing) -> str:
    head = ("type", "updated", "opens", "title <path>")
    return table(head, [_cells(listing, card) for card in listing.rows], left={0, 1})


def _cells(listing: Listing, card: Card) -> tuple[str, ...]:
    kind = card.memory_type if card.task_status is None else f"{card.memory_type} {card.task_status}"
    marks = states(card)
    if card.due_at:
        marks.append(f"due {card.due_at}")
    title = card.title + (f" ({', '.join(marks)})" if marks else "")
    return kind, card.updated_at, _opens(listing, card), f"{title} <{card.path}>"


def _plain(listing: Listing, card: Card) -> tuple[str, ...]:
    return (
        card.path,
        card.memory_type,
        card.updated_at,
        card.event_at or "",
        card.due_at or "",
        card.task_status or "",
        _opens(listing, card),
        card.title,
    )


def _opens(listing: Listing, card: Card) -> str:
    return "" if listing.opens is None else str(listing.opens.get(card.path, 0))
