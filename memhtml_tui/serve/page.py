"""The page, and the closed list of files that it may ask for: all of it from here, nothing from elsewhere.

textual-serve's own page asks a font server; this one brings the same font from textual-serve's package.
Every address on it is relative, so it works behind a proxy as well.
"""

from __future__ import annotations

import html
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from string import Template

_OWN = Path(__file__).resolve().parent / "static"

FONT_SIZES = (8, 40)
"""Smallest and largest size of a letter, in pixels; 16 where none is asked for."""


@dataclass(frozen=True, slots=True)
class Static:
    """A file that is served, and what it is."""

    path: Path
    content_type: str


def statics() -> Mapping[str, Static]:
    """Every file below `static/` by its name there. A name that is not in this table does not exist."""
    theirs = Path(str(files("textual_serve"))) / "static"
    return {
        "page.css": Static(_OWN / "page.css", "text/css; charset=utf-8"),
        "page.js": Static(_OWN / "page.js", "text/javascript; charset=utf-8"),
        "icon.svg": Static(_OWN / "icon.svg", "image/svg+xml"),
        "xterm.css": Static(theirs / "css" / "xterm.css", "text/css; charset=utf-8"),
        "textual.js": Static(theirs / "js" / "textual.js", "text/javascript; charset=utf-8"),
        "mono.ttf": Static(theirs / "fonts" / "RobotoMono-VariableFont_wght.ttf", "font/ttf"),
        "mono-italic.ttf": Static(theirs / "fonts" / "RobotoMono-Italic-VariableFont_wght.ttf", "font/ttf"),
    }


def page(title: str, font_size: int) -> str:
    """The page of one visit."""
    built = Template((_OWN / "page.html").read_text("utf-8"))
    return built.substitute(title=html.escape(title), font_size=font_size)
