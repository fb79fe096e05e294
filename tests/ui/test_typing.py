"""Which words of a query line become chips while a person types, and what is left at the cursor."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memhtml_core.rank.request import Scope
from memhtml_core.rank.typed import scope_words, split_line
from memhtml_tui.typing import taken


def at(marked: str) -> tuple[str, int]:
    """A line with `|` where its cursor stands."""
    return marked.replace("|", ""), marked.index("|")


@pytest.mark.parametrize(
    ("line", "left", "words"),
    [
        ("kettle tag:kitchen |", "kettle |", "tag:kitchen"),
        ("cut  ws:night-tram |", "cut  |", "ws:night-tram"),
        ("tag:a |", "|", "tag:a"),
        ("tag:a kettle|", "kettle|", "tag:a"),
        ("tag:a |kettle", "| kettle", "tag:a"),
        ("one tag:a |two", "one | two", "tag:a"),
        ("tag:a ket|tle", "ket|tle", "tag:a"),
        ("kettle tag:a type:b|", "kettle type:b|", "tag:a"),
        ("kettle tag:kitchen|", "kettle tag:kitchen|", ""),
        ("kettle tag:kit| more", "kettle tag:kit| more", ""),
        ("tag:a ws:x| more", "ws:x| more", "tag:a"),
        ('kettle tag:"night shift"|', "kettle |", 'tag:"night shift"'),
        ('"a tag:b |c"', '"a tag:b |c"', ""),
    ],
)
def test_what_is_left_keeps_the_blank_at_the_cursor(line: str, left: str, words: str) -> None:
    result = taken(*at(line), Scope(), finished=False)
    assert (result.text, result.cursor) == at(left)
    assert " ".join(scope_words(result.scope)) == words


def test_enter_finishes_the_word_at_the_cursor_and_starts_a_new_one() -> None:
    result = taken("kettle tag:kitchen", 18, Scope(), finished=True)
    assert (result.text, result.cursor, result.query) == ("kettle ", 7, "kettle")


def test_a_word_that_is_being_typed_is_not_searched_for() -> None:
    assert taken("kettle tag:", 11, Scope(), finished=False).query == "kettle"
    assert taken("kettle tag:", 11, Scope(), finished=True).query == "kettle tag:"


@given(st.lists(st.sampled_from(["kettle", "tag:a", "ws:b", "type:c", "of"]), min_size=1, max_size=6))
def test_typed_with_a_pause_after_every_key_is_as_typed_at_once(words: list[str]) -> None:
    scope, text, cursor = Scope(), "", 0
    for key in " ".join(words) + " ":
        text, cursor = text[:cursor] + key + text[cursor:], cursor + 1
        result = taken(text, cursor, scope, finished=False)
        scope, text, cursor = result.scope, result.text, result.cursor
    whole = split_line(" ".join(words))
    assert (scope, text.split()) == (whole.scope, whole.query.split())
