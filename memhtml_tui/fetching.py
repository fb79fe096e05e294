"""What the Pack and the Memory view ask of the store beside searches: each as one job, none of it a write
into the store.

Every answer is posted as `Fetched` to whoever asked. What git is asked runs on a thread of its own, because a
slow repository must not hold up a search.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from textual.message import Message

from memhtml_core.errors import MemhtmlError
from memhtml_tui import export
from memhtml_tui.around import Around, Between, Fetched, Past, Source, Written
from memhtml_tui.messages import JobFailed

if TYPE_CHECKING:
    from memhtml_core.browse.history import Version
    from memhtml_tui.session import Session
    from memhtml_tui.settings import Options
    from memhtml_tui.stores import Store

Post = Callable[[Message], object]


def fetch_around(session: Session, path: str, post: Post) -> None:
    """The chain and the neighbours of a memory: `Around`."""
    session.read(
        "around", lambda store: Fetched(Around(path, store.chain(path), store.neighbours(path))), post
    )


def fetch_past(session: Session, path: str, post: Post) -> None:
    """The history of a memory's file: `Past`."""
    _aside(session, "history", lambda store: Fetched(Past(path, store.history(path))), post)


def fetch_between(session: Session, path: str, older: Version | None, newer: Version, post: Post) -> None:
    """What lies between two versions: `Between`."""
    _aside(session, "versions", lambda store: Fetched(Between(path, store.between(older, newer))), post)


def fetch_source(session: Session, path: str, post: Post, *, edit: bool = False) -> None:
    """The file of a memory: `Source`. It was read, so it is no link and lies inside the store."""

    def work(store: Store) -> Message:
        data = store.source(path)
        return Fetched(Source(path, store.root.resolve() / path, data, edit))

    session.read("source", work, post)


def write_file(session: Session, options: Options, text: str, typed: str, post: Post) -> None:
    """Write `text` to the file that a person named: `Written`, or `JobFailed` with what is wrong."""

    def work(store: Store) -> Message:
        to = export.target(
            typed, store=store.root, served=options.served, folder=options.export, base=Path.cwd()
        )
        return Fetched(Written(to, export.write(text, to)))

    session.read("export", work, post)


def _aside(session: Session, name: str, work: Callable[[Store], Message], post: Post) -> None:
    def run(store: Store) -> None:
        try:
            message = work(store)
        except MemhtmlError as error:
            message = JobFailed(error, name)
        post(message)

    def start(store: Store) -> None:
        threading.Thread(target=run, args=(store,), name=f"memhtml-{name}", daemon=True).start()

    session.read(name, start, post)
