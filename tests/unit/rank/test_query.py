"""Prose to MATCH text: what counts as a word, and that full text never refuses what comes out."""

from __future__ import annotations

import sys
import unicodedata

import apsw
import pytest
from hypothesis import given
from hypothesis import strategies as st

from memhtml_core.rank.query import match_forms, terms, words
from tests.unit.rank.proof import proof


@pytest.fixture(scope="module")
def fts() -> apsw.Connection:
    connection = apsw.Connection(":memory:")
    connection.execute(
        "CREATE VIRTUAL TABLE t USING fts5(text); INSERT INTO t VALUES ('ubuntu 20.04 don''t not near')"
    )
    return connection


def test_a_word_is_a_run_of_letters_and_numbers() -> None:
    for code in range(sys.maxunicode + 1):
        character = chr(code)
        if character != character.lower():
            continue
        expected = [character] if unicodedata.category(character)[0] in "LN" else []
        assert words(character) == expected, hex(code)


@pytest.mark.parametrize(
    ("query", "whole"),
    [
        ("don't water plot 12", "don AND t AND water AND plot AND 12"),
        ("person:robin hale", "person AND robin AND hale"),
        ("-fuel OR NOT near*", "fuel AND or AND not AND near"),
        ('say "drain the vip" now', 'say AND "drain the vip" AND now'),
        ('one "quote only', "one AND quote AND only"),
        ('"!!" \x00', ""),
        ("Déployé e\u0301tat", "déployé AND e AND tat"),
    ],
)
def test_all_terms_form(query: str, whole: str) -> None:
    assert match_forms(query)[0] == whole


def test_forms_differ_by_the_joining_word_alone() -> None:
    assert match_forms("fuel ferry fuel") == ("fuel AND ferry AND fuel", "fuel OR ferry OR fuel")
    assert match_forms("ferry!") == ("ferry", "ferry")
    assert match_forms("") == ("", "")


@proof
@given(st.text())
def test_full_text_accepts_every_form(fts: apsw.Connection, query: str) -> None:
    whole, some = match_forms(query)
    assert (whole == some) == (len(terms(query)) <= 1)
    for form in {whole, some} - {""}:
        fts.execute("SELECT count(*) FROM t WHERE t MATCH ?", (form,)).fetchall()


@pytest.mark.parametrize("count", [300, 5_000])
def test_a_pasted_page_is_a_query(fts: apsw.Connection, count: int) -> None:
    query = " ".join(f"word{number}" for number in range(count)) + ' "' + "ubuntu 20 " * count + '"'
    for form in match_forms(query):
        assert fts.execute("SELECT count(*) FROM t WHERE t MATCH ?", (form,)).fetchall() == [(0,)]
