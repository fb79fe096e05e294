"""The command line: which command was meant, and how every ending becomes an exit status (DESIGN 10).

0 ok, 1 runtime, 2 usage, 3 store not found or unreadable, 4 an expectation failed, 130 interrupted. Textual
is imported by the commands that need a screen and by no other.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from importlib import import_module

from memhtml_core.errors import MemhtmlError, UsageError
from memhtml_tui import __version__
from memhtml_tui.commands import flags
from memhtml_tui.commands.output import NAME, Output
from memhtml_tui.config import Config, read_config

COMMANDS = ("list", "search", "recall", "read", "index", "status", "batch", "demo", "serve")
"""Every command; the module of each has `add` (its flags) and `run`."""

BLAS_THREADS = ("OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "OMP_NUM_THREADS")
"""Set to 1 unless the person set them: more threads spin on small products and cost more than they save."""

EXAMPLES = """examples:
  memhtml-tui                                   explore the nearest store on the screen
  memhtml-tui ~/memory                          explore that one
  memhtml-tui demo                              look around in a store that is built in
  memhtml-tui serve ~/memory                    explore it in a browser
  memhtml-tui search "one writer many readers"  ranked, with the rank in every arm
  memhtml-tui recall --budget 4000 deploys      the text that an agent would read
  memhtml-tui read --peek areas/inbox/a.html    read a memory and leave no trace

exit status: 0 ok, 1 failure, 2 wrong usage, 3 no store, 4 nothing found (--exit-code), 130 interrupted
"""


def main(argv: Sequence[str] | None = None) -> int:
    """Run a command line and give its exit status; never raises for what a person typed."""
    for variable in BLAS_THREADS:
        os.environ.setdefault(variable, "1")
    unheard = _stand_in()
    for stream in (sys.stdout, sys.stderr):
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None:
            reconfigure(errors="replace")
    output = Output()
    try:
        if unheard:
            raise UsageError(
                "standard output is closed", remedy="Send it to a file, a pipe or the null device"
            )
        args = parse(sys.argv[1:] if argv is None else argv, read_config(os.environ))
        status = _run(args, output)
        output.finish()
        return status
    except BrokenPipeError:
        # Whoever read has seen enough. The interpreter must not meet the closed pipe again at its end.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except KeyboardInterrupt:
        output.note("interrupted")
        return 130
    except MemhtmlError as error:
        output.note(str(error))
        return error.exit_code
    except OSError as error:
        output.note(f"{error.strerror or error}: {error.filename or 'input or output'}")
        return 1


def parse(argv: Sequence[str], config: Config | None = None) -> argparse.Namespace:
    """The command line as flags, all defaults filled in; what the file says about stores is one. Raises
    `UsageError`; `--help` and `--version` exit.
    """
    words = list(argv)
    first = _first_word(words)
    if first is not None and first not in COMMANDS and _is_folder(first):
        words.insert(words.index(first), "--store")
    defaults = {**flags.DEFAULTS, **flags.configured(config or Config())}
    return _parser().parse_args(words, argparse.Namespace(command=None, **defaults))


def _is_folder(word: str) -> bool:
    """A folder that is there, or a word that is written like one: its absence is then said of the folder."""
    return (
        os.path.isdir(os.path.expanduser(word)) or word.startswith((".", "~")) or os.path.dirname(word) != ""
    )


def _first_word(words: Sequence[str]) -> str | None:
    """The first word that is no store flag and no value of one: a command, or the folder of a store."""
    probe = flags.Parser(add_help=False, allow_abbrev=False)
    flags.add_store(probe)
    probe.add_argument("first", nargs="?")
    found: str | None = probe.parse_known_args(words, argparse.Namespace(first=None))[0].first
    return found


def _parser() -> argparse.ArgumentParser:
    parser = flags.Parser(
        prog=NAME,
        description="Explore an agent's HTML memory store, and see why a memory ranked where it did.",
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument("--version", action="version", version=f"{NAME} {__version__}")
    flags.add_store(parser)
    parser.add_argument(
        "--no-history",
        action="store_true",
        default=argparse.SUPPRESS,
        help="keep the explorer's queries in memory, not in a file of your state folder",
    )
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", parser_class=flags.Parser)
    for name in COMMANDS:
        import_module(f"memhtml_tui.commands.{_module(name)}").add(commands)
    return parser


def _stand_in() -> bool:
    """Put the null device where the caller closed a standard stream; says whether stdout was closed.

    The descriptors are taken too, so that no file opened later gets one of them and is written into by a
    program that means a stream.
    """
    unheard = sys.stdout is None
    for number, (name, mode) in enumerate((("stdin", "r"), ("stdout", "w"), ("stderr", "w"))):
        if getattr(sys, name) is None:
            try:
                os.fstat(number)
            except OSError:
                os.open(os.devnull, os.O_RDWR)
            setattr(sys, name, open(os.devnull, mode, encoding="utf-8"))  # noqa: SIM115, for the whole run
    return unheard


def _run(args: argparse.Namespace, output: Output) -> int:
    name = args.command or "app"
    command = import_module(f"memhtml_tui.commands.{_module(name)}")
    status: int = command.run(args, output)
    return status


def _module(name: str) -> str:
    """`list` as a module name would hide the builtin of the same name."""
    return "listing" if name == "list" else name
