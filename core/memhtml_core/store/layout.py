"""Paths of a store: which ones can be memories, and what a path alone says about one (STORE_FORMAT 1)."""

from __future__ import annotations

import os
import re
import unicodedata
from typing import Final

from memhtml_core.store.vocabulary import BUCKETS, GENERATED

SLUG_LIMIT: Final = 80

_SLASHES: Final = re.compile(r"/+")
_ARCHIVED: Final = re.compile(r"archive/([0-9]{4,})/(.+)", re.DOTALL)
_OUTSIDE_SLUG: Final = re.compile(r"[^a-z0-9]+")
_DATETIME: Final = re.compile(
    r"([0-9]{4})-([0-9]{2})-([0-9]{2})(?:T(?:[01][0-9]|2[0-3]):[0-5][0-9]:(?:[0-5][0-9]|60)Z)?"
)
_MONTH_DAYS: Final = (31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)


def normalize_path(path: str) -> str:
    """`path` without leading slashes, with single slashes inside and without one at the end."""
    return (_SLASHES.sub("/", path) if "//" in path else path).strip("/")


def is_usable_path(path: str) -> bool:
    """Whether `path`, normalized, may name a memory: in a bucket, ending in `.html`, no `.` or `..`."""
    segments = normalize_path(path).split("/")
    return (
        len(segments) > 1
        and segments[0] in BUCKETS
        and segments[-1].endswith(".html")
        and not any(segment in ("", ".", "..") for segment in segments)
    )


def is_indexable(path: str) -> bool:
    """Whether a file at this path of the tree is to be read as a memory; generated listings are not."""
    bucket, slash, rest = normalize_path(path).partition("/")
    return (
        slash == "/"
        and bucket in BUCKETS
        and rest.endswith(".html")
        and rest.rpartition("/")[2] not in GENERATED
    )


def printable(path: str) -> str:
    """`path` as the system gave it, made valid Unicode: every byte that was no UTF-8 as `\\xNN`."""
    return os.fsencode(path).decode("utf-8", "backslashreplace")


def para_of(path: str) -> str:
    """The bucket of a path: its first segment."""
    return normalize_path(path).partition("/")[0]


def workspace_of(path: str) -> str | None:
    """The folder below `projects/` that holds the memory; None everywhere else, also under `archive/`."""
    segments = normalize_path(path).split("/")
    return segments[1] if len(segments) > 2 and segments[0] == "projects" else None


def is_archived(path: str) -> bool:
    """Whether a memory is archived, which its path alone decides, whatever its head says."""
    return para_of(path) == "archive"


def origin_path(path: str) -> str | None:
    """Where an archived memory lay before; None outside the archive and where the year segment is missing."""
    match = _ARCHIVED.fullmatch(normalize_path(path))
    return match[2] if match else None


def archive_path(path: str, year: int) -> str:
    """Where archiving in `year` puts the memory at `path`."""
    return f"archive/{year:04d}/{normalize_path(path)}"


def parse_entity(text: str) -> tuple[str, str] | None:
    """(type, name) of `type:name`, split at the first colon, untrimmed; None where a half is missing."""
    kind, colon, name = text.partition(":")
    return (kind, name) if kind and colon and name else None


def slug(text: str) -> str:
    """The file name, without ending, that the format gives to a title: at most 80 of `a-z0-9-`."""
    decomposed = unicodedata.normalize("NFKD", text)
    bare = "".join(character for character in decomposed if unicodedata.category(character) != "Mn")
    cut = _OUTSIDE_SLUG.sub("-", bare.lower()).strip("-")[:SLUG_LIMIT].rstrip("-")
    return cut or "untitled"


def is_root_href(href: str) -> bool:
    """Whether a head link's target starts at the root of the store: one leading slash, plain segments."""
    if not href.startswith("/"):
        return False
    plain = re.split("[?#]", href, maxsplit=1)[0]
    return not any(segment in ("", ".", "..") for segment in plain[1:].split("/"))


def is_datetime(text: str) -> bool:
    """Whether `text` is `YYYY-MM-DD`, alone or with `THH:MM:SSZ`, of a day that exists, from year 0100 on."""
    match = _DATETIME.fullmatch(text)
    if match is None:
        return False
    year, month, day = (int(part) for part in match.groups())
    if year < 100 or not 1 <= month <= 12:
        return False
    leap = month == 2 and year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)
    return 1 <= day <= _MONTH_DAYS[month - 1] + leap
