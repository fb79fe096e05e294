"""What an open will do, said before it, and what it did, said after it (DESIGN 8)."""

from __future__ import annotations

from datetime import datetime, timezone
from typing import TYPE_CHECKING

from rich.text import Text

from memhtml_tui.look import Look
from memhtml_tui.panes.draw import BOLD, DIM, Line, line, pair, span

if TYPE_CHECKING:
    from memhtml_core.access.rows import AccessRow, Signal
    from memhtml_tui.answers import Opened

JUDGMENTS = frozenset({"open('positive')", "open('negative')"})
"""The actions of the table of keys that judge a memory."""

JUDGED: dict[Signal, str] = {"neutral": "neutral", "positive": "helpful", "negative": "misleading"}


def instant_of(seconds: float) -> str:
    """Seconds since 1970 as the store writes instants."""
    from memhtml_core.access.instants import instant

    return instant(int(seconds))


def day_and_time(stored: str | None) -> str:
    """A stored instant for people: the minute, UTC."""
    if not stored:
        return "never"
    return stored[:16].replace("T", " ") + (" UTC" if stored.endswith("Z") else "")


def use_text(row: AccessRow | None) -> Text:
    """How often a memory was opened, in one phrase."""
    if row is None:
        return Text("never opened")
    text = Text(f"opened {row.access_count} {'time' if row.access_count == 1 else 'times'}")
    text.append_text(line(f", last {day_and_time(row.last_accessed_at)}", DIM))
    if row.reinforcement_count:
        text.append(f", outcome {row.outcome_score:+.2f} of {row.reinforcement_count}", DIM)
    return text


def before_text(row: AccessRow | None, now: float, *, read_only: bool, short: bool = False) -> Text:
    """What an open would do now: count, or wait out the cooldown, or be refused."""
    from memhtml_core.access.reinforce import COOLDOWN_S, NEVER, cooled_until

    if read_only:
        return span("opening counts nothing: read-only session" if not short else "open: read-only", DIM)
    until = cooled_until(row, instant_of(now))
    if until is None:
        count = 1 if row is None else row.access_count + 1
        if short:
            return Text(f"open counts: {count - 1} to {count}")
        text = Text(f"opening counts: {count - 1} to {count}")
        wait = f"; Enter, + and - count once, then nothing counts for {COOLDOWN_S // 60} minutes"
        return text.append(wait, DIM)
    if until == NEVER:
        return Text("opening will not count: the last instant cannot be read")
    clock = datetime.strptime(until, "%Y-%m-%dT%H:%M:%SZ").replace(tzinfo=timezone.utc)
    when = f"{clock:%H:%M:%S} UTC"
    return Text(
        f"cooling down until {when}"
        if short
        else f"cooling down until {when}: it can be opened, but nothing counts, neither Enter nor + or -"
    )


def counts_nothing(row: AccessRow | None, now: float, *, read_only: bool) -> bool:
    """Whether an open or a judgment would be refused now."""
    from memhtml_core.access.reinforce import cooled_until

    return read_only or cooled_until(row, instant_of(now)) is not None


def after_lines(opened: Opened, look: Look) -> list[Line]:
    """What an open did, with the access row on either side; what a peek did not do."""
    if opened.signal is None:
        return [Line(span("peek: nothing is counted, nothing is written", DIM))]
    name = JUDGED[opened.signal]
    if opened.refusal is not None:
        text = span("not counted: ", look.style("error", bold=True))
        text.append_text(line(str(opened.refusal)))
        return [Line(text)]
    counted = opened.result is not None and bool(opened.result.bumped)
    if counted:
        head = span(f"counted ({name}): one access row was written", look.style("success", bold=True))
    else:
        head = span(
            f"not counted ({name}): it is cooling down, nothing was written", look.style("warning", bold=True)
        )
    return [Line(head), *row_lines(opened.before, opened.after, look)]


def row_lines(before: AccessRow | None, after: AccessRow | None, look: Look) -> list[Line]:
    """The access row before and after, value by value; changed ones marked by sign and weight."""
    arrow = look.sign("→", "->")
    rows = [
        ("opens", _number(before, "access_count"), _number(after, "access_count")),
        ("judgments", _number(before, "reinforcement_count"), _number(after, "reinforcement_count")),
        ("outcome", _score(before), _score(after)),
        (
            "last open",
            day_and_time(before.last_accessed_at if before else None),
            day_and_time(after.last_accessed_at if after else None),
        ),
        (
            "last judged",
            day_and_time(before.last_reinforced_at if before else None),
            day_and_time(after.last_reinforced_at if after else None),
        ),
    ]
    lines = []
    for label, old, new in rows:
        body = line(old, "" if old != new else DIM)
        if old != new:
            body.append(f" {arrow} ")
            body.append_text(line(new, BOLD))
        lines.append(pair(label, body, 13))
    return lines


def _number(row: AccessRow | None, name: str) -> str:
    return "0" if row is None else str(getattr(row, name))


def _score(row: AccessRow | None) -> str:
    return "+0.00" if row is None else f"{row.outcome_score:+.2f}"
