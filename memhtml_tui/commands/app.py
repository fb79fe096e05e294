"""No command: the explorer on the screen. Imports Textual only once there is a screen for it."""

from __future__ import annotations

import argparse
import os
import sys
from dataclasses import replace
from pathlib import Path

from memhtml_core.errors import StoreError, UsageError
from memhtml_tui.commands import flags
from memhtml_tui.commands.output import Output
from memhtml_tui.config import with_config
from memhtml_tui.queries import history_file, outside
from memhtml_tui.settings import Options, from_environment, is_served


def run(args: argparse.Namespace, output: Output) -> int:
    """Explore a store, or choose one on the start screen where none was named and none was found."""
    if not has_screen():
        raise UsageError(
            "the explorer needs a terminal",
            subject="a standard stream is none",
            remedy="Use a command: see `memhtml-tui --help`",
        )
    root, options = _root(args), options_of(args)
    return show(root, replace(options, history=outside(options.history, root)))


def has_screen() -> bool:
    """Whether there is a terminal to draw on; Textual draws on stderr, so all three streams count. Under
    `serve` the screen is a browser, and the streams are pipes.
    """
    if is_served(os.environ) and os.environ.get("TEXTUAL_DRIVER"):
        return True
    streams = (sys.stdin, sys.stdout, sys.stderr)
    return all(stream.isatty() for stream in streams) and os.environ.get("TERM") != "dumb"


def options_of(args: argparse.Namespace) -> Options:
    """What flags, environment and file say about the app, in this order."""
    base = Options() if args.config is None else with_config(Options(), args.config)
    stated = from_environment(os.environ, base)
    ranking = dict(stated.ranking)
    if os.environ.get("MEMHTML_VECTOR_COVERAGE_FLOOR"):
        ranking["coverage_floor"] = flags.coverage_floor(None)
    return replace(
        stated,
        ranking=ranking,
        source=args.index,
        embedder=flags.embedder_of(args),
        embed=not args.no_embed,
        state=flags.plane_mode(args),
        read_only=args.read_only,
        now=None if args.now is None else flags.instant_of(args.now),
        history=None if args.no_history or stated.served else history_file(os.environ),
    )


def show(root: Path | None, options: Options) -> int:
    """Run the app and give its exit status."""
    from memhtml_tui.app import run as run_app

    return run_app(root, options)


def _root(args: argparse.Namespace) -> Path | None:
    try:
        return flags.store_root(args)
    except StoreError:
        if args.store or os.environ.get("MEMHTML_ROOT"):
            raise
        return None
