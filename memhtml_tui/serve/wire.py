"""What a browser may say on the socket, read strictly: the frames of textual-serve's page (1.1.3).

A frame is a JSON list: `["stdin", text]`, `["resize", {"width": w, "height": h}]`, `["ping", text]`,
`["focus"]`, `["blur"]`. Anything else ends the session; no frame is ever quoted in a log.
"""

from __future__ import annotations

import json
from dataclasses import dataclass

FRAME_BYTES = 256 * 1024
"""The largest frame that a browser may send: a long paste fits, a flood does not."""

COLUMNS = (20, 500)
LINES = (6, 200)
"""Least and most cells of a screen; a size outside is drawn at the nearest one inside."""

_PING_LENGTH = 64


class BadFrame(ValueError):
    """A frame that textual-serve's page never sends. Says nothing of what was in it."""


@dataclass(frozen=True, slots=True)
class Typed:
    """Keys, mouse and pastes, as a terminal writes them."""

    data: bytes


@dataclass(frozen=True, slots=True)
class Resized:
    """The screen has this many cells now."""

    columns: int
    lines: int


@dataclass(frozen=True, slots=True)
class Pinged:
    """A time to be sent back."""

    stamp: str


@dataclass(frozen=True, slots=True)
class Focused:
    """The terminal got or lost the focus."""

    now: bool


Frame = Typed | Resized | Pinged | Focused


def read_frame(text: str) -> Frame:
    """The frame that `text` is. Raises `BadFrame`."""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        raise BadFrame("not JSON") from None
    match value:
        case ["stdin", str(typed)]:
            return Typed(typed.encode("utf-8", "replace"))
        case ["resize", {"width": int(width), "height": int(height)}]:
            return Resized(within(width, COLUMNS), within(height, LINES))
        case ["ping", str(stamp)] if len(stamp) <= _PING_LENGTH:
            return Pinged(stamp)
        case ["focus" | "blur" as kind]:
            return Focused(kind == "focus")
    raise BadFrame("not a frame of this page")


def cells(text: str | None, bounds: tuple[int, int], default: int) -> int:
    """A number of cells from a query string, at most a few digits long."""
    return (
        within(int(text), bounds) if text and text.isascii() and text.isdigit() and len(text) < 6 else default
    )


def within(number: int, bounds: tuple[int, int]) -> int:
    """The nearest number inside the bounds."""
    return max(bounds[0], min(bounds[1], number))
