"""Where the stylesheets lie: inside the installed package, or beside it in a checkout (DESIGN 3)."""

from __future__ import annotations

from pathlib import Path, PurePath

_HERE = Path(__file__).resolve().parent
SHEETS = ("base.tcss", "search.tcss", "pack.tcss", "memory.tcss", "dialogs.tcss")
"""Every stylesheet of the app, in the order in which they apply."""


def styles_folder() -> Path:
    """The folder of the stylesheets. A wheel holds them in the package, a checkout next to it."""
    inside = _HERE / "styles"
    return inside if (inside / SHEETS[0]).is_file() else _HERE.parent / "styles"


def stylesheets() -> list[str | PurePath]:
    """Paths for `App.CSS_PATH`."""
    folder = styles_folder()
    return [folder / name for name in SHEETS]
