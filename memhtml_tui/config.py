"""`config.toml`: what a person settles once (DESIGN 10, last paragraph).

Read before anything else of the app; a key that does not exist is named with the nearest one that does, so
that no setting is silently without effect. Order of force: flag, environment, this file, default.
"""

from __future__ import annotations

import difflib
import os
import sys
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from memhtml_core.errors import UsageError

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib  # type: ignore[import-not-found, unused-ignore]

if TYPE_CHECKING:
    from memhtml_tui.settings import Options

VARIABLE = "MEMHTML_TUI_CONFIG"
"""Names another file; one that is named must be there."""


@dataclass(frozen=True, slots=True)
class Kind:
    """What a value has to be: `words` says it to people, `holds` tests it."""

    words: str
    holds: Callable[[Any], bool]


def _number(low: float, high: float) -> Kind:
    def holds(value: Any) -> bool:
        return isinstance(value, (int, float)) and not isinstance(value, bool) and low <= value <= high

    return Kind(f"a number from {low:g} to {high:g}", holds)


def _whole(low: int, high: int) -> Kind:
    def holds(value: Any) -> bool:
        return isinstance(value, int) and not isinstance(value, bool) and low <= value <= high

    return Kind(f"a whole number from {low:,} to {high:,}", holds)


def _one_of(*names: str) -> Kind:
    return Kind(" or ".join(names), lambda value: value in names)


_TEXT = Kind("a text", lambda value: isinstance(value, str) and bool(value))
_SWITCH = Kind("true or false", lambda value: isinstance(value, bool))
_TABLE = Kind("a table", lambda value: isinstance(value, dict))

SCREEN: Mapping[str, Kind] = {
    "theme": _TEXT,
    "glyphs": _one_of("unicode", "ascii"),
    "embed_deadline": _number(0.1, 3_600),
    "follow": _SWITCH,
}
"""Keys at the top of the file: how the explorer looks and behaves."""

STORE: Mapping[str, Kind] = {
    "index": _one_of("auto", "tree", "peer"),
    "embedder": _TEXT,
    "state": _one_of("auto", "none"),
    "read_only": _SWITCH,
    "embed": _SWITCH,
}
"""Keys of `[store]`: how any store is opened."""

ASKING: Mapping[str, Kind] = {
    "limit": _whole(0, 1_000_000),
    "k": _whole(1, 1_000_000),
    "arm_limit": _whole(1, 1_000_000),
    "pool_factor": _whole(1, 1_000_000),
    "recall_pool": _whole(1, 1_000_000),
    "mmr_lambda": _number(0, 1),
    "twin_cosine": _number(0, 1),
    "demotion": _number(0, 1),
    "coverage_floor": _number(0, 1),
    "arcs_budget": _whole(0, 1_000_000),
    "memories_budget": _whole(0, 1_000_000),
    "per_entity": _whole(0, 1_000_000),
    "polarity": _SWITCH,
    "mmr": _SWITCH,
    "pack_order": _one_of("fused", "diversified"),
}
"""Keys of `[defaults]`: the explorer's first request. A printed command stays what it says everywhere."""

TABLES = ("store", "defaults", "weights", "keys")
_WEIGHT = _number(0, 1_000)


@dataclass(frozen=True, slots=True)
class Config:
    """What the file states, and no more. `path` is None where there is no file; `keys` goes from the id of
    an action to its keys in Textual's notation, several joined with commas."""

    path: Path | None = None
    screen: Mapping[str, Any] = field(default_factory=dict)
    store: Mapping[str, Any] = field(default_factory=dict)
    asking: Mapping[str, Any] = field(default_factory=dict)
    weights: Mapping[str, float] = field(default_factory=dict)
    keys: Mapping[str, str] = field(default_factory=dict)


def config_path(environ: Mapping[str, str]) -> Path | None:
    """Where the file is looked for: `MEMHTML_TUI_CONFIG`, else the user's configuration directory.

    None where there is no such directory, because the user has no home.
    """
    named = environ.get(VARIABLE)
    if named:
        return Path(os.path.expanduser(named))
    from platformdirs import user_config_path

    try:
        found = user_config_path("memhtml-tui", appauthor=False)
    except RuntimeError:  # newer versions refuse where older ones give a path below the working folder
        return None
    return found / "config.toml" if found.is_absolute() else None


def read_config(environ: Mapping[str, str]) -> Config:
    """The file, checked. Raises `UsageError` for one that was named and cannot be read, that is no TOML, or
    that holds a key or value which cannot be meant; ids of actions are checked by `memhtml_tui.keymap`.
    """
    path = config_path(environ)
    if path is None:
        return Config()
    try:
        text = path.read_bytes().decode("utf-8")
    except FileNotFoundError:
        if environ.get(VARIABLE):
            raise UsageError("no such file", subject=f"{VARIABLE}={path}", remedy="Write it") from None
        return Config()
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(
            "the configuration cannot be read", subject=str(path), remedy=f"The reason: {error}"
        ) from None
    try:
        return _checked(path, tomllib.loads(text))
    except tomllib.TOMLDecodeError as error:
        raise UsageError("not TOML", subject=str(path), remedy=f"The reason: {error}") from None


def _checked(path: Path, data: Mapping[str, Any]) -> Config:
    top = {**SCREEN, **dict.fromkeys(TABLES, _TABLE)}
    _check(path, "", data, top)
    store, asking = data.get("store", {}), data.get("defaults", {})
    weights, keys = data.get("weights", {}), data.get("keys", {})
    _check(path, "store.", store, STORE)
    _check(path, "defaults.", asking, ASKING)
    _check(path, "weights.", weights, dict.fromkeys(weights, _WEIGHT))
    _check(path, "keys.", keys, dict.fromkeys(keys, _TEXT))
    screen = {name: data[name] for name in SCREEN if name in data}
    return Config(path, screen, store, asking, weights, keys)


def _check(path: Path, where: str, given: Mapping[str, Any], known: Mapping[str, Kind]) -> None:
    for name, value in given.items():
        if name not in known:
            raise unknown(path, where, name, known)
        if not known[name].holds(value):
            raise UsageError(
                f"{where}{name} cannot be {value!r}", subject=str(path), remedy=f"It is {known[name].words}"
            )


def unknown(path: Path, where: str, name: str, known: Iterable[str]) -> UsageError:
    """The error for a key that does not exist, with the nearest one that does."""
    near = difflib.get_close_matches(name, sorted(known), n=1, cutoff=0.0)
    nearest = f"The nearest one is {where}{near[0]}" if near else f"{where.rstrip('.')} takes none"
    return UsageError(f"unknown key {where}{name}", subject=str(path), remedy=nearest)


def with_config(options: Options, config: Config) -> Options:
    """The options with what the file says; flags and environment come on top of the result."""
    stated = dict(config.screen)
    for name, own in (("index", "source"), ("embedder", "embedder"), ("state", "state")):
        if name in config.store:
            stated[own] = config.store[name]
    for name in ("read_only", "embed"):
        if name in config.store:
            stated[name] = config.store[name]
    asking = dict(config.asking)
    if "limit" in asking:
        stated["limit"] = asking.pop("limit")
    if config.weights:
        asking["weights"] = dict(config.weights)
    return replace(options, **stated, ranking=asking, keymap=dict(config.keys))
