"""The queries that were asked, newest first: kept in memory, and in a file of the person's state folder.

The file is never in a store and nobody else's to read (mode 0600 in a folder of 0700). `MEMHTML_TUI_HISTORY`
moves it, `off` there or `--no-history` keeps everything in memory.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping
from pathlib import Path

from memhtml_core.errors import MemhtmlError

VARIABLE = "MEMHTML_TUI_HISTORY"
LONGEST = 500
"""Queries that are kept."""

LONGEST_QUERY = 2_000
"""Characters of a query that is still worth keeping."""


class QueryHistory:
    """Queries, each once, newest first. Without a `file` nothing is written."""

    def __init__(self, file: Path | None = None) -> None:
        self.file = file
        self._entries: list[str] = []

    @property
    def entries(self) -> tuple[str, ...]:
        """The queries, newest first."""
        return tuple(self._entries)

    def load(self) -> None:
        """Read the file of earlier sessions, behind what this one has asked already.

        Lines that hold no query are passed over. Raises `MemhtmlError` where there is a file that cannot be
        read.
        """
        if self.file is None:
            return
        try:
            text = self.file.read_text("utf-8", errors="replace")
        except FileNotFoundError:
            return
        except OSError as error:
            raise _unusable(self.file, error) from error
        found = [query for line in text.splitlines() if (query := _query(line))]
        self._entries = _once([*self._entries, *reversed(found)])
        if len(found) > 2 * LONGEST:
            self._rewrite()

    def add(self, query: str) -> bool:
        """Put a query first; True where that is news, so that it is worth a line of the file."""
        query = query.strip()
        if not query or len(query) > LONGEST_QUERY or self._entries[:1] == [query]:
            return False
        self._entries = _once([query, *self._entries])
        return True

    def write(self, query: str) -> None:
        """Add a line to the file, if there is one. Raises `MemhtmlError` where that fails."""
        if self.file is None:
            return
        line = json.dumps(query.strip()) + "\n"
        try:
            self.file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_NOFOLLOW
            descriptor = os.open(self.file, flags, 0o600)
            with os.fdopen(descriptor, "wb") as out:
                os.fchmod(out.fileno(), 0o600)
                out.write(line.encode("ascii"))
        except OSError as error:
            raise _unusable(self.file, error) from error

    def matching(self, words: str) -> tuple[str, ...]:
        """The queries that hold every one of the words, in any case; all for no words."""
        wanted = words.casefold().split()
        return tuple(q for q in self._entries if all(word in q.casefold() for word in wanted))

    def _rewrite(self) -> None:
        """The kept queries alone, oldest first, put in the place of the file in one step."""
        import tempfile

        assert self.file is not None
        try:
            descriptor, name = tempfile.mkstemp(prefix=self.file.name, dir=self.file.parent)
            with os.fdopen(descriptor, "wb") as out:
                out.writelines((json.dumps(q) + "\n").encode("ascii") for q in reversed(self._entries))
            os.replace(name, self.file)
        except OSError as error:
            raise _unusable(self.file, error) from error


def history_file(environ: Mapping[str, str]) -> Path | None:
    """Where queries are kept; None where that is switched off."""
    stated = environ.get(VARIABLE, "")
    if stated == "off":
        return None
    if stated:
        return Path(stated).expanduser()
    from platformdirs import user_state_path

    return user_state_path("memhtml-tui", appauthor=False) / "queries.jsonl"


def outside(file: Path | None, store: Path | None) -> Path | None:
    """The file, unless it would lie in the store: nothing is written there."""
    if file is None or store is None:
        return file
    return None if file.resolve().is_relative_to(store.resolve()) else file


def _query(line: str) -> str:
    try:
        found = json.loads(line)
    except ValueError:
        return ""
    return found.strip() if isinstance(found, str) and len(found) <= LONGEST_QUERY else ""


def _once(queries: Iterable[str]) -> list[str]:
    return list(dict.fromkeys(queries))[:LONGEST]


def _unusable(file: Path, error: OSError) -> MemhtmlError:
    return MemhtmlError(
        f"the history of queries cannot be kept ({error.strerror or error})",
        subject=str(file),
        remedy=f"Queries stay in memory; {VARIABLE}=off says so for good",
    )
