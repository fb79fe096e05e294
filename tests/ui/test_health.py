"""The Health view, the update that can be stopped, and changes on disk that are taken up."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from rich.text import Text

from memhtml_core.browse.timeline import Month
from memhtml_core.index.follow import Changed
from memhtml_core.index.progress import Progress
from memhtml_core.rank.outcome import MissingArm, MissingReason
from memhtml_tui.look import Look
from memhtml_tui.panes.draw import Line, wrapped
from memhtml_tui.panes.health import ProblemList, report_lines, size_words, timeline_lines
from memhtml_tui.panes.status import progress_text
from tests.ui.conftest import DemoStore, MakeApp
from tests.ui.driving import AppPilot, app_of, drive, screen_text, settled, until
from tests.ui.fakes import FakeStore, health_report
from tests.ui.test_pictures import app_on


def plain(lines: list[Line], width: int = 100) -> str:
    return "\n".join(row.plain for row in wrapped(lines, width))


def test_the_report_names_what_is_behind_below_and_out() -> None:
    report = health_report()
    text = plain(report_lines(report, Look(), "following changes as they happen"))
    for words in (
        "behind, 2 uncommitted",
        "2 files; ctrl+r does",
        "20 of 40 chunks, 50.0%, below the floor of 95%",
        "30, 2 of them archived",
        "note 28, arc 2",
        "7 in all, on 3 memories; 1 judged",
        "sqlite-vec",
        "123.5 kB",
        "following changes as they happen",
    ):
        assert words in text
    fine = replace(report, health=replace(report.health, coverage=type(report.health.coverage)(40, 40)))
    assert "floor" not in plain(report_lines(fine, Look(), ""))
    out = MissingArm("vector", MissingReason.SPACE_UNASKABLE, "big@1024 is the agent's space")
    foreign = plain(report_lines(replace(report, missing=out, foreign=True), Look(), ""))
    assert "space cannot be asked (big@1024 is the agent's space)" in foreign
    assert "not the space that the agent asks in" in foreign


def test_months_stand_newest_first_on_one_scale() -> None:
    months = health_report().months
    rows = plain(timeline_lines(months, Look(), 60), 60).splitlines()[1:]
    assert [row[:7] for row in rows] == ["2025-04", "2025-03", "2025-02"]
    assert rows[0].count("▒") > 9 * rows[2].count("▒") > 0
    assert "10" in rows[0]
    assert "29" in rows[0]
    assert rows[1].strip() == "2025-03"
    assert all(len(row) <= 24 for row in plain(timeline_lines(months, Look("ascii"), 24), 24).splitlines())
    assert plain(timeline_lines([Month("2025-01", 1, 0)], Look(), 60)).count("█") == 19
    assert "No memory has a date" in plain(timeline_lines([], Look(), 60))


def test_sizes_are_said_in_round_units() -> None:
    assert [size_words(n) for n in (0, 999, 1_000, 2_500_000, 3_000_000_000)] == [
        "0 bytes",
        "999 bytes",
        "1.0 kB",
        "2.5 MB",
        "3.0 GB",
    ]


def test_progress_has_a_bar_where_the_end_is_known() -> None:
    half = progress_text(Progress("read files", 50, 100, 500.0), Look()).plain
    assert "read files 50 of 100" in half
    assert half.count("█") == half.count("░") > 0
    assert "█" not in progress_text(Progress("look", 50, None, 0.0), Look()).plain


def test_a_refused_file_can_be_looked_at_and_the_update_be_stopped(
    store: FakeStore, make_app: MakeApp
) -> None:
    broken = "areas/inbox/broken.html"
    store.cards = [*store.cards, replace(store.cards[0], path=broken)]
    store.long_update = True

    async def steps(pilot: AppPilot) -> None:
        app = app_of(pilot)
        await pilot.press("escape", "5")
        await until(pilot, lambda: "missing-title" in screen_text(app))
        assert "5 Health" in screen_text(app)
        await pilot.press("ctrl+r")
        await until(pilot, lambda: "ctrl+c stops it" in screen_text(app))
        await pilot.press("ctrl+c")
        await until(pilot, lambda: app.state.progress is None)
        await until(pilot, lambda: any("stopped during" in n.message for n in app._notifications))
        app.view.query_one(ProblemList).focus()
        await pilot.press("space")
        await until(pilot, lambda: app.current_mode == "memory")
        assert app.state.opened is not None
        assert app.state.opened.view.path == broken
        assert app.session.writes == 0

    drive(make_app(store), steps)


def test_changes_on_disk_are_taken_up_and_said_once(store: FakeStore, make_app: MakeApp) -> None:
    async def steps(pilot: AppPilot) -> None:
        app = app_of(pilot)
        assert app.state.following == "following changes as they happen"
        before = len(app._notifications)
        store.cards = store.cards[:3]
        store.notice(Changed(("areas/a.html",), (), ("areas/b.html", "areas/c.html")))
        await until(pilot, lambda: app.state.page is not None and app.state.page.listing.total == 3)
        await settled(pilot)
        said = [n.message for n in app._notifications][before:]
        assert said == ["on disk: 1 new, 2 gone; the index has followed"]

    drive(make_app(store), steps)


def test_a_file_that_is_written_while_one_looks_appears(demo: DemoStore, tmp_path: Path) -> None:
    source = next(demo.root.rglob("areas/**/*.html"))
    new = source.with_name("zz-written-meanwhile.html")

    async def steps(pilot: AppPilot) -> None:
        app = app_of(pilot)
        await until(pilot, lambda: app.state.following.startswith("following"))
        assert app.state.page is not None
        total = app.state.page.listing.total
        text = source.read_text("utf-8")
        new.write_text(text.replace("</article>", "<p>One more paragraph.</p></article>"), "utf-8")
        await until(
            pilot, lambda: app.state.page is not None and app.state.page.listing.total == total + 1, 20.0
        )

    try:
        drive(app_on(demo), steps)
    finally:
        new.unlink(missing_ok=True)


def test_no_stored_text_acts_in_the_report() -> None:
    report = health_report()
    nasty = replace(report.health, root="[red]x[/red]\x1b[31m\n", newest="\x07\x9b31m")
    lines = report_lines(replace(report, health=nasty), Look(), "")
    text = plain(lines)
    assert "[red]x[/red]" in text
    assert not {"\x1b", "\x07", "\x9b"} & set(text)
    assert all(isinstance(each.body, Text) for each in lines)
