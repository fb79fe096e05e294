"""The server's log: our own sentences whole, of everybody else's no more than who, how bad and where.

Libraries put reprs, payloads and locals into their messages, and those may hold text of memories or the
token. A log that people paste into reports must hold neither.
"""

from __future__ import annotations

import logging
import sys
import time
from pathlib import Path
from typing import TextIO

from memhtml_core.plain import one_line

LOGGER = "memhtml_tui.serve"

_AGAIN_S = 10.0


class Scrubbed(logging.Formatter):
    """One line a record; of an exception its type and the innermost place, never its message."""

    def format(self, record: logging.LogRecord) -> str:
        """The line."""
        own = record.name == LOGGER
        said = record.getMessage() if own else f"{record.levelname.lower()} in {record.name}"
        return one_line(f"{time.strftime('%H:%M:%S', time.localtime(record.created))} {said}{_place(record)}")


def _place(record: logging.LogRecord) -> str:
    if not record.exc_info or record.exc_info[0] is None:
        return ""
    kind, _, trace = record.exc_info
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    where = "" if trace is None else f" at {Path(trace.tb_frame.f_code.co_filename).name}:{trace.tb_lineno}"
    return f": {kind.__name__}{where}"


def start_log(stream: TextIO | None = None) -> logging.Logger:
    """Send every logger of this process through `Scrubbed` to stderr; our own logger."""
    handler = logging.StreamHandler(sys.stderr if stream is None else stream)
    handler.setFormatter(Scrubbed())
    logging.basicConfig(level=logging.WARNING, handlers=[handler], force=True)
    own = logging.getLogger(LOGGER)
    own.setLevel(logging.INFO)
    return own


class Repeats:
    """Bounds a flood of the same remark: the first at once, then one every ten seconds with their number."""

    def __init__(self) -> None:
        self._last: dict[str, float] = {}
        self._held: dict[str, int] = {}

    def due(self, remark: str, now: float) -> str | None:
        """What to write for this remark at `now` (seconds, monotonic), None for nothing yet."""
        if now - self._last.get(remark, -_AGAIN_S) < _AGAIN_S:
            self._held[remark] = self._held.get(remark, 0) + 1
            return None
        self._last[remark] = now
        held = self._held.pop(remark, 0)
        return f"{remark} ({held} more since)" if held else remark
