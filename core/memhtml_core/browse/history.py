"""The git history of one memory: its versions through moves and archiving, and what lies between two of them.

Reads only, through `store.git`. No git, no repository and no commit are states in words; a version whose
bytes are no text, too large or gone is shown as that.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Final, Literal

from memhtml_core.errors import DocumentRefused, StoreError
from memhtml_core.store.document import blob_sha
from memhtml_core.store.layout import is_archived, normalize_path
from memhtml_core.store.repository import Commit
from memhtml_core.store.tree import Tree

VersionKind = Literal[
    "working file", "created", "changed", "moved", "archived", "restored", "deleted", "merged"
]
Sign = Literal[" ", "-", "+"]

MAX_TEXT: Final = 1 << 20
"""Bytes of a version above which its lines are not compared."""

MAX_PAIRS: Final = 1_000_000
"""Pairs of differing lines above which the whole middle counts as replaced."""


@dataclass(frozen=True, slots=True)
class Version:
    """One state of the file. `commit` is "" for a working file that differs from the last commit.

    `at` is the committer's instant with zone ("" for the working file); `path` where the file was then;
    `blob` the id of its bytes, "" where it was deleted or git does not say.
    """

    commit: str
    at: str
    author: str
    subject: str
    path: str
    kind: VersionKind
    blob: str


@dataclass(frozen=True, slots=True)
class History:
    """Versions, newest first. `words` says what git knows of the store, or why there is no history; `more` is
    true where the limit cut older versions off.
    """

    path: str
    versions: tuple[Version, ...]
    words: str
    more: bool


@dataclass(frozen=True, slots=True)
class DiffLine:
    """One line with its sign, and its number in either version, from 1; None where it is not in that one."""

    sign: Sign
    text: str
    old: int | None
    new: int | None


@dataclass(frozen=True, slots=True)
class Diff:
    """Every line of both versions in order. `state` is "" or says why there are none to show.

    `coarse` is true where the differing middle was too long to compare line by line.
    """

    older: Version | None
    newer: Version
    lines: tuple[DiffLine, ...]
    state: str
    coarse: bool = False

    @property
    def added(self) -> int:
        """Lines that only the newer version has."""
        return sum(line.sign == "+" for line in self.lines)

    @property
    def removed(self) -> int:
        """Lines that only the older version has."""
        return sum(line.sign == "-" for line in self.lines)

    def hunks(self, context: int = 3) -> tuple[tuple[DiffLine, ...], ...]:
        """The changed places, each with up to `context` common lines around it; none without a change."""
        spans: list[list[int]] = []
        for place, line in enumerate(self.lines):
            if line.sign == " ":
                continue
            start, stop = max(0, place - context), min(len(self.lines), place + context + 1)
            if spans and start <= spans[-1][1]:
                spans[-1][1] = stop
            else:
                spans.append([start, stop])
        return tuple(self.lines[start:stop] for start, stop in spans)


def history(tree: Tree, path: str, limit: int = 50) -> History:
    """The last `limit` versions of the file at `path`. Raises `StoreError` where git itself fails."""
    path = normalize_path(path)
    repository = tree.git.describe()
    if repository.state != "ready" or repository.head is None:
        return History(path, (), repository.words, False)
    commits = tree.git.log(path, limit + 1)
    versions = list(_versions(commits))[:limit]
    own = _working(tree, path)
    if own is not None and (not versions or versions[0].blob != own.blob):
        versions.insert(0, own)
    words = repository.words if commits else f"{repository.words}, no commit has this file"
    return History(path, tuple(versions), words, len(commits) > limit)


def version_diff(tree: Tree, older: Version | None, newer: Version) -> Diff:
    """What changed from one version to a later one, line by line; None compares with an empty file."""
    before, first = _text(tree, older)
    after, second = _text(tree, newer)
    if before is None or after is None:
        return Diff(older, newer, (), first or second)
    lines, coarse = _compare(before.splitlines(), after.splitlines())
    return Diff(older, newer, lines, "" if before != after else "the same text", coarse)


def _versions(commits: list[Commit]) -> Iterator[Version]:
    for place, commit in enumerate(commits):
        before = commits[place + 1] if place + 1 < len(commits) else None
        yield Version(
            commit=commit.sha,
            at=commit.at,
            author=commit.author,
            subject=commit.subject,
            path=commit.path,
            kind=_kind(commit, before),
            blob=commit.blob,
        )


def _kind(commit: Commit, before: Commit | None) -> VersionKind:
    if commit.status == "D":
        return "deleted"
    if before is not None and before.path != commit.path:
        into, out = is_archived(commit.path), is_archived(before.path)
        return "moved" if into == out else "archived" if into else "restored"
    if commit.status == "A":
        return "created" if before is None else "restored"
    return "changed" if commit.status else "merged"


def _working(tree: Tree, path: str) -> Version | None:
    """The file as it lies there, None where it cannot be read."""
    try:
        sha = blob_sha(tree.read(path))
    except (StoreError, DocumentRefused):
        return None
    return Version("", "", "", "", path, "working file", sha)


def _text(tree: Tree, version: Version | None) -> tuple[str | None, str]:
    """The text of a version, or why there is none."""
    if version is None or version.kind == "deleted":
        return "", ""
    data = _bytes(tree, version)
    if data is None:
        return None, "git does not have the bytes of this version"
    if len(data) > MAX_TEXT:
        return None, f"{len(data)} bytes, too large to compare"
    if b"\0" in data:
        return None, "not a text"
    return data.decode("utf-8", "replace"), ""


def _bytes(tree: Tree, version: Version) -> bytes | None:
    if version.kind == "working file":
        try:
            return tree.read(version.path)
        except (StoreError, DocumentRefused):
            return None
    if not version.blob:
        return None
    blobs = tree.git.cat_blobs([version.blob])
    return next((data for _, data in blobs), None)


def _compare(old: list[str], new: list[str]) -> tuple[tuple[DiffLine, ...], bool]:
    """Common head and tail first, so that the slow part sees only what differs."""
    head = 0
    while head < min(len(old), len(new)) and old[head] == new[head]:
        head += 1
    tail = 0
    while tail < min(len(old), len(new)) - head and old[-1 - tail] == new[-1 - tail]:
        tail += 1
    left, right = old[head : len(old) - tail], new[head : len(new) - tail]
    coarse = len(left) * len(right) > MAX_PAIRS
    lines = [DiffLine(" ", text, n, n) for n, text in enumerate(old[:head], start=1)]
    for kind, a, b, c, d in _blocks(left, right, coarse):
        if kind == "equal":
            lines += [
                DiffLine(" ", old[head + a + n], head + a + n + 1, head + c + n + 1) for n in range(b - a)
            ]
            continue
        lines += [DiffLine("-", left[n], head + n + 1, None) for n in range(a, b)]
        lines += [DiffLine("+", right[n], None, head + n + 1) for n in range(c, d)]
    for n in range(tail, 0, -1):
        lines.append(DiffLine(" ", old[-n], len(old) - n + 1, len(new) - n + 1))
    return tuple(lines), coarse


def _blocks(left: list[str], right: list[str], coarse: bool) -> list[tuple[str, int, int, int, int]]:
    if coarse:
        return [("replace", 0, len(left), 0, len(right))]
    # Lines that come again and again cost the square of their number, so in long texts they anchor nothing.
    many = len(left) * len(right) > MAX_PAIRS // 25
    return list(SequenceMatcher(None, left, right, autojunk=many).get_opcodes())
