"""The reference's own answers: order, ranks, scores and hits, equal to the last bit.

A seeded sample by default, every case under MEMHTML_TUI_PROVE=1.
"""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest

from memhtml_core.rank.search import search
from tests.counts import count
from tests.unit.rank.goldens import ARCHIVES, SPACE, answered, cases, embedders, expected, opened, request


@pytest.mark.shared
@pytest.mark.parametrize("name", ARCHIVES)
def test_answers_equal_the_goldens(name: str, tmp_path: Path) -> None:
    golden = cases(name)
    by_variant: dict[str | None, list[dict[str, Any]]] = {}
    sample = random.Random(20260802).sample(golden["cases"], count(20, len(golden["cases"])))
    for case in sample:
        by_variant.setdefault(case.get("variant"), []).append(case)
    stub = embedders()
    for variant, group in by_variant.items():
        folder = tmp_path / str(variant)
        folder.mkdir()
        database, usage = opened(name, folder, golden.get("variants", {}).get(variant, {}))
        with database:
            for case in group:
                outcome = search(
                    database,
                    request(case, golden.get("now")),
                    embedder=stub[case["mode"]],
                    space=SPACE,
                    usage=usage,
                )
                assert answered(outcome) == expected(case, golden["paths"]), case["id"]
                assert outcome.degraded == ("vector" not in {run.name for run in outcome.arms})
