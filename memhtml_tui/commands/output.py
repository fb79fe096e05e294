"""Where a command writes: data to stdout, narration to stderr, each made harmless on the way (DESIGN 10).

JSON is ASCII and raw, one object per line; everything else passes `memhtml_tui.text`.
"""

from __future__ import annotations

import json
import math
import re
import sys
import time
from collections.abc import Mapping, Sequence, Set
from dataclasses import fields, is_dataclass
from enum import Enum
from pathlib import PurePath
from typing import TYPE_CHECKING, Any, TextIO

from memhtml_tui.text import clean, one_line

if TYPE_CHECKING:
    from memhtml_core.index.progress import Progress

NAME = "memhtml-tui"

_QUIET_S = 0.5
"""A pass that ends sooner than this is not worth a line."""


class Output:
    """The two streams of a run. `data` goes to stdout, `note` and progress to stderr."""

    def __init__(self, out: TextIO | None = None, err: TextIO | None = None) -> None:
        self._out = sys.stdout if out is None else out
        self._err = sys.stderr if err is None else err
        self._begun = time.monotonic()
        self._drawn = False

    @property
    def is_terminal(self) -> bool:
        """Whether a person reads stdout."""
        return self._out.isatty()

    def data(self, text: str = "") -> None:
        """One or several lines of the answer."""
        self._out.write(clean(text) + "\n")

    def json(self, value: object, schema: str | None = None) -> None:
        """One JSON object on a line of its own, flushed; `schema` names its shape and version."""
        plain = data_of(value)
        if schema is not None:
            plain = {"schema": schema, **plain}
        self._out.write(json.dumps(plain, ensure_ascii=True, allow_nan=False) + "\n")
        self._out.flush()

    def note(self, text: str) -> None:
        """A remark for the person who ran the command."""
        self._wipe()
        self._err.write(f"{NAME}: {one_line(text)}\n")

    def progress(self, progress: Progress) -> None:
        """How far a pass is: on a terminal one line that is written over, elsewhere nothing."""
        if not self._err.isatty() or time.monotonic() - self._begun < _QUIET_S:
            return
        total = "" if progress.total is None else f" of {progress.total}"
        rate = f", {progress.rate:.0f} per second" if progress.rate else ""
        self._err.write(f"\r\x1b[K{NAME}: {one_line(progress.phase)} {progress.done}{total}{rate}")
        self._err.flush()
        self._drawn = True

    def finish(self) -> None:
        """Put both streams in order; raises `BrokenPipeError` where nobody reads any more."""
        self._wipe()
        self._err.flush()
        self._out.flush()

    def _wipe(self) -> None:
        if self._drawn:
            self._err.write("\r\x1b[K")
            self._drawn = False


def table(head: Sequence[str], rows: Sequence[Sequence[str]], left: Set[int] = frozenset()) -> str:
    """Columns two spaces apart, numbers to the right; those in `left` and the last one to the left."""
    from rich.cells import cell_len

    every = [[one_line(cell) for cell in row] for row in (head, *rows)]
    last = len(head) - 1
    widths = [max(cell_len(row[place]) for row in every) for place in range(last)]
    lines = []
    for row in every:
        cells = []
        for place, width in enumerate(widths):
            gap = " " * (width - cell_len(row[place]))
            cells.append(row[place] + gap if place in left else gap + row[place])
        lines.append("  ".join((*cells, row[last])).rstrip())
    return "\n".join(lines)


def tabbed(rows: Sequence[Sequence[str]]) -> str:
    """Rows for other programs: cells on one line each, parted by tabs."""
    return "\n".join("\t".join(one_line(cell) for cell in row) for row in rows)


def data_of(value: object) -> Any:
    """A frozen result as plain JSON data: fields in camel case, enums by value, infinities as strings."""
    if isinstance(value, Enum):
        return value.value
    if value is None or isinstance(value, str | bool | int):
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else str(value)
    if is_dataclass(value) and not isinstance(value, type):
        kind = getattr(value, "kind", None)
        plain = {camel(field.name): data_of(getattr(value, field.name)) for field in fields(value)}
        return {"kind": kind, **plain} if isinstance(kind, str) else plain
    if isinstance(value, Mapping):
        return {str(key): data_of(each) for key, each in value.items()}
    if isinstance(value, PurePath):
        return str(value)
    if isinstance(value, Set):
        return sorted(str(each) for each in value)
    if isinstance(value, Sequence):
        return [data_of(each) for each in value]
    raise TypeError(f"{type(value).__name__} has no JSON form")


def camel(name: str) -> str:
    """`memory_type` as `memoryType`."""
    return re.sub("_([a-z0-9])", lambda match: match[1].upper(), name)
