"""`read`: one memory as text. Reading is an explicit open and counts, unless it is a peek (DESIGN 8).

The only place outside the app's session that calls `reinforce`.
"""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

from memhtml_core.errors import MemhtmlError, PathUnknown, ReadOnly
from memhtml_tui.commands import flags
from memhtml_tui.commands.output import Output
from memhtml_tui.commands.reading import memory_text

if TYPE_CHECKING:
    from memhtml_core.access.rows import AccessRow, Reinforced, Signal

MEMORY = "memhtml-memory/1"
SIGNALS: dict[str, Signal] = {"neutral": "neutral", "helpful": "positive", "misleading": "negative"}


def add(commands: Any) -> None:
    """Describe the command."""
    parser = commands.add_parser("read", help="open one memory; counts as use", allow_abbrev=False)
    parser.add_argument("path", help="its path, as `list` and `search` print it")
    judged = parser.add_mutually_exclusive_group()
    judged.add_argument(
        "--signal", choices=tuple(SIGNALS), default="neutral", help="how it proved (default neutral)"
    )
    judged.add_argument("--peek", action="store_true", help="write nothing")
    flags.add_store(parser)
    flags.add_format(parser)
    parser.add_argument("--now", default=argparse.SUPPRESS, metavar="INSTANT", help="the instant of the open")


def run(args: argparse.Namespace, output: Output) -> int:
    """Show the memory, and count the open where it is one. A refused count leaves the text and exits with
    1.
    """
    planeless = flags.plane_mode(args) == "none"
    with flags.open_it(args, output, embed=False) as store:
        view = store.memory(args.path)
        if not args.peek and not view.openable:
            raise PathUnknown(
                "this path cannot be opened", subject=view.path, remedy="Look at it with `read --peek`"
            )
        refusal: MemhtmlError | None = None
        result: Reinforced | None = None
        before = view.access
        if not args.peek:
            from memhtml_core.access.instants import instant
            from memhtml_core.access.reinforce import reinforce

            at = instant(int(flags.instant_of(args.now)))
            try:
                for asked, flag in ((args.read_only, "--read-only"), (planeless, "--state none")):
                    if asked:
                        raise ReadOnly(f"not counted as an open, because of {flag}", subject=view.path)
                result = reinforce(store.root, (view.path,), SIGNALS[args.signal], at)
            except MemhtmlError as error:
                refusal = error
        after = store.access_row(view.path)
    if args.json:
        output.json(
            {
                "memory": view,
                "open": _opened(args, result, refusal),
                "before": before,
                "after": after,
            },
            MEMORY,
        )
    else:
        output.data(memory_text(view))
        output.note(_effect(args, result, refusal, before, after))
    return 1 if refusal is not None else 0


def _opened(
    args: argparse.Namespace, result: Reinforced | None, refusal: MemhtmlError | None
) -> dict[str, Any]:
    return {
        "signal": None if args.peek else args.signal,
        "counted": bool(result and result.bumped),
        "coolingDown": bool(result and result.cooled_down),
        "refused": None if refusal is None else str(refusal),
    }


def _effect(
    args: argparse.Namespace,
    result: Reinforced | None,
    refusal: MemhtmlError | None,
    before: AccessRow | None,
    after: AccessRow | None,
) -> str:
    """What the open did, in words."""
    if args.peek:
        return "a peek: nothing was written"
    if refusal is not None:
        return str(refusal)
    if result is None or not result.bumped:
        from memhtml_core.access.instants import instant
        from memhtml_core.access.reinforce import cooled_until

        until = cooled_until(before, instant(int(flags.instant_of(args.now))))
        return f"not counted: it is cooling down until {until or 'shortly'}"
    old = 0 if before is None else before.access_count
    new = old + 1 if after is None else after.access_count
    score = "" if after is None else f", outcome score {after.outcome_score:g}"
    return f"opened ({args.signal}): opens {old} -> {new}{score}"
