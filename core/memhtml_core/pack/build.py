"""Turns a recall's outcome into its pack: reads the texts, splits arcs from memories, folds each."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from memhtml_core.embed.protocol import Space
from memhtml_core.errors import UsageError
from memhtml_core.pack.entries import Material, Pack
from memhtml_core.pack.fold import fold
from memhtml_core.pack.order import pack_order
from memhtml_core.rank.outcome import Outcome
from memhtml_core.rank.request import Ranking

if TYPE_CHECKING:
    from memhtml_core.index.database import Database

ARC = "arc"


def build(database: Database, outcome: Outcome, space: Space | None = None) -> Pack:
    """The pack of a recall, folded from `outcome.pool` under the budgets of its request (RETRIEVAL 10,
    DESIGN 6).

    The order is the request's `pack_order`; `space` is for `pack_order` alone. Raises `UsageError` for the
    outcome of a search, whose pool depends on its limit. Memories that left the index since the outcome was
    made are left out.
    """
    return materials_of(database, outcome, space).fold(outcome.request.ranking)


@dataclass(frozen=True, slots=True)
class Materials:
    """What a recall is folded from, arcs and memories apart, in pack order; any budget folds from here."""

    arcs: tuple[Material, ...]
    memories: tuple[Material, ...]

    def fold(self, ranking: Ranking) -> Pack:
        """The pack under the budgets and the cap of `ranking`."""
        return Pack(
            arcs=fold(self.arcs, ranking.arcs_budget, ranking.per_entity, "arcs"),
            memories=fold(self.memories, ranking.memories_budget, ranking.per_entity, "memories"),
        )


def materials_of(database: Database, outcome: Outcome, space: Space | None = None) -> Materials:
    """The texts behind a recall; raises as `build` does."""
    if outcome.request.kind != "recall":
        raise UsageError(
            "a pack is folded from a recall", subject=outcome.request.kind, remedy="Ask for a recall"
        )
    materials = read_materials(database, pack_order(database, outcome, space))
    return Materials(
        arcs=tuple(m for m in materials if m.memory_type == ARC),
        memories=tuple(m for m in materials if m.memory_type != ARC),
    )


def read_materials(database: Database, paths: Sequence[str]) -> list[Material]:
    """What folding needs of each path, in the order given.

    An entity whose name holds a line break counts as several names, as in the reference (RETRIEVAL 9).
    """
    keys = (json.dumps(list(paths)),)
    chosen = "f.path IN (SELECT value FROM json_each(?1))"
    rows = database.rows(
        "SELECT f.path, f.id, t.title, t.gist, f.memory_type, t.disclosure_text "
        f"FROM files f JOIN file_texts t ON t.file_id = f.id WHERE {chosen}",
        keys,
    )
    names: dict[int, list[str]] = {}
    entities = database.rows(
        "SELECT e.file_id, e.entity_name FROM file_entities e JOIN files f ON f.id = e.file_id "
        f"WHERE {chosen} ORDER BY e.file_id, e.entity_name",
        keys,
    )
    for file_id, name in entities:
        names.setdefault(file_id, []).extend(name.split("\n"))
    found = {
        path: Material(path, title, gist, memory_type, _distinct(names.get(file_id, ())), text)
        for path, file_id, title, gist, memory_type, text in rows
    }
    return [found[path] for path in paths if path in found]


def _distinct(names: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(names))
