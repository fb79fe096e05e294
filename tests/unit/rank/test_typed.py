"""Scope words: which words of a line they are, and that what is written out reads back the same."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memhtml_core.errors import UsageError
from memhtml_core.plain import clean
from memhtml_core.rank.request import FacetFilter, Scope
from memhtml_core.rank.typed import format_scope, parse_scope, scope_words, split_line
from tests.unit.rank.proof import proof

TEXT = st.text(max_size=12) | st.text('ab"\\= \n\t:', max_size=8)
SCOPES = st.builds(
    Scope,
    memory_types=st.lists(TEXT, max_size=3).map(tuple),
    workspace=TEXT,
    tags=st.lists(TEXT, max_size=3).map(tuple),
    entity=st.none() | TEXT.filter(bool),
    facets=st.lists(st.builds(FacetFilter, TEXT, TEXT), max_size=3).map(tuple),
    include_archived=st.booleans(),
    as_of=TEXT,
)


@proof
@given(SCOPES)
def test_written_out_and_read_back(scope: Scope) -> None:
    assert parse_scope(format_scope(scope)) == scope


@proof
@given(SCOPES)
def test_an_unset_entity_is_written_as_nothing(scope: Scope) -> None:
    assert parse_scope(format_scope(replace(scope, entity=""))) == replace(scope, entity=None)


@proof
@given(SCOPES)
def test_each_word_adds_its_own_part(scope: Scope) -> None:
    built = Scope()
    for word in scope_words(scope):
        built = split_line(word, built).scope
    assert built == scope


@proof
@given(SCOPES, st.lists(st.sampled_from(["ferry", "12", "x:y", "Tag:a", '"two words"', "tag:"]), max_size=4))
def test_a_query_beside_scope_words_stays_whole(scope: Scope, found: list[str]) -> None:
    query = " ".join(found)
    for line in (f"{format_scope(scope)} {query}", f"{query} {format_scope(scope)}"):
        taken = split_line(line)
        assert taken.query == query
        assert taken.scope == scope
        assert taken.scope_words == scope_words(scope)


@pytest.mark.parametrize(
    "line",
    [
        "person:robin hale",
        "Type:arc",
        "archived:maybe",
        "archived:yes!",
        "tag:",
        "facet:tier",
        "facet:=1",
        "facet:tier=",
        "since:2024",
        'tag:"night',
        'tag:"night"shift',
        'say "drain tag:vip now"',
        "(tag:fuel)",
        "untag:fuel",
    ],
)
def test_query_text(line: str) -> None:
    assert split_line(line) == replace(split_line(""), query=line)


@pytest.mark.parametrize(
    ("line", "scope", "query"),
    [
        ("  fuel   tag:fog  pump ", Scope(tags=("fog",)), "fuel   pump"),
        ("entity:person:robin hale", Scope(entity="person:robin"), "hale"),
        ('entity:"person:robin hale"', Scope(entity="person:robin hale"), ""),
        ("type:arc type:task ws:a ws:b", Scope(memory_types=("arc", "task"), workspace="b"), ""),
        ("facet:doc-type=a=b", Scope(facets=(FacetFilter("doc-type", "a=b"),)), ""),
        ('facet:"doc type"="run book" x', Scope(facets=(FacetFilter("doc type", "run book"),)), "x"),
        (r'tag:"say \"hi\" \\"', Scope(tags=('say "hi" \\',)), ""),
        (r'tag:"\u001b[31m\ud83d"', Scope(tags=("\x1b[31m\ud83d",)), ""),
        (r'tag:"\u12 \\u0041"', Scope(tags=("u12 \\u0041",)), ""),
        ("archived:yes as-of:2024-05-01", Scope(include_archived=True, as_of="2024-05-01"), ""),
        ('odd " quote tag:a', Scope(tags=("a",)), 'odd " quote'),
    ],
)
def test_scope_words(line: str, scope: Scope, query: str) -> None:
    taken = split_line(line)
    assert (taken.scope, taken.query) == (scope, query)


@given(st.text(max_size=8), st.text(max_size=8))
def test_what_is_written_out_can_be_shown(tag: str, name: str) -> None:
    scope = Scope(tags=(tag, "\x1b]0;x\x07", "\ud800"), facets=(FacetFilter(name, "\u202e"),))
    text = format_scope(scope)
    assert clean(text) == text
    assert parse_scope(text) == scope


def test_a_scope_line_takes_nothing_else() -> None:
    with pytest.raises(UsageError, match="not a scope word: fule"):
        parse_scope("tag:fuel fule")
