"""What a person may set for the app: flags, environment, file, defaults (DESIGN 10, last paragraph).

Nothing here touches a store. The command line builds an `Options` from its flags on top of
`from_environment`, and that on top of the file (`memhtml_tui.config`).
"""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Literal

from memhtml_core.errors import UsageError

Source = Literal["auto", "tree", "peer"]
PlaneMode = Literal["auto", "none"]
Glyphs = Literal["unicode", "ascii"]

PREFIX = "MEMHTML_TUI_"
THEMES = ("memhtml-dark", "memhtml-light")
"""The app's own themes; the framework's others are chosen in the palette."""

_KNOWN = frozenset(
    {"CACHE", "CONFIG", "EMBEDDER", "EMBED_DEADLINE", "EXPORT", "GLYPHS", "NO_SQLITE_VEC", "PROVE"}
    | {"HISTORY", "REQUIRE_SHARED", "SERVED", "STATE", "THEME"}
)


@dataclass(frozen=True, slots=True)
class Options:
    """How the app runs on one store.

    `embedder` is a specification as the command line takes it (None: the configured or offline one).
    `demo` is the temporary folder that holds the demo store and its cache, shown in the header so that
    nobody takes it for their own store. `now` fixes the clock (seconds since 1970 UTC), None is the real
    one. `embed_deadline` is in seconds. `served`: somebody's browser is the screen, so no editor and no link
    is opened, and no file is written but into the export folder. `export` is that folder; where it is set,
    exported names are relative to it. `follow`: changes of the store's files are taken up as they happen.
    `ranking` holds the constants of the first request that differ from the default,
    `keymap` the keys of actions by id. `history` is the file of earlier queries, None keeps them in memory.
    """

    source: Source = "auto"
    embedder: str | None = None
    embed: bool = True
    state: PlaneMode = "auto"
    read_only: bool = False
    demo: Path | None = None
    cache: Path | None = None
    glyphs: Glyphs = "unicode"
    theme: str = THEMES[0]
    now: float | None = None
    query: str = ""
    limit: int = 10
    embed_deadline: float = 8.0
    served: bool = False
    export: Path | None = None
    follow: bool = True
    ranking: Mapping[str, Any] = field(default_factory=dict)
    keymap: Mapping[str, str] = field(default_factory=dict)
    history: Path | None = None


def from_environment(environ: Mapping[str, str], base: Options | None = None) -> Options:
    """`base` with what `MEMHTML_TUI_*` says on top of it.

    Raises `UsageError` for a value that cannot be meant, and for a variable of ours that does not exist,
    naming the nearest one that does.
    """
    options = Options() if base is None else base
    for name in sorted(environ):
        if name.startswith(PREFIX) and name.removeprefix(PREFIX) not in _KNOWN:
            near = difflib.get_close_matches(name.removeprefix(PREFIX), sorted(_KNOWN), n=1, cutoff=0.0)
            raise UsageError("unknown setting", subject=name, remedy=f"The nearest one is {PREFIX}{near[0]}")
    glyphs = environ.get(PREFIX + "GLYPHS", options.glyphs)
    if glyphs not in ("unicode", "ascii"):
        raise UsageError("unknown glyph set", subject=glyphs, remedy="Choose unicode or ascii")
    deadline = environ.get(PREFIX + "EMBED_DEADLINE")
    if deadline is not None:
        try:
            options = replace(options, embed_deadline=max(0.1, float(deadline)))
        except ValueError:
            raise UsageError(
                "not a number of seconds",
                subject=f"{PREFIX}EMBED_DEADLINE={deadline}",
                remedy="Write 8 or 2.5",
            ) from None
    cache, folder = environ.get(PREFIX + "CACHE"), environ.get(PREFIX + "EXPORT")
    return replace(
        options,
        glyphs="ascii" if glyphs == "ascii" else "unicode",
        theme=environ.get(PREFIX + "THEME", options.theme),
        served=is_served(environ) or options.served,
        cache=Path(cache) if cache and options.cache is None else options.cache,
        export=Path(folder) if folder and options.export is None else options.export,
    )


def is_served(environ: Mapping[str, str]) -> bool:
    """Whether the web view's server started this app. Raises `UsageError` for a value that is neither."""
    served = environ.get(PREFIX + "SERVED", "")
    if served not in ("", "0", "1"):
        raise UsageError(
            "neither served nor not",
            subject=f"{PREFIX}SERVED={served}",
            remedy="Leave it unset: `serve` sets it",
        )
    return served == "1"
