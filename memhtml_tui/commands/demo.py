"""`demo`: the built-in store in a folder of its own, on the screen; printed where there is no terminal."""

from __future__ import annotations

import argparse
import shutil
import tempfile
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from memhtml_tui.commands import app, flags, words
from memhtml_tui.commands.output import Output
from memhtml_tui.commands.search import show

if TYPE_CHECKING:
    from memhtml_core.opened import OpenStore
    from memhtml_tui.demo_store import Situation


def add(commands: Any) -> None:
    """Describe the command."""
    parser = commands.add_parser("demo", help="explore a store that is built in", allow_abbrev=False)
    flags.add_store(parser)


def run(args: argparse.Namespace, output: Output) -> int:
    """Copy the demo store, explore the copy, remove it. Without a terminal: a search, a why and a pack."""
    from memhtml_tui.demo_store import copy_demo

    home = Path(tempfile.mkdtemp(prefix="memhtml-tui-demo-"))
    try:
        root, cache = copy_demo(home), home / "cache"
        if app.has_screen():
            return app.show(root, replace(app.options_of(args), demo=home, cache=cache, history=None))
        args.store = str(root)
        with flags.open_it(args, output, cache=cache) as store:
            _print(store, args, output)
        return 0
    finally:
        shutil.rmtree(home, ignore_errors=True)


def _print(store: OpenStore, args: argparse.Namespace, output: Output) -> None:
    """What the screen would show first: the tour's twin question ranked and explained, and its budget one
    packed.
    """
    from memhtml_core.pack.render import render
    from memhtml_tui.demo_store import SITUATIONS

    now = flags.instant_of(args.now)
    by_name: dict[str, Situation] = {each.name: each for each in SITUATIONS}
    twin, budget = by_name["twin"], by_name["budget"]
    outcome = store.search(twin.after.request(now))
    place = next((hit.place for hit in outcome.hits if hit.path == twin.focus), 1)
    output.data(f"$ memhtml-tui search '{twin.after.query}' --why {place}\n")
    show(outcome, output)
    output.data("\n" + "\n".join(words.why(outcome, place)))
    request = budget.after.request(now)
    recalled = store.search(request)
    pack = store.pack(recalled)
    output.data(f"\n$ memhtml-tui recall '{request.query}' --budget {request.ranking.memories_budget}\n")
    output.data(render(request.query, pack).text)
    for line in words.pack_lines(pack):
        output.data(line)
    output.note("this is the printed form; in a terminal, `memhtml-tui demo` opens the explorer")
