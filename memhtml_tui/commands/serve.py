"""`serve`: the explorer in a browser, for whoever has the address that is printed."""

from __future__ import annotations

import argparse
from contextlib import suppress
from pathlib import Path
from typing import Any

from memhtml_core.errors import MemhtmlError, UsageError
from memhtml_tui.commands import flags
from memhtml_tui.commands.output import Output

MOST_SESSIONS = 64


def add(commands: Any) -> None:
    """Describe the command."""
    parser = commands.add_parser("serve", help="the explorer in a browser", allow_abbrev=False)
    parser.add_argument("folder", nargs="?", metavar="STORE", help="the store's folder, as --store")
    parser.add_argument("--demo", action="store_true", help="the built-in store, a fresh copy each session")
    group = parser.add_argument_group("web")
    group.add_argument("--host", default="127.0.0.1", help="where to listen (default 127.0.0.1)")
    group.add_argument("--port", type=int, default=8000, help="0 takes a free one (default 8000)")
    group.add_argument(
        "--public-url", metavar="URL", help="the address that people type, where a proxy stands in front"
    )
    group.add_argument(
        "--sessions", type=int, default=4, metavar="N", help="browsers at once, a process each (default 4)"
    )
    group.add_argument(
        "--idle",
        type=float,
        default=60.0,
        metavar="MINUTES",
        help="end a session without keys (default 60, 0 never)",
    )
    flags.add_store(parser)


def run(args: argparse.Namespace, output: Output) -> int:
    """Serve until ctrl+c. Raises `UsageError` for what cannot be meant, `MemhtmlError` without the extra."""
    _check(args)
    try:
        from memhtml_tui.serve.child import launcher
        from memhtml_tui.serve.server import Terms, WebView, listen
    except ImportError as error:
        raise MemhtmlError(
            "the web view needs a package that is not installed",
            subject=error.name or "textual-serve",
            remedy="Install it: pip install 'memhtml-tui[serve]'",
        ) from None
    from memhtml_tui.serve.guard import (
        Guard,
        host_in_url,
        is_every_address,
        is_loopback,
        origin_of,
        origins_of,
    )

    words, title, crashes = _served(args)
    public = None if args.public_url is None else origin_of(args.public_url)
    if public is None and is_every_address(args.host):
        origins_of(args.host, args.port)
    with listen(args.host, args.port) as listening:
        port = listening.getsockname()[1]
        view = WebView(
            Terms(
                argv=[*launcher(), *words],
                title=title,
                crashes=crashes,
                sessions=args.sessions,
                idle=args.idle * 60.0 or None,
            ),
            Guard(origins_of(args.host, port, public)),
            listening,
            args.public_url or f"http://{host_in_url(args.host)}:{port}",
        )
        if not is_loopback(args.host):
            output.note(f"WARNING: other machines can reach {args.host}, and this traffic is not encrypted.")
            output.note("WARNING: whoever reads it gets the address, and with it every memory of the store.")
            output.note("WARNING: better listen on 127.0.0.1 and put TLS in front, or use `ssh -L`.")
        output.data(view.url)
        output.note("that address is the key: whoever has it can read the store, and opens memories in it")
        output.note(f"up to {args.sessions} browsers at once; ctrl+c ends it")
        output.finish()
        with suppress(KeyboardInterrupt):
            view.serve()
    return 0


def _check(args: argparse.Namespace) -> None:
    if args.demo and (args.folder or args.store):
        raise UsageError("the demo is a store of its own", remedy="Leave --demo or the store out")
    if args.folder and args.store:
        raise UsageError("two stores were named", subject=args.folder, remedy="Leave one of them out")
    if not 0 <= args.port <= 65_535:
        raise UsageError("no port", subject=str(args.port), remedy="Use 0 to 65535")
    if not 1 <= args.sessions <= MOST_SESSIONS:
        raise UsageError(
            "no number of sessions", subject=str(args.sessions), remedy=f"Use 1 to {MOST_SESSIONS}"
        )
    if not 0 <= args.idle <= 1e6:
        raise UsageError("no idle time", subject=str(args.idle), remedy="Use minutes, 0 for ever")


def _served(args: argparse.Namespace) -> tuple[list[str], str, Path]:
    """The words behind the program's name that start the app, the title of the page, and where crash logs
    go: beside the indexes, which hold the same texts and never lie inside a store.
    """
    from memhtml_core.index.location import cache_root, locate

    flags.plane_mode(args)
    if args.demo:
        return ["demo", *_passed(args)], "memhtml-tui demo", cache_root() / "crashes"
    args.store = args.folder or args.store
    root = flags.store_root(args).absolute()
    crashes = locate(root).folder.parent / "crashes"
    return [f"--store={root}", *_passed(args)], f"memhtml-tui {root.name}", crashes


def _passed(args: argparse.Namespace) -> list[str]:
    """The flags of the store as the app gets them, a value in one word with its flag."""
    valued = {"--index": args.index, "--embedder": args.embedder, "--state": args.state}
    words = [f"{flag}={value}" for flag, value in valued.items() if value is not None]
    if args.no_embed:
        words.append("--no-embed")
    if args.read_only:
        words.append("--read-only")
    return words
