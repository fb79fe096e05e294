"""When SQLite's `unixepoch` says an instant is, in plain Python, so that a prediction and the write agree.

The state plane compares instants in SQL. What an open will do is announced before it, without a database;
this module reads the same texts the same way (a test compares both over odd texts). "now" is the one
exception: it is no instant.
"""

from __future__ import annotations

import re
from datetime import date, datetime, timedelta, timezone

_SPACE = " \t\n\v\f\r"
_DAY = re.compile(r"(-?)([0-9]{4})-([0-9]{2})-([0-9]{2})")
_CLOCK = re.compile(r"([0-9]{2}):([0-9]{2})(?::([0-9]{2})(\.[0-9]+)?)?")
_ZONE = re.compile(r"([+-])([0-9]{2}):([0-9]{2})")
_JULIAN = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")
_JULIAN_EPOCH_MS = 210_866_760_000_000
_JULIAN_END = 5_373_484.5
_LAST_MS = 464_269_060_799_999
_DAY_MS = 86_400_000


def epoch_seconds(text: str | None) -> int | None:
    """Whole seconds since 1970, or None where the text is no instant.

    Read are what SQLite reads: a day, optionally a clock time to the minute, second or fraction and a zone; a
    clock time alone (on 2000-01-01); a Julian day number. A day beyond the end of its month runs into the
    next one; second 60 is no time, and of hour 24 only its beginning; fractions are rounded to milliseconds,
    then cut.
    """
    if text is None:
        return None
    milliseconds = _milliseconds(text.partition("\0")[0])
    if milliseconds is None or not 0 <= milliseconds <= _LAST_MS:
        return None
    return milliseconds // 1000 - _JULIAN_EPOCH_MS // 1000


def instant(seconds: int) -> str:
    """The store's form of an instant, `YYYY-MM-DDTHH:MM:SSZ`; beyond the year 9999 its last second."""
    try:
        moment = datetime(1970, 1, 1, tzinfo=timezone.utc) + timedelta(seconds=seconds)
    except OverflowError:
        return "9999-12-31T23:59:59Z" if seconds > 0 else "0001-01-01T00:00:00Z"
    return moment.replace(tzinfo=None).isoformat(timespec="seconds") + "Z"


def _milliseconds(text: str) -> int | None:
    """Milliseconds since noon of the first Julian day, which is how SQLite counts."""
    day = _DAY.match(text)
    if day:
        rest = text[day.end() :].lstrip(_SPACE + "T")
        clock = 0 if not rest else _clock(rest)
        start = _day(day)
        return None if clock is None or start is None else start + clock
    clock = _clock(text)
    if clock is not None:
        return _julian_ms(2000, 1, 1) + clock
    number = _JULIAN.fullmatch(text.strip(_SPACE))
    if not number:
        return None
    julian = float(number.group())
    return int(julian * _DAY_MS + 0.5) if 0.0 <= julian < _JULIAN_END else None


def _day(found: re.Match[str]) -> int | None:
    year, month, day = int(found[2]), int(found[3]), int(found[4])
    if found[1]:
        year = -year
    return _julian_ms(year, month, day) if 1 <= month <= 12 and 1 <= day <= 31 else None


def _julian_ms(year: int, month: int, day: int) -> int:
    # The proleptic Gregorian calendar repeats every 400 years of 146,097 days; Python's begins with year 1.
    cycles = (year - 1) // 400
    days = date(year - 400 * cycles, month, 1).toordinal() + day - 1 + 146_097 * cycles
    return (days - date(1970, 1, 1).toordinal()) * _DAY_MS + _JULIAN_EPOCH_MS


def _clock(text: str) -> int | None:
    found = _CLOCK.match(text)
    if not found:
        return None
    hours, minutes, seconds = int(found[1]), int(found[2]), int(found[3] or 0)
    if hours > 24 or minutes > 59 or seconds > 59:
        return None
    zone = _zone(text[found.end() :])
    if zone is None:
        return None
    fraction = min(0.999, float("0" + found[4])) if found[4] else 0.0
    if hours == 24 and (minutes or seconds or fraction):
        return None
    return (hours * 60 + minutes - zone) * 60_000 + int((seconds + fraction) * 1000 + 0.5)


def _zone(text: str) -> int | None:
    """Minutes east of Greenwich that the rest of a clock time states."""
    rest = text.lstrip(_SPACE)
    if rest[:1] in ("Z", "z"):
        return 0 if not rest[1:].strip(_SPACE) else None
    found = _ZONE.match(rest)
    if not found:
        return 0 if not rest else None
    hours, minutes = int(found[2]), int(found[3])
    if hours > 14 or minutes > 59 or rest[found.end() :].strip(_SPACE):
        return None
    return (hours * 60 + minutes) * (-1 if found[1] == "-" else 1)
