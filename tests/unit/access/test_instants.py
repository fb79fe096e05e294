"""Instants are read in Python as SQLite reads them."""

from __future__ import annotations

from datetime import datetime, timezone

import apsw
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from memhtml_core.access.instants import epoch_seconds, instant
from tests.counts import count

DATABASE = apsw.Connection(":memory:")


def by_sqlite(text: str | None) -> int | None:
    seconds = DATABASE.execute("SELECT unixepoch(?)", (text,)).fetchone()
    assert seconds is not None
    value = seconds[0]
    assert value is None or isinstance(value, int)
    return value


@pytest.mark.parametrize(
    "text",
    [
        "2024-01-01T00:14:59Z", "2024-02-30", "2024-02-29", "0000-01-01", "-4713-11-24",
        "-4714-01-01", "-0001-03-01", "9999-12-31T23:59:59Z", "9999-12-31T24:00:00Z", "2024-13-01",
        "2024-00-01", "2024-01-00", "2024-01-32", "", " 2024-01-01", "2024-01-01 ",
        "2024-01-01TT 10:00", "2024-01-01T10", "2024-01-01T10:00", "2024-01-01T10:00:60Z",
        "2024-01-01T10:00:59.9994Z", "2024-01-01T10:00:59.9996Z", "2024-01-01T10:00:59.",
        "2024-01-01T10:00:00.5+14:00", "2024-01-01T10:00:00-14:59", "2024-01-01T10:00:00+15:00",
        "2024-01-01T10:00:00 z ", "2024-01-01T10:00:00Zx", "10:30", "24:00",
        "2024-01-01T24:00:00.0", "2024-01-01T24:00:01", "24:59:59", "25:00", "2024",
        "2440587.5", "1e6", "-1", "5373484.4", "5373484.5", ".5", "5.", "0x10", "yesterday",
        "2024-01-01\x00junk", "٢٠٢٤-01-01", "2024-01-01T10:00:00\u00a0Z", "1_000", "inf", "nan",
        "+7",
    ],
)  # fmt: skip
def test_odd_texts_are_read_alike(text: str) -> None:
    assert epoch_seconds(text) == by_sqlite(text)


def test_none_is_no_instant() -> None:
    assert epoch_seconds(None) is None


PIECES = st.sampled_from(
    ["2024-01-01", "-0044-03-15", "1999-02-31", "T", " ", "10:00", "23:59:59", ".123456", "Z", "z", "+02:00",
     "-11:30", "\t", "12", "-", ".", "e3", "2460000", ":", "x"]
)  # fmt: skip


@settings(max_examples=count(400, 5_000), deadline=None)
@given(st.lists(PIECES, max_size=6).map("".join))
@example("2024-01-01T10:00:00.999999999999999999999Z")
def test_pieced_texts_are_read_alike(text: str) -> None:
    assert epoch_seconds(text) == by_sqlite(text)


@settings(max_examples=count(400, 5_000), deadline=None)
@given(
    st.integers(-9999, 9999), st.integers(0, 13), st.integers(0, 32), st.integers(0, 25), st.integers(0, 61),
    st.sampled_from(["", "Z", "+05:30", "-00:45", ".25", ".9999Z"]),
)  # fmt: skip
def test_every_day_of_the_calendar_is_read_alike(y: int, m: int, d: int, hh: int, mm: int, rest: str) -> None:
    text = f"{'-' if y < 0 else ''}{abs(y):04}-{m:02}-{d:02}T{hh:02}:{mm:02}:00{rest}"
    assert epoch_seconds(text) == by_sqlite(text)


@settings(max_examples=count(300, 3_000), deadline=None)
@given(st.datetimes(datetime(1, 1, 1), datetime(9999, 12, 31, 23, 59, 59)))
def test_an_instant_is_written_as_it_is_read(moment: datetime) -> None:
    text = moment.isoformat(timespec="seconds") + "Z"
    seconds = epoch_seconds(text)
    assert seconds == int(moment.replace(microsecond=0, tzinfo=timezone.utc).timestamp())
    assert instant(seconds) == text


def test_beyond_the_calendar_the_last_second_is_written() -> None:
    assert instant(10**15) == "9999-12-31T23:59:59Z"
    assert instant(-(10**15)) == "0001-01-01T00:00:00Z"
