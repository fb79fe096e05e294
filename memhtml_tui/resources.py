"""Where the stylesheets lie: inside the installed package, or beside it in a checkout (DESIGN 3)."""

from __future__ import annotations

from pathlib import Path, PurePath

_HERE = Path(__file__).resolve().parent
BASE = "base.tcss"
"""The stylesheet of everything; views and dialogs have one of their own, read when they are first shown."""


def styles_folder() -> Path:
    """The folder of the stylesheets. A wheel holds them in the package, a checkout next to it."""
    inside = _HERE / "styles"
    return inside if (inside / BASE).is_file() else _HERE.parent / "styles"


def stylesheet(name: str) -> list[str | PurePath]:
    """One stylesheet, as `CSS_PATH` of an app or a screen wants it."""
    return [styles_folder() / name]
