"""The fold against the goldens, against a second writing of the same rules, and its promises under random
input.
"""

from __future__ import annotations

import json
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from memhtml_core.pack.entries import Envelope, Material, PackEntry, TierReason
from memhtml_core.pack.fold import fold
from tests.counts import count
from tests.shared import shared

NAMES = ("ada", "Ada", "bo", "cy", "")
TEXTS = st.text(alphabet=["x", "é", "\n", "🚢", "字"], max_size=12)


def units(text: str) -> int:
    return len(text.encode("utf-16-le", "surrogatepass")) // 2


@st.composite
def material_lists(draw: st.DrawFn) -> list[Material]:
    made = []
    for number in range(draw(st.integers(0, 9))):
        gist = draw(TEXTS)
        text = gist if draw(st.booleans()) else draw(TEXTS)
        names = tuple(draw(st.lists(st.sampled_from(NAMES), max_size=3)))
        made.append(Material(f"areas/{number}.html", f"t{number}", gist, "semantic", names, text))
    return made


BUDGETS = st.integers(-3, 60)
CAPS = st.integers(0, 3)


def reference_full(materials: list[Material], budget: int, cap: int) -> list[str]:
    """Paths quoted in full, as RETRIEVAL 10 words it: counted anew for every candidate, nothing carried
    along.
    """
    quoted: list[Material] = []
    for candidate in materials:
        spent = sum(units(m.disclosure_text) for m in quoted)
        used_up = any(sum(name in m.entity_names for m in quoted) >= cap for name in candidate.entity_names)
        if not used_up and spent + units(candidate.disclosure_text) <= budget:
            quoted.append(candidate)
    return [m.path for m in quoted]


def reference_lines(materials: list[Material], budget: int, cap: int) -> list[str]:
    """Paths in the disclosure tier, as DESIGN 6 words it."""
    full = reference_full(materials, budget, cap)
    by_path = {m.path: m for m in materials}
    spent = sum(units(by_path[p].disclosure_text) for p in full)
    chosen = []
    for at, candidate in enumerate(materials):
        if candidate.path in full or not candidate.gist:
            continue
        earlier = [by_path[p] for p in full if materials.index(by_path[p]) < at]
        capped = any(sum(n in m.entity_names for m in earlier) >= cap for n in candidate.entity_names)
        if capped and candidate.gist == candidate.disclosure_text:
            continue
        if spent + units(candidate.gist) <= budget:
            chosen.append(candidate.path)
            spent += units(candidate.gist)
    return chosen


def tier(envelope: Envelope, name: str) -> list[str]:
    return [e.path for e in envelope.entries if e.tier == name]


def answer(envelope: Envelope) -> dict[str, Any]:
    def line(entry: PackEntry) -> dict[str, str]:
        return {
            "path": entry.path,
            "title": entry.title,
            "gist": entry.gist,
            "memoryType": entry.memory_type,
        }

    return {
        "disclosed": [{**line(e), "body": e.text} for e in envelope.entries if e.tier == "full"],
        "indexLines": [line(e) for e in envelope.entries if e.tier != "full"],
        "spentChars": envelope.full_spent,
        "truncated": envelope.truncated,
    }


def test_full_tier_equals_the_goldens() -> None:
    cases = json.loads(shared("parity/goldens_units.json").read_text(encoding="utf-8"))["fold"]
    assert len(cases) == 5
    for case in cases:
        materials = [
            Material(
                c["path"],
                c["title"],
                c["gist"],
                c["memoryType"],
                tuple(c["entityNames"]),
                c["disclosureText"],
            )
            for c in case["in"]["c"]
        ]
        assert answer(fold(materials, case["in"]["b"], 2, "memories")) == case["out"]


@given(material_lists(), BUDGETS, CAPS)
@settings(max_examples=count(300, 3_000), deadline=None)
def test_both_passes_equal_a_second_writing(materials: list[Material], budget: int, cap: int) -> None:
    envelope = fold(materials, budget, cap, "memories")
    assert tier(envelope, "full") == reference_full(materials, budget, cap)
    assert tier(envelope, "disclosure") == reference_lines(materials, budget, cap)


@given(material_lists(), BUDGETS, CAPS)
@settings(max_examples=count(300, 3_000), deadline=None)
def test_nothing_is_dropped_and_nothing_overspent(materials: list[Material], budget: int, cap: int) -> None:
    envelope = fold(materials, budget, cap, "arcs")
    assert [e.path for e in envelope.entries] == [m.path for m in materials]
    assert [e.place for e in envelope.entries] == list(range(1, len(materials) + 1))
    assert envelope.spent <= max(0, budget)
    assert (
        envelope.spent
        == sum(units(e.text) for e in envelope.entries)
        == sum(e.cost for e in envelope.entries)
    )
    assert envelope.full_spent == sum(e.cost for e in envelope.entries if e.tier == "full")
    assert sum(envelope.count(t) for t in ("full", "disclosure", "index")) == len(materials)


