"""Stored text never acts: markup, terminal sequences, bidi, widths, in every pane (bug reports 25 to 32)."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest
from rich.cells import cell_len

from memhtml_core.errors import MemhtmlError
from memhtml_core.rank.outcome import Card
from memhtml_tui.messages import JobFailed
from memhtml_tui.panes.ranks import RankTable
from memhtml_tui.screens.choices import ChoiceDialog
from memhtml_tui.settings import Options
from tests.counts import count, sizes
from tests.ui.conftest import MakeApp
from tests.ui.driving import AppPilot, app_of, drive, screen_text, settled, strips, typed, until
from tests.ui.fakes import NOW, FakeStore, card

NASTY = (
    "[/b] a title [red]with[/red] [Tags] [$primary] markup",
    "[@click=app.bell]press me[/] [link=https://evil.example]here[/link]",
    "\x1b]0;PWNED\x07 \x1b]52;c;aGk=\x1b\\ window and clipboard",
    "\x1b[5;5H\x1b[2J \x9b31m C1 and \x90dcs\x9c moves",
    "NUL \x00 BEL \x07 BS \x08 CR \r VT \x0b DEL \x7f",
    "bidi \u202eevil\u202c \u2066iso\u2069 \u200f \ufeff",
    "families \U0001f468\u200d\U0001f469\u200d\U0001f467 flags \U0001f1e9\U0001f1ea ❤️ e\u0301",
    "日本語の長いタイトル" * 12,
    "a very long word " + "x" * 10_000,
    "first line\nsecond line\ttab",
    "half a character \ud83d and \udc68",
    "",
    "   ",
)
CONTROL = re.compile("[\x00-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff\ud800-\udfff]")


def nasty_cards() -> list[Card]:
    cards = []
    for number, text in enumerate(NASTY, 1):
        made = card(number, text, f"{text} claim")
        cards.append(
            replace(
                made,
                workspace=text[:40] or None,
                entities=(f"tool:{text}",),
                superseded_by=f"areas/{text[:60]}.html",
                memory_type="arc" if number == 3 else text[:30] or "semantic",
            )
        )
    return cards


def check(pilot: AppPilot) -> None:
    app = app_of(pilot)
    width = app.size.width
    for strip in strips(app):
        assert not CONTROL.search(strip.text), repr(strip.text)
        assert cell_len(strip.text) == width, repr(strip.text)
        for segment in strip:
            meta = segment.style.meta if segment.style else {}
            assert "@click" not in meta, segment
            assert segment.style is None or not segment.style.link, segment


@pytest.mark.parametrize("size", sizes((80, 24), (120, 40), (40, 12)))
def test_nasty_text_in_every_view(tmp_path: Path, make_app: MakeApp, size: tuple[int, int]) -> None:
    store = FakeStore(tmp_path, cards=nasty_cards())

    async def steps(pilot: AppPilot) -> None:
        app = app_of(pilot)
        check(pilot)
        await pilot.press("down", "G")
        await pilot.pause()
        check(pilot)
        await pilot.press("slash")
        await typed(pilot, "writer")
        for _ in range(len(NASTY) if size == (120, 40) else 4):
            await pilot.press("down")
            await pilot.pause()
            check(pilot)
        await pilot.press("2")
        await settled(pilot)
        for _ in range(len(NASTY) if size == (120, 40) else 4):
            await pilot.press("down")
            await pilot.pause()
            check(pilot)
        await pilot.press("t", "G")
        await pilot.pause()
        check(pilot)
        await pilot.press("escape", "g", "space")
        await until(pilot, lambda: app.current_mode == "memory")
        for _ in range(len(NASTY)):
            await pilot.press("right")
            await settled(pilot)
            check(pilot)
        await pilot.press("f1")
        await pilot.pause()
        check(pilot)
        await pilot.press("escape", "ctrl+p")
        await pilot.pause()
        check(pilot)

    drive(make_app(store, Options(now=NOW, limit=20)), steps, size)


@pytest.mark.parametrize("size", sizes((160, 40), (40, 12)))
def test_nasty_text_in_every_dialog_and_column(
    tmp_path: Path, make_app: MakeApp, size: tuple[int, int]
) -> None:
    store = FakeStore(tmp_path, cards=nasty_cards())

    async def shown(pilot: AppPilot, *keys: str) -> None:
        await pilot.press(*keys)
        await settled(pilot)
        check(pilot)

    async def steps(pilot: AppPilot) -> None:
        app = app_of(pilot)
        for text in NASTY:
            app.travels.queries.add(text)
        await typed(pilot, "writer")
        await shown(pilot, "down", "p")
        ranks = app.screen.query_one(RankTable)
        ranks.chosen_columns = ("snippet", "type", "workspace", "updated")
        await shown(pilot, "m")
        for _ in range(count(3, len(NASTY))):
            await shown(pilot, "h")
            await until(pilot, lambda: isinstance(app.screen, ChoiceDialog))
            check(pilot)
            await shown(pilot, "G")
            await shown(pilot, "escape", "down")
        await shown(pilot, "h")
        await until(pilot, lambda: isinstance(app.screen, ChoiceDialog))
        await shown(pilot, "G", "enter")
        await shown(pilot, "X", "y")
        await shown(pilot, "H")
        await shown(pilot, "down", "down", "enter")
        await shown(pilot, "slash", "up")
        await shown(pilot, "up", "up", "up")
        await shown(pilot, "escape", "less_than_sign")
        for key in ("s", "c", "f", "d", "colon", "ctrl+o"):
            await shown(pilot, key)
            await shown(pilot, "escape")
        app.on_job_failed(JobFailed(MemhtmlError(NASTY[2], subject=NASTY[3], remedy=NASTY[0])))
        await shown(pilot, "1")

    drive(make_app(store, Options(now=NOW, limit=8)), steps, size)


def test_nasty_queries_and_scopes_are_shown_as_they_are(store: FakeStore, make_app: MakeApp) -> None:
    async def steps(pilot: AppPilot) -> None:
        app = app_of(pilot)
        await pilot.press("down", "f")
        await typed(pilot, 'tag:"[/b] [@click=app.bell]x[/]" ws:[red]')
        await pilot.press("enter")
        await settled(pilot)
        check(pilot)
        assert "[/b] [@click=app.bell]x[/]" in screen_text(app)
        assert "ws:[red]" in screen_text(app)
        await pilot.press("down", "2")
        await settled(pilot)
        check(pilot)

    drive(make_app(store), steps)


def test_rows_around_wide_text_keep_their_frame(tmp_path: Path, make_app: MakeApp) -> None:
    store = FakeStore(
        tmp_path, cards=[card(1, "plain"), card(2, NASTY[6]), card(3, NASTY[7]), card(4, "plain")]
    )

    async def steps(pilot: AppPilot) -> None:
        await typed(pilot, "writer")
        rows = [strip.text for strip in strips(app_of(pilot)) if "0.0" in strip.text and "│" in strip.text]
        assert len(rows) >= 4
        assert len({cell_len(row[: row.rindex("│")]) for row in rows[:4]}) == 1

    drive(make_app(store), steps, (80, 24))
