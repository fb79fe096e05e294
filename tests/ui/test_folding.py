"""Thresholds and the difference of two packs in words; another budget needs no other search."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memhtml_core.pack.build import Materials
from memhtml_core.pack.diff import diff_packs
from memhtml_core.pack.entries import Material
from memhtml_core.rank.request import Ranking, Request, Scope
from memhtml_tui.answers import Answer
from memhtml_tui.look import Look
from memhtml_tui.panes.steps import diff_lines, diff_text, request_changes, step_line, step_lines, step_text
from memhtml_tui.refold import folded, refolded
from tests.ui.fakes import FakeStore

LOOK = Look()
TEXTS = st.text("ab ", min_size=1, max_size=40)


def _answer(materials: Materials, ranking: Ranking, tmp: Path, *, waiting: bool = False) -> Answer:
    request = Request("readers", 0.0, kind="recall", ranking=ranking)
    made = folded(4, request, FakeStore(tmp).search(request, b""), materials, waiting)
    return replace(made, fold_ms=0.1)


def _material(number: int, gist: str, text: str, *entities: str) -> Material:
    return Material(f"areas/{number}.html", f"Title {number}", gist, "semantic", entities, text)


@given(
    st.lists(st.tuples(TEXTS, TEXTS, st.sampled_from(["a", "b"])), max_size=6),
    st.integers(0, 150),
    st.integers(0, 150),
    st.integers(0, 3),
)
@settings(max_examples=60, deadline=None)
def test_a_pack_folded_again_is_the_pack_folded_new(
    texts: list[tuple[str, str, str]], before: int, after: int, cap: int
) -> None:
    rows = tuple(_material(n, gist, gist + text, entity) for n, (gist, text, entity) in enumerate(texts))
    materials = Materials((), rows)
    first = _answer(materials, Ranking(memories_budget=before), Path("x"))
    wanted = replace(first.request, now=9.0, ranking=Ranking(memories_budget=after, per_entity=cap))
    again = refolded(first, wanted)
    new = _answer(materials, wanted.ranking, Path("x"))
    assert again is not None
    assert (again.pack, again.rendered, again.steps) == (new.pack, new.rendered, new.steps)
    assert again.generation == first.generation
    assert again.outcome.request == again.request
    assert again.request.now == first.request.now
    again = replace(again, fold_ms=0.1)
    if again.steps is not None and again.steps.memories.up is not None:
        turned = refolded(
            again,
            replace(wanted, ranking=replace(wanted.ranking, memories_budget=again.steps.memories.up.budget)),
        )
        assert turned is not None
        assert turned.pack is not None
        assert again.pack is not None
        assert diff_packs(again.pack, turned.pack).memories.changes == again.steps.memories.up.diff.changes


def test_what_takes_a_search_is_not_folded_again(tmp_path: Path) -> None:
    answer = _answer(Materials((), (_material(1, "a", "abc"),)), Ranking(), tmp_path)
    same = replace(answer.request, ranking=Ranking(arcs_budget=1))
    assert refolded(answer, same) is not None
    assert refolded(None, same) is None
    assert refolded(replace(answer, waiting=True), same) is None
    assert refolded(replace(answer, fold_ms=5.1), same) is None
    assert refolded(answer, replace(same, query="other")) is None
    assert refolded(answer, replace(same, scope=Scope(workspace="w"))) is None
    assert refolded(answer, replace(same, ranking=Ranking(pack_order="diversified"))) is None
    assert refolded(answer, replace(same, ranking=Ranking(weights={"fts": 2.0}))) is None


def test_the_next_threshold_is_a_sentence(tmp_path: Path) -> None:
    rows = (_material(1, "claim one", "x" * 400), _material(2, "claim two", "y" * 90))
    answer = _answer(Materials((), rows), Ranking(memories_budget=100), tmp_path)
    assert answer.steps is not None
    up = step_text(answer.steps.memories.up, up=True).plain
    assert up == "8 more characters turn Title 2 from disclosure to full" or up.startswith(
        f"{answer.steps.memories.up.by:,} more characters turn " if answer.steps.memories.up else "none"
    )
    lines = [each.label.plain + each.body.plain for each in step_lines(answer.steps, "memories", LOOK)]
    assert lines[0].startswith("memories ▴ ")
    assert " fewer characters turn " in lines[1]
    assert len(lines) == 2
    assert step_line(answer.steps, "memories").plain == up
    assert step_line(answer.steps, "arcs").plain == "no budget below turns anything"
    empty = [each.body.plain for each in step_lines(answer.steps, "arcs", LOOK)]
    assert empty[:2] == ["no budget above turns anything", "no budget below turns anything"]


def test_the_difference_of_two_packs_names_what_turned_came_and_left(tmp_path: Path) -> None:
    rows = (_material(1, "claim", "x" * 50), _material(2, "other", "y" * 50), _material(3, "third", "z" * 9))
    before = _answer(Materials((), rows[:2]), Ranking(memories_budget=100), tmp_path)
    after = _answer(Materials((), rows[1:]), Ranking(memories_budget=20, weights={"fts": 2.0}), tmp_path)
    assert before.pack is not None
    assert after.pack is not None
    diff = diff_packs(before.pack, after.pack)
    said = [
        each.label.plain + each.body.plain for each in diff_lines(diff, before.request, after.request, LOOK)
    ]
    assert "weights of fts" in said[0]
    assert "memories budget 100 to 20" in said[0]
    assert "● F → ◐ D Title 2" in said
    assert "-   → ● F Title 3  came" in said
    assert "● F → -   Title 1  left" in said
    assert diff_text(diff).plain == "1 turned, 1 came, 1 left"
    same = diff_packs(before.pack, before.pack)
    assert diff_text(same).plain == "no tier changed"
    assert "nothing in the request" in diff_lines(same, before.request, before.request, LOOK)[0].body.plain


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"query": "other"}, "query readers to other"),
        ({"scope": Scope(workspace="x")}, "the scope"),
        ({"like": "areas/x.html"}, "like nothing to areas/x.html"),
        ({"simulated": {"fts": "switched off"}}, "the simulated outages"),
        ({"ranking": Ranking(pack_order="diversified")}, "order fused to diversified"),
        ({"ranking": Ranking(mmr_lambda=0.25)}, "lambda 0.5 to 0.25"),
        ({"ranking": Ranking(polarity=False)}, "polarity on to off"),
        ({"ranking": Ranking(off=frozenset(["fts"]))}, "arms off: fts"),
    ],
)
def test_every_change_of_a_request_is_named(change: dict[str, object], said: str) -> None:
    before = Request("readers", 0.0)
    assert request_changes(before, replace(before, now=5.0, **change)) == [said]  # type: ignore[arg-type]
    assert request_changes(before, replace(before, now=5.0)) == []
