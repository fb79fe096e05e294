"""A person's own keys, checked against the table of actions: none takes the place of another unseen."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from memhtml_core.errors import UsageError
from memhtml_tui.config import unknown
from memhtml_tui.keys import ACTS, Act

APART = (
    frozenset({"rows", "text"}),
    frozenset({"rows", "memory"}),
    frozenset({"search", "pack", "memory", "lab", "health"}),
)
"""Places that never have the keyboard together: one focus, one view, and no list of memories in a memory."""


def remapped(acts: Sequence[Act], keymap: Mapping[str, str]) -> list[Act]:
    """The actions with the keys of a keymap (id of an action to its keys)."""
    return [
        replace(act, keys=keymap[act.id].replace(" ", ""), shown_as="") if act.id in keymap else act
        for act in acts
    ]


def checked(keymap: Mapping[str, str], path: Path | None) -> dict[str, str]:
    """The keymap, without spaces. Raises `UsageError` for an id that is no action, and for a key that would
    mean two things in one place."""
    ids = [act.id for act in ACTS]
    for name in keymap:
        if name not in ids:
            raise unknown(path or Path("config.toml"), "keys.", name, ids)
    acts = remapped(ACTS, keymap)
    for number, act in enumerate(acts):
        for later, other in enumerate(acts[number + 1 :], start=number + 1):
            # What two actions share by default is settled by who has the focus, and tested with the table.
            shared = _shared(act, other) - _shared(ACTS[number], ACTS[later])
            if shared and together(act, other):
                raise UsageError(
                    f"{min(shared)} would mean both {act.id} and {other.id}",
                    subject=str(path or "config.toml"),
                    remedy="Give one of them another key",
                )
    return {name: keys.replace(" ", "") for name, keys in keymap.items()}


def _shared(one: Act, other: Act) -> set[str]:
    return set(one.keys.split(",")) & set(other.keys.split(","))


def together(one: Act, other: Act) -> bool:
    """Whether two actions can have the keyboard at once."""
    for place in one.where:
        for another in other.where:
            if place == another or not any(place in group and another in group for group in APART):
                return True
    return False
