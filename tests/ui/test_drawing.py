"""The pure drawing tools: bars, wrapping, marked words, arms, settings."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len
from rich.style import Style
from rich.text import Text
from textual.theme import Theme

from memhtml_core.errors import UsageError
from memhtml_core.rank.outcome import ArmRun
from memhtml_core.rank.request import Request
from memhtml_tui.look import DARK, LIGHT, Look, bar
from memhtml_tui.panes.draw import Line, cut, line, marked, query_words, wrapped
from memhtml_tui.settings import Options, from_environment
from tests.ui.fakes import NOW, default_cards, outcome_of

PLAIN = Style()


def test_a_bar_is_as_long_as_the_sum_on_the_shared_scale() -> None:
    parts = [(0.5, "F", PLAIN), (0.25, "V", PLAIN), (0.0, "R", PLAIN)]
    assert bar(parts, 1.0, 20).plain == "F" * 10 + "V" * 5
    assert bar(parts, 0.75, 20).plain == "F" * 13 + "V" * 7
    assert bar([(1e-9, "F", PLAIN)], 1.0, 20).plain == "F"
    assert bar(parts, 0.0, 20).plain == ""


@given(st.lists(st.floats(0, 1), max_size=6), st.integers(1, 60))
def test_a_bar_never_leaves_its_room(values: list[float], width: int) -> None:
    drawn = bar([(value, "x", PLAIN) for value in values], max(sum(values), 1e-6), width)
    assert len(drawn.plain) <= width


@given(st.text(max_size=200), st.integers(1, 40), st.integers(0, 12))
def test_wrapping_loses_no_letter_and_fits_in_cells(text: str, width: int, indent: int) -> None:
    body = line(text)
    rows = wrapped([Line(body, Text(" " * indent), indent)], width)
    assert "".join("".join(row.plain for row in rows).split()) == "".join(body.plain.split())
    for row in rows:
        assert row.cell_len <= max(width, 2)


def test_a_label_stands_once_and_the_rest_hangs_beside_it() -> None:
    rows = wrapped([Line(line("one two three four"), Text("label"), 7)], 16)
    assert [row.plain for row in rows] == ["label  one two", "       three", "       four"]


@given(st.text(max_size=80), st.integers(0, 30))
def test_cutting_is_by_cells(text: str, width: int) -> None:
    assert cell_len(cut(line(text), width, Look()).plain) <= width


def test_matched_words_are_marked_by_sign_and_style_across_case_and_accents() -> None:
    words = query_words('"grosse" AND "wal" OR "one writer"')
    assert words == {"grosse", "wal", "one", "writer"}
    text = marked(line("Große WAL, Wale; One-writer."), words, Look())
    assert text.plain == "«Große» «WAL», Wale; «One»-«writer»."
    bold = [text.plain[s.start : s.end] for s in text.spans if s.style and "bold" in str(s.style)]
    assert bold == ["Große", "WAL", "One", "writer"]
    assert marked(line("a b"), frozenset(), Look()).plain == "a b"


def test_a_fifth_arm_has_a_letter_and_a_pattern_of_its_own() -> None:
    outcome = outcome_of(default_cards(), Request("q", NOW), b"\0" * 16)
    registry = tuple((run.name, run.letter, run.label) for run in outcome.arms)
    toy = ArmRun("toy", "T", "toy arm", 1.0, ())
    looks = Look().arms(
        type(outcome)(
            **{**{k: getattr(outcome, k) for k in outcome.__slots__}, "arms": (*outcome.arms, toy)}
        ),
        (*registry, ("toy", "T", "toy arm")),
    )
    assert [each.letter for each in looks] == ["F", "V", "R", "S", "T"]
    assert len({each.pattern for each in looks}) == 5


@pytest.mark.parametrize("chosen", [DARK, LIGHT], ids=["dark", "light"])
def test_arms_and_text_stand_out_even_in_grey(chosen: Theme) -> None:
    ground = _luminance(chosen.background or "")
    for name in (
        *[chosen.variables[f"arm-{n}"] for n in range(1, 5)],
        chosen.foreground or "",
        chosen.accent or "",
    ):
        light, dark = sorted((_luminance(name), ground), reverse=True)
        assert (light + 0.05) / (dark + 0.05) >= 4.5, name


def _luminance(colour: str) -> float:
    channels = [int(colour[n : n + 2], 16) / 255 for n in (1, 3, 5)]
    grey = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return 0.2126 * grey[0] + 0.7152 * grey[1] + 0.0722 * grey[2]


def test_settings_of_the_environment() -> None:
    given = from_environment(
        {"MEMHTML_TUI_GLYPHS": "ascii", "MEMHTML_TUI_EMBED_DEADLINE": "2.5", "HOME": "/x"}
    )
    assert given == Options(glyphs="ascii", embed_deadline=2.5)
    with pytest.raises(UsageError, match="MEMHTML_TUI_GLYPHS"):
        from_environment({"MEMHTML_TUI_GLYPH": "ascii"})
    with pytest.raises(UsageError, match="unicode or ascii"):
        from_environment({"MEMHTML_TUI_GLYPHS": "emoji"})
    with pytest.raises(UsageError, match="seconds"):
        from_environment({"MEMHTML_TUI_EMBED_DEADLINE": "soon"})