@given(material_lists(), BUDGETS, CAPS)
@settings(max_examples=count(200, 1_500), deadline=None)
def test_full_tier_does_not_depend_on_the_disclosure_pass(
    materials: list[Material], budget: int, cap: int
) -> None:
    without_claims = [
        Material(m.path, m.title, "", m.memory_type, m.entity_names, m.disclosure_text) for m in materials
    ]
    full = fold(materials, budget, cap, "memories")
    bare = fold(without_claims, budget, cap, "memories")
    assert tier(full, "full") == tier(bare, "full")
    assert tier(bare, "disclosure") == []


@given(material_lists(), BUDGETS, CAPS)
@settings(max_examples=count(300, 1_500), deadline=None)
def test_every_reason_is_true_in_its_numbers(materials: list[Material], budget: int, cap: int) -> None:
    envelope = fold(materials, budget, cap, "memories")
    by_path = {m.path: m for m in materials}
    for entry in envelope.entries:
        material = by_path[entry.path]
        assert entry.needs == units(material.disclosure_text)
        if entry.tier == "full":
            assert (entry.full_reason, entry.line_reason) == (TierReason.QUOTED, None)
            assert entry.needs <= entry.left
        elif entry.full_reason is TierReason.CAPPED:
            assert entry.cap_entity in material.entity_names
            assert len(entry.cap_holders) == cap
            assert all(entry.cap_entity in by_path[p].entity_names for p in entry.cap_holders)
        else:
            assert entry.full_reason is TierReason.NEEDS_MORE
            assert entry.needs > entry.left
        if entry.tier == "disclosure":
            assert entry.line_reason is TierReason.QUOTED
            assert entry.cost == entry.line_needs <= entry.line_left
        elif entry.line_reason is TierReason.NEEDS_MORE:
            assert entry.line_needs == units(material.gist) > entry.line_left
        elif entry.line_reason is TierReason.CLAIM_IS_TEXT:
            assert entry.full_reason is TierReason.CAPPED
            assert material.gist == material.disclosure_text != ""
        elif entry.tier == "index":
            assert entry.line_reason is TierReason.NO_CLAIM
            assert material.gist == ""


def memory(path: str, gist: str, text: str, *names: str) -> Material:
    return Material(path, path.upper(), gist, "semantic", names, text)


def test_arcs_do_not_crowd_out_what_stands_behind_them() -> None:
    """cases/bug-reports 22: a text that does not fit leaves the shorter ones behind it their place."""
    long = memory("long", "A long one.", "x" * 9_001)
    short = [memory(f"s{n}", "Short.", "Short. And more.") for n in range(3)]
    envelope = fold([long, *short], 9_000, 2, "memories")
    assert [e.tier for e in envelope.entries] == ["disclosure", "full", "full", "full"]
    first = envelope.entries[0]
    assert (first.needs, first.left, first.line_needs, first.line_left) == (9_001, 9_000, 11, 9_000 - 3 * 16)


def test_budget_counts_utf16_units() -> None:
    ship = memory("ship", "🚢", "🚢🚢")
    assert fold([ship], 3, 2, "memories").entries[0].tier == "disclosure"
    assert fold([ship], 4, 2, "memories").entries[0].tier == "full"


def test_zero_fits_an_empty_text_and_a_negative_budget_fits_nothing() -> None:
    empty = memory("empty", "", "")
    assert fold([empty], 0, 2, "memories").entries[0].tier == "full"
    refused = fold([empty], -1, 2, "memories")
    assert (refused.entries[0].tier, refused.spent, refused.truncated) == ("index", 0, True)


def test_a_capped_claim_that_is_the_whole_text_stays_out() -> None:
    same = [memory(f"m{n}", "Same.", "Same.", "svc") for n in range(3)]
    entry = fold(same, 1_000, 2, "memories").entries[2]
    assert (entry.tier, entry.line_reason) == ("index", TierReason.CLAIM_IS_TEXT)
    assert (entry.cap_entity, entry.cap_holders) == ("svc", ("m0", "m1"))
    longer = [*same[:2], memory("m2", "Same.", "Same. And why.", "svc")]
    assert fold(longer, 1_000, 2, "memories").entries[2].tier == "disclosure"
