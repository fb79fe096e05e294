"""The library of memhtml-tui: reads a memory store, ranks it, explains the order and folds recall packs.

Public names load on first use (PEP 562), so importing the package loads neither numpy nor an HTML parser.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from memhtml_core.errors import MemhtmlError as MemhtmlError
    from memhtml_core.opened import OpenStore as OpenStore
    from memhtml_core.opened import open_store as open_store
    from memhtml_core.pack.entries import Pack as Pack
    from memhtml_core.rank.outcome import Outcome as Outcome
    from memhtml_core.rank.request import FacetFilter as FacetFilter
    from memhtml_core.rank.request import Ranking as Ranking
    from memhtml_core.rank.request import Request as Request
    from memhtml_core.rank.request import Scope as Scope

_HOMES = {
    "FacetFilter": "rank.request",
    "MemhtmlError": "errors",
    "OpenStore": "opened",
    "Outcome": "rank.outcome",
    "Pack": "pack.entries",
    "Ranking": "rank.request",
    "Request": "rank.request",
    "Scope": "rank.request",
    "open_store": "opened",
}
__all__ = list(_HOMES)


def __getattr__(name: str) -> object:
    try:
        home = _HOMES[name]
    except KeyError:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}") from None
    return getattr(import_module(f"{__name__}.{home}"), name)


def __dir__() -> list[str]:
    return [*globals(), *_HOMES]
