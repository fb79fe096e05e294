"""Hidden characters are written out and nothing else is; words are found over the ends of rows."""

from __future__ import annotations

import re

from hypothesis import given
from hypothesis import strategies as st
from rich.text import Text

from memhtml_core.browse.history import Diff, DiffLine, Version
from memhtml_tui.look import Look
from memhtml_tui.panes.draw import Line, wrapped
from memhtml_tui.panes.finding import places
from memhtml_tui.panes.source import MAX_SHOWN, between_lines, source_lines, visible
from tests.ui.test_hostile import CONTROL, NASTY

LOOK = Look(glyphs="ascii")


@given(st.text(st.characters(codec=None) | st.sampled_from("\x1b\x07\x9b\u202e\u200b\ufeff\xad\U000e0041")))
def test_what_is_drawn_of_a_source_can_act_on_nothing(text: str) -> None:
    shown = visible(text.replace("\n", ""), LOOK).plain
    assert not CONTROL.search(shown)
    assert not re.search("[\u200b\xad\u2060\U000e0000-\U000e0fff]", shown)


@given(st.binary(max_size=60))
def test_any_bytes_are_shown_completely(data: bytes) -> None:
    shown = "\n".join(each.body.plain for each in source_lines(data, LOOK))
    if data.isascii() and b"\\" not in data and b"\t" not in data and data.endswith(b"\n"):
        escaped = re.sub(rb"[\x00-\x09\x0b-\x1f\x7f]", lambda m: b"\\x%02x" % m.group()[0], data)
        assert shown.replace("\\r", "\\x0d") == escaped.decode()[:-1]
    assert not CONTROL.search(shown.replace("\n", ""))


def test_each_kind_of_character_has_its_own_writing() -> None:
    assert visible("a\x1b[2Jb\u202ec\r\t\U000e0041", LOOK).plain == "a\\x1b[2Jb\\u202ec\\r\\t  \\U000e0041"
    (first, *_) = source_lines(b"caf\xe9 \xff\n", LOOK)
    assert first.body.plain == "caf\\xe9 \\xff"
    assert first.label.plain == "1 "
    assert [each.body.plain for each in source_lines(b"a\n\nb", LOOK)] == [
        "a",
        "",
        "b",
        "no line end at the end of the file",
    ]
    assert source_lines(b"", LOOK)[0].body.plain == "an empty file"
    assert "more characters; e opens" in source_lines(b"x" * (MAX_SHOWN + 5), LOOK)[-1].body.plain


def test_a_diff_says_which_versions_and_what_changed() -> None:
    old = Version("a" * 40, "2025-04-02T08:00:00+00:00", "Robin", "make it", "areas/x.html", "created", "1")
    new = Version(
        "b" * 40, "2025-05-02T08:00:00+00:00", NASTY[2], NASTY[5], "archive/x.html", "archived", "2"
    )
    lines = (DiffLine(" ", "same", 1, 1), DiffLine("-", "bell \x07", 2, None), DiffLine("+", "none", None, 2))
    said = [each.label.plain + each.body.plain for each in between_lines(Diff(old, new, lines, ""), LOOK)]
    assert "archived  bbbbbbbbb" in said[0]
    assert said[2] == "moved  areas/x.html -> archive/x.html"
    assert said[3] == "lines  1 added, 1 removed"
    assert said[-3:] == ["  same", "- bell \\x07", "+ none"]
    assert not any(CONTROL.search(each) for each in said)
    stated = between_lines(Diff(None, new, (), "not a text"), LOOK)
    assert stated[-1].body.plain == "not a text"


@given(st.lists(st.text("ab c\u00df", max_size=12), max_size=6), st.text("aB c", max_size=5))
def test_found_places_hold_the_words(rows: list[str], words: str) -> None:
    wanted = " ".join(words.split()).casefold()
    found = places(rows, words)
    for stretches in found:
        joined = " ".join(rows[each.row][each.start : each.end] for each in stretches)
        assert wanted.replace(" ", "") in joined.casefold().replace(" ", "")
    flat = " ".join(" ".join(rows).split()).casefold()
    assert len(found) == (flat.count(wanted) if wanted else 0)


def test_a_match_may_run_over_the_end_of_a_row() -> None:
    rows = wrapped([Line(Text("one writer and many readers share it"), Text("* "), 2)], 16)
    found = places([row.plain for row in rows], "many READERS share")
    assert [[(each.row, rows[each.row].plain[each.start : each.end]) for each in one] for one in found] == [
        [(1, "many readers"), (2, "share")]
    ]
