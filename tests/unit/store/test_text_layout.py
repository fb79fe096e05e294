"""Whitespace, UTF-16, numbers and path algebra."""

from __future__ import annotations

import datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memhtml_core.store import layout, text
from memhtml_core.store.vocabulary import BUCKETS

SEGMENT = st.text(st.characters(exclude_characters="/\0", exclude_categories=["Cs"]), min_size=1).filter(
    lambda segment: segment not in (".", "..")
)
USABLE = st.builds(
    lambda bucket, folders, name: "/".join([bucket, *folders, name + ".html"]),
    st.sampled_from(BUCKETS),
    st.lists(SEGMENT, max_size=4),
    st.text(st.characters(exclude_characters="/\0", exclude_categories=["Cs"])),
)


@pytest.mark.parametrize(
    ("given_text", "trimmed"),
    [
        ("\u00a0a\u00a0", "a"),
        ("\ufeffa\u3000", "a"),
        ("\x85a\x1c", "\x85a\x1c"),
        (" \v\f\r\n\ta", "a"),
        ("\u200b", "\u200b"),
    ],
)
def test_js_trim_has_its_own_notion_of_space(given_text: str, trimmed: str) -> None:
    assert text.js_trim(given_text) == trimmed


def test_js_split_keeps_what_only_python_calls_space() -> None:
    assert text.js_split("a\x85b\u00a0c\ufeffd  e\x1ff") == ["a\x85b", "c", "d", "e\x1ff"]


@given(st.text(alphabet=" \t\n\f\r\v\u00a0ab"))
def test_flat_is_idempotent_and_leaves_single_spaces(value: str) -> None:
    flat = text.flat(value)
    assert text.flat(flat) == flat
    assert not any(run in flat for run in ("  ", "\n", "\t", "\r", "\f"))
    assert [part for part in flat.split(" ") if part] == [
        part
        for part in text.js_trim(value)
        .replace("\t", " ")
        .replace("\n", " ")
        .replace("\f", " ")
        .replace("\r", " ")
        .split(" ")
        if part
    ]


@given(st.text(), st.integers(0, 20), st.integers(0, 20))
def test_utf16_agrees_with_the_encoding(value: str, start: int, length: int) -> None:
    units = value.encode("utf-16-le", "surrogatepass")
    assert text.utf16_length(value) == len(units) // 2
    cut = text.utf16_slice(value, start, start + length)
    assert cut.encode("utf-16-le", "surrogatepass") == units[2 * start : 2 * (start + length)]


def test_a_cut_inside_a_pair_leaves_half_of_it() -> None:
    assert text.utf16_slice("a😀", 0, 2) == "a\ud83d"


@pytest.mark.parametrize(
    ("stated", "number"),
    [
        (" 7 ", 7.0),
        ("1e0", 1.0),
        (".5", 0.5),
        ("5.", 5.0),
        ("0x1F", 31.0),
        ("0b11", 3.0),
        ("0O17", 15.0),
        ("+3", 3.0),
        ("\u00a04\ufeff", 4.0),
        ("1_0", None),
        ("", None),
        ("  ", None),
        ("1e999", None),
        ("Infinity", None),
        ("-0x1", None),
        ("12px", None),
        (".", None),
        ("1e", None),
        ("٣", None),
        ("NaN", None),
        ("0x" + "f" * 400, None),
        ("\x851", None),
    ],
)
def test_numbers_are_read_as_in_ecmascript(stated: str, number: float | None) -> None:
    assert text.js_number(stated) == number


def test_minus_zero_is_zero() -> None:
    assert str(text.js_number("-0")) == "0.0"


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_a_printed_number_reads_back(value: float) -> None:
    assert text.js_number(repr(value)) == value


@given(USABLE)
def test_what_is_usable_and_no_listing_is_indexable(path: str) -> None:
    assert layout.normalize_path(path) == path
    assert layout.is_usable_path(path)
    listing = path.rpartition("/")[2] == "index.html"
    assert layout.is_indexable(path) is not listing
    assert layout.is_usable_path(f"//{path}/") is True


@given(USABLE, st.integers(0, 12_345))
def test_archiving_can_be_undone_once(path: str, year: int) -> None:
    archived = layout.archive_path(path, year)
    assert layout.origin_path(archived) == path
    assert layout.is_archived(archived)
    assert layout.workspace_of(archived) is None
    assert layout.origin_path(layout.archive_path(archived, year)) == archived


@pytest.mark.parametrize(
    "path", ["areas/../x.html", "areas/./x.html", "areas", "x.html", "areas/x.HTML", "Areas/x.html", ""]
)
def test_unusable_paths(path: str) -> None:
    assert not layout.is_usable_path(path)


@given(st.dates(min_value=datetime.date(100, 1, 1)))
def test_every_real_day_is_a_datetime_and_no_other(day: datetime.date) -> None:
    stated = f"{day.year:04d}-{day.month:02d}-{day.day:02d}"
    assert layout.is_datetime(stated)
    assert layout.is_datetime(stated + "T23:59:60Z")
    assert not layout.is_datetime(stated + "T23:59:59+00:00")
    assert not layout.is_datetime(stated + "\n")


@pytest.mark.parametrize(
    "stated",
    ["2023-02-29", "1900-02-29", "2024-04-31", "2024-00-01", "0099-12-31", "2024-1-1", "２024-01-01"],
)
def test_days_that_do_not_exist_are_refused(stated: str) -> None:
    assert not layout.is_datetime(stated)


@given(st.text())
def test_a_slug_is_a_safe_name_and_its_own_slug(title: str) -> None:
    slug = layout.slug(title)
    assert 0 < len(slug) <= layout.SLUG_LIMIT
    assert set(slug) <= set("abcdefghijklmnopqrstuvwxyz0123456789-")
    assert layout.slug(slug) == slug


@given(st.text(), st.text())
def test_entities_split_at_the_first_colon(kind: str, name: str) -> None:
    parsed = layout.parse_entity(f"{kind}:{name}")
    if kind and name and ":" not in kind:
        assert parsed == (kind, name)
    assert layout.parse_entity(kind.replace(":", "")) is None
