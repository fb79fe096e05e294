"""Go to a memory by a piece of its path or title, over the whole index (DESIGN 9, key `:`).

What is typed is looked for in steps, best first: the whole text, its beginning, the beginning of a path
segment or of a word, anywhere within, and last its letters in order with others between. Case is ignored.
Archived memories are found too, behind the active ones of the same step, and are marked.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from memhtml_core.index.database import Database

Step = Literal["exact", "prefix", "segment", "word", "within", "letters"]
Where = Literal["path", "title"]


@dataclass(frozen=True, slots=True)
class Place:
    """One memory that was found, and how. `spans` are (start, stop) of what matched in the path or title,
    none where folding the case changed its length.
    """

    path: str
    title: str
    memory_type: str
    archived: bool
    step: Step
    where: Where
    spans: tuple[tuple[int, int], ...]


class Places:
    """All paths and titles of one index, read at the first look-up and again after a change of the index.

    Used by the thread that owns the database. Of 100,000 memories it holds some 30 megabytes.
    """

    def __init__(self, database: Database) -> None:
        self.database = database
        self._version: int | None = None
        self._rows: list[tuple[str, str, str, bool]] = []
        self._paths = self._titles = _Lines([])

    def find(self, fragment: str, limit: int = 20) -> tuple[Place, ...]:
        """The first `limit` memories by step; within one active ones first, then short paths, then by path.

        An empty fragment finds nothing: that list is Browse.
        """
        self._fresh()
        wanted = _folded(fragment).strip()
        piece = wanted.lstrip("/")
        found: dict[int, Place] = {}
        if not piece:
            return ()
        for step, where, numbers in self._steps(piece):
            for number in numbers:
                if len(found) >= limit:
                    return tuple(found.values())
                if number not in found:
                    found[number] = self._place(number, step, where, piece)
        return tuple(found.values())

    def _steps(self, piece: str) -> Iterator[tuple[Step, Where, Iterator[int]]]:
        paths, titles = self._paths, self._titles
        yield "exact", "path", paths.with_text(f"\n{piece}\n")
        yield "exact", "title", titles.with_text(f"\n{piece}\n")
        yield "prefix", "path", paths.with_text(f"\n{piece}")
        yield "segment", "path", paths.with_text(f"/{piece}")
        yield "prefix", "title", titles.with_text(f"\n{piece}")
        yield "word", "path", paths.with_text(f"-{piece}")
        yield "word", "title", titles.with_text(f" {piece}")
        yield "within", "path", paths.with_text(piece)
        yield "within", "title", titles.with_text(piece)
        letters = piece.replace(" ", "")
        if len(letters) > 1:
            yield "letters", "path", paths.with_letters(letters)
            yield "letters", "title", titles.with_letters(letters)

    def _place(self, number: int, step: Step, where: Where, piece: str) -> Place:
        path, title, memory_type, archived = self._rows[number]
        shown = path if where == "path" else title
        spans = _SPANS[step](_folded(shown), piece) if len(_folded(shown)) == len(shown) else ()
        return Place(path, title, memory_type, archived, step, where, spans)

    def _fresh(self) -> None:
        version = self.database.data_version()
        if version == self._version:
            return
        rows = self.database.rows(
            "SELECT f.path, t.title, f.memory_type, f.archived FROM files f "
            "JOIN file_texts t ON t.file_id = f.id"
        )
        rows.sort(key=lambda row: (row[3], len(row[0]), row[0]))
        self._rows = [(path, title, kind, bool(archived)) for path, title, kind, archived in rows]
        self._paths = _Lines([row[0] for row in rows])
        self._titles = _Lines([row[1] for row in rows])
        self._version = version


def go_to(database: Database, fragment: str, limit: int = 20) -> tuple[Place, ...]:
    """One look-up; keep a `Places` to look up as somebody types."""
    return Places(database).find(fragment, limit)


class _Lines:
    """Texts as lines of one string, so that one scan in C sees them all."""

    def __init__(self, texts: list[str]) -> None:
        folded = [_folded(text) for text in texts]
        self.text = "\n" + "".join(line + "\n" for line in folded)
        self.starts: list[int] = []
        at = 1
        for line in folded:
            self.starts.append(at)
            at += len(line) + 1

    def with_text(self, needle: str) -> Iterator[int]:
        """The numbers of the lines that hold `needle`, in order; a line end in it stands for an edge."""
        at = self.text.find(needle)
        inside = 1 if needle.startswith("\n") else 0
        while at >= 0:
            number = bisect_right(self.starts, at + inside) - 1
            yield number
            if number + 1 == len(self.starts):
                return
            at = self.text.find(needle, self.starts[number + 1] - 1)

    def with_letters(self, letters: str) -> Iterator[int]:
        """The numbers of the lines that hold these letters in this order."""
        text, first = self.text, letters[0]
        at = text.find(first)
        while at >= 0:
            number = bisect_right(self.starts, at) - 1
            end = self.starts[number + 1] - 1 if number + 1 < len(self.starts) else len(text)
            for letter in letters[1:]:
                at = text.find(letter, at + 1, end)
                if at < 0:
                    break
            else:
                yield number
            at = text.find(first, end)


def _folded(text: str) -> str:
    return text.casefold().replace("\n", " ")


def _start(_text: str, piece: str) -> tuple[tuple[int, int], ...]:
    return ((0, len(piece)),)


def _behind(sign: str) -> Callable[[str, str], tuple[tuple[int, int], ...]]:
    def spans(text: str, piece: str) -> tuple[tuple[int, int], ...]:
        at = text.find(sign + piece) + len(sign)
        return ((at, at + len(piece)),)

    return spans


def _word(text: str, piece: str) -> tuple[tuple[int, int], ...]:
    return _behind("-" if "-" + piece in text else " ")(text, piece)


def _letters(text: str, piece: str) -> tuple[tuple[int, int], ...]:
    spans, at = [], -1
    for letter in piece.replace(" ", ""):
        at = text.find(letter, at + 1)
        spans.append((at, at + 1))
    return tuple(spans)


_SPANS: dict[Step, Callable[[str, str], tuple[tuple[int, int], ...]]] = {
    "exact": _start,
    "prefix": _start,
    "segment": _behind("/"),
    "word": _word,
    "within": _behind(""),
    "letters": _letters,
}
