"""The function-level goldens of the reference that concern ranking."""

from __future__ import annotations

import functools
import json
import struct
from typing import Any

import pytest

from memhtml_core.rank.collation import locale_key
from memhtml_core.rank.diversity import mmr
from memhtml_core.rank.polarity import Claim, claim_text, divergent, polarity_scored
from memhtml_core.rank.query import match_forms
from memhtml_core.rank.scope import parse_facet
from memhtml_core.rank.snippet import cut
from tests.shared import shared


@functools.lru_cache(maxsize=1)
def units() -> dict[str, list[dict[str, Any]]]:
    loaded: dict[str, list[dict[str, Any]]] = json.loads(
        shared("parity/goldens_units.json").read_text("utf-8")
    )
    return loaded


def vector(values: list[float] | None) -> bytes | None:
    return None if values is None else struct.pack(f"<{len(values)}f", *values)


def forms(given: Any) -> Any:
    whole, some = match_forms(given)
    return {"all": whole, "any": some}


def facet(given: Any) -> Any:
    found = parse_facet(given)
    return None if found is None else {"name": found.name, "value": found.value}


def negation(given: Any) -> Any:
    return divergent(*given)


def polarity(given: Any) -> Any:
    claims = [
        Claim(r["path"], claim_text(r["gist"], r["body_text"]), vector(r.get("vector"))) for r in given["r"]
    ]
    return [list(pair) for pair in polarity_scored(given["q"], claims)[0]]


def diversity(given: Any) -> Any:
    entries = [(e["path"], e["score"], vector(e.get("vector"))) for e in given["i"]]
    return [step.path for step in mmr(entries, given["l"], given["m"])]


def in_order(given: Any) -> Any:
    return sorted(given, key=locale_key)


@pytest.mark.shared
@pytest.mark.parametrize(
    ("group", "function"),
    [
        ("fts_forms", forms),
        ("facet_spec", facet),
        ("negation", negation),
        ("polarity", polarity),
        ("mmr", diversity),
        ("snippet", cut),
        ("locale_sorted", in_order),
    ],
)
def test_unit_goldens(group: str, function: Any) -> None:
    cases = units()[group]
    assert cases
    for case in cases:
        assert function(case["in"]) == case["out"], case["in"]
