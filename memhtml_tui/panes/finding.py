"""Finding words inside a text that is already wrapped: a match may run over the end of a row."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Place:
    """One stretch of a match, within one row; `start` and `end` count its characters from 0."""

    row: int
    start: int
    end: int


def places(rows: Sequence[str], words: str) -> list[tuple[Place, ...]]:
    """Every match of `words` in `rows`, none overlapping, in order; upper and lower case are one, and so is
    any run of white space, line ends included.
    """
    needle = " ".join(words.split()).casefold()
    if not needle:
        return []
    text, origins = _flattened(rows)
    found: list[tuple[Place, ...]] = []
    at = text.find(needle)
    while at >= 0:
        found.append(_stretches(origins[at : at + len(needle)]))
        at = text.find(needle, at + len(needle))
    return found


def _flattened(rows: Sequence[str]) -> tuple[str, list[tuple[int, int]]]:
    parts: list[str] = []
    origins: list[tuple[int, int]] = []
    for number, row in enumerate(rows):
        for column, character in enumerate(f"{row} "):
            if character.isspace():
                if not parts or parts[-1] == " ":
                    continue
                folded = " "
            else:
                folded = character.casefold()
            for part in folded:
                parts.append(part)
                origins.append((number, column))
    return "".join(parts), origins


def _stretches(origins: Sequence[tuple[int, int]]) -> tuple[Place, ...]:
    found: list[Place] = []
    for row, column in origins:
        if found and found[-1].row == row:
            found[-1] = Place(row, found[-1].start, column + 1)
        else:
            found.append(Place(row, column, column + 1))
    return tuple(found)
