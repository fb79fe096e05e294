"""The Health view's texts: what the index holds and how fresh it is, vectors, use, months, refused files."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, ClassVar

from rich.text import Text
from textual.binding import BindingType

from memhtml_tui.keys import bindings
from memhtml_tui.look import Look, bar
from memhtml_tui.panes.draw import BOLD, DIM, Line, cut, line, pair, span
from memhtml_tui.panes.linelist import LineList

if TYPE_CHECKING:
    from memhtml_core.browse.health import Health
    from memhtml_core.browse.memory import Problem
    from memhtml_core.browse.timeline import Month
    from memhtml_tui.answers import HealthReport

_LABEL = 12
_BAR = 12


def report_lines(report: HealthReport, look: Look, following: str) -> list[Line]:
    """Index, vectors, memories, use, versions, each under its heading."""
    health = report.health
    return [
        *_index_lines(report, look, following),
        *_vector_lines(report, look),
        *_memory_lines(health),
        *_use_lines(health),
        *_version_lines(health),
    ]


def _heading(words: str, *, first: bool = False) -> list[Line]:
    return [Line(span(words, BOLD))] if first else [Line(Text()), Line(span(words, BOLD))]


def _index_lines(report: HealthReport, look: Look, following: str) -> list[Line]:
    health = report.health
    fresh = health.freshness
    stand = span("current", look.style("success")) if fresh.current else span("behind", look.style("warning"))
    lines = [
        *_heading("index", first=True),
        pair("store", line(health.root), _LABEL),
        pair("source", line(f"{fresh.source}: {report.why}"), _LABEL),
        pair("stands", stand.append_text(line(f", {report.freshness}")), _LABEL),
        pair("git", line(fresh.git), _LABEL),
    ]
    if fresh.pending:
        lines.append(pair("to take up", Text(f"{fresh.pending:,} files; ctrl+r does"), _LABEL))
    lines += [pair("note", line(note, look.style("warning")), _LABEL) for note in fresh.notes]
    lines.append(pair("updated", line(fresh.updated_at or fresh.built_at or "never"), _LABEL))
    lines.append(pair("changes", line(following), _LABEL))
    return lines


def _vector_lines(report: HealthReport, look: Look) -> list[Line]:
    health = report.health
    covered = health.coverage
    known = Text(f"{covered.have:,} of {covered.chunks:,} chunks, {covered.ratio:.1%}")
    if covered.ratio < report.floor:
        known.append(f", below the floor of {report.floor:.0%}", look.style("warning"))
    lines = [
        *_heading("vectors"),
        pair("coverage", known, _LABEL),
        pair("space", line(health.space) if health.space else span("none", DIM), _LABEL),
        pair("embedder", line(report.embedder), _LABEL),
    ]
    if report.foreign:
        lines.append(pair("", span("not the space that the agent asks in", look.style("warning")), _LABEL))
    if report.missing is not None:
        words = line(report.missing.reason.value, look.style("warning"))
        if report.missing.detail:
            words.append(" ").append_text(line(f"({report.missing.detail})"))
        lines.append(pair("out", words, _LABEL))
    lines += [
        pair("other", line(f"{stored.space.name}: {stored.count:,} vectors"), _LABEL)
        for stored in health.spaces
        if stored.space.name != health.space
    ]
    return lines


def _memory_lines(health: Health) -> list[Line]:
    return [
        *_heading("memories"),
        pair("in all", Text(f"{health.memories:,}, {health.archived:,} of them archived"), _LABEL),
        pair("types", _counted(health.types), _LABEL),
        pair("buckets", _counted(health.buckets), _LABEL),
        pair("oldest", line(health.oldest or "none"), _LABEL),
        pair("newest", line(health.newest or "none"), _LABEL),
    ]


def _use_lines(health: Health) -> list[Line]:
    usage = health.usage
    lines = [
        *_heading("use"),
        pair("plane", line(f"{usage.source}: {usage.detail}" if usage.detail else usage.source), _LABEL),
        pair(
            "opens",
            Text(f"{usage.opens:,} in all, on {usage.rows:,} memories; {usage.judged:,} judged"),
            _LABEL,
        ),
        pair("last", line(usage.last_opened or "never"), _LABEL),
    ]
    if usage.orphans:
        lines.append(pair("", Text(f"{usage.orphans:,} rows of no indexed memory"), _LABEL))
    return lines


def _version_lines(health: Health) -> list[Line]:
    versions = health.versions
    return [
        *_heading("versions"),
        pair("SQLite", line(f"{versions.sqlite}, apsw {versions.apsw}"), _LABEL),
        pair("distance", line(versions.vector_function), _LABEL),
        pair("cache", line(f"{size_words(health.cache_size)} in {health.cache_folder}"), _LABEL),
        pair(
            "",
            Text(f"{len(health.caches)} stores, {size_words(sum(c.size for c in health.caches))} in all"),
            _LABEL,
        ),
    ]


def size_words(size: int) -> str:
    """Bytes for people."""
    for unit, step in (("GB", 1_000_000_000), ("MB", 1_000_000), ("kB", 1_000)):
        if size >= step:
            return f"{size / step:.1f} {unit}"
    return f"{size} bytes"


def _counted(values: Mapping[str, int]) -> Text:
    return line(", ".join(f"{name} {count:,}" for name, count in values.items()) or "none")


def timeline_lines(months: Sequence[Month], look: Look, width: int) -> list[Line]:
    """A line per month, newest first: events and writes as numbers with bars on one common scale."""
    if not months:
        return [Line(span("No memory has a date.", DIM))]
    most = max(max(month.events, month.writes) for month in months)
    room = max(4, min(30, (width - 8 - 2 * 7) // 2))
    styles = (look.style("primary"), look.style("secondary"))
    patterns = (look.sign("█", "#"), look.sign("▒", "="))
    head = span("events".ljust(room + 7), styles[0]).append("writes", styles[1])
    lines = [Line(head, span("month".ljust(8), DIM), 8)]
    for month in reversed(months):
        text = Text()
        for count, pattern, style in zip((month.events, month.writes), patterns, styles, strict=True):
            drawn = bar([(float(count), pattern, style)], float(most), room)
            text.append(f"{count or '':>5} ")
            text.append_text(drawn)
            text.append(" " * (room + 1 - len(drawn.plain)))
        text.rstrip()
        lines.append(Line(text, span(month.month.ljust(8), DIM), 8))
    return lines


class ProblemList(LineList):
    """Files that are not indexed, and why: a refused one can still be looked at."""

    BINDINGS: ClassVar[list[BindingType]] = [*bindings("problems")]
    HELP = "Files that the index refused, with the rules they break. Enter or space looks at one."

    def __init__(self, look: Look, *, id: str | None = None) -> None:
        super().__init__(look, id=id)
        self._problems: tuple[tuple[str, Problem], ...] = ()

    def show(self, problems: Mapping[str, Problem]) -> None:
        """List these, by path."""
        self._problems = tuple(problems.items())
        self.changed()

    @property
    def count(self) -> int:
        """How many files; one line of words where there is none."""
        return max(1, len(self._problems))

    def choosable(self, place: int) -> bool:
        """Any file."""
        return 0 <= place < len(self._problems)

    def path(self, place: int) -> str:
        """The file of a row."""
        return self._problems[place][0]

    def row(self, place: int, width: int) -> Text:
        """Path, reason, and the codes or words of it."""
        if not self._problems:
            return span("Every file of the store is indexed.", DIM)
        path, problem = self._problems[place]
        said = ", ".join(problem.violations) or problem.detail
        text = line(path).append("  ").append_text(line(problem.reason, self.look.style("warning")))
        if said:
            text.append(" ").append_text(line(f"({said})"))
        return cut(text, width, self.look)
