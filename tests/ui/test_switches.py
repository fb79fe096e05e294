"""The switch panel: outages are played, named as simulated, compared with the full run, and put back."""

from __future__ import annotations

from dataclasses import replace

from memhtml_core.rank.outcome import MissingArm, MissingReason
from memhtml_core.rank.request import Request
from memhtml_core.rank.simulate import active, moved, simulations, switched
from memhtml_tui.look import Look
from memhtml_tui.panes.draw import wrapped
from memhtml_tui.panes.switching import SwitchList, effect_lines
from memhtml_tui.panes.textview import TextView
from memhtml_tui.screens.jump import JumpScreen
from memhtml_tui.screens.switches import SwitchPanel
from tests.ui.conftest import DemoStore, MakeApp
from tests.ui.driving import AppPilot, app_of, drive, screen_text, settled, typed, until
from tests.ui.fakes import FakeStore, default_cards, outcome_of
from tests.ui.test_pictures import QUESTION, app_on

LETTERS = {"fts": "F", "vector": "V", "recency": "R", "salience": "S"}


def test_every_fate_is_told_with_its_places() -> None:
    cards = default_cards()
    full = outcome_of(cards[:4], Request("q", 0.0), b"\0" * 16)
    order = [cards[0], cards[2], cards[5]]
    reduced = outcome_of(order, Request("q", 0.0), MissingArm("vector", MissingReason.EMBEDDER_OFF, "", True))
    moves = moved(full, reduced)
    text = [row.plain for row in wrapped(effect_lines(full, reduced, moves, Look(), LETTERS), 100)]
    assert "V simulated embedder off" in text
    assert "1 came, 2 went, 1 moved, 1 stayed" in text
    assert [row.split()[:4] for row in text if "→" in row] == [
        ["3", "→", "2", "▲1"],
        ["-", "→", "3", "came"],
        ["2", "→", "-", "went"],
        ["4", "→", "-", "went"],
    ]


def test_a_real_outage_reads_the_same_without_the_word() -> None:
    def words(simulated: bool) -> str:
        missing = MissingArm("vector", MissingReason.EMBEDDER_FAILED, "refused", simulated)
        outcome = outcome_of(default_cards(), Request("q", 0.0), missing)
        return "\n".join(row.plain for row in wrapped(effect_lines(None, outcome, (), Look(), LETTERS), 80))

    assert words(True).replace("simulated ", "") == words(False)
    assert "V embedder failed (refused)" in words(False)
    rows = SwitchList(Look())
    outcome = outcome_of([], Request("q", 0.0), MissingArm("vector", MissingReason.EMBEDDER_FAILED))
    rows._rows = ()
    rows.post_message = lambda message: True  # type: ignore[method-assign]
    rows.show(simulations(), (), outcome)
    said = [rows.row(place, 80).plain for place in range(rows.count)]
    assert [each for each in said if "so it is now" in each] == ["[ ] the embedder fails (so it is now)"]


def test_each_switch_turns_on_and_off_and_the_answer_follows(demo: DemoStore) -> None:
    async def steps(pilot: AppPilot) -> None:
        app = app_of(pilot)
        await typed(pilot, QUESTION)
        await pilot.press("down", "d")
        await until(pilot, lambda: isinstance(app.screen, SwitchPanel))
        panel = app.screen
        assert isinstance(panel, SwitchPanel)
        effect = panel.query_one("#effect", TextView)
        await until(pilot, lambda: "0 came, 0 went" in effect.plain)
        tried = ("wrong-space", "no-state-plane", "fts-off")
        for each in [switch for switch in simulations() if switch.name in tried]:
            panel._ask(switched(app.session.request, each.name))
            await settled(pilot)
            outcome = app.state.outcome
            assert outcome is not None
            assert active(outcome.request) == (each,)
            assert all(missing.simulated == (each.reason is not None) for missing in outcome.missing)
            assert ("simulated" in effect.plain) == (each.reason is not None)
            await pilot.press("X")
            await settled(pilot)
        assert app.state.outcome is not None
        assert not app.state.outcome.missing
        await pilot.press("enter")
        await settled(pilot)
        await until(pilot, lambda: "went" in effect.plain and "simulated embedder off" in effect.plain)
        await pilot.press("escape")
        await until(pilot, lambda: "V vector: simulated embedder off" in screen_text(app))
        assert app.session.writes == 0

    drive(app_on(demo), steps)


def test_the_panel_waits_for_a_query_and_says_so(store: FakeStore, make_app: MakeApp) -> None:
    async def steps(pilot: AppPilot) -> None:
        app = app_of(pilot)
        await pilot.press("down", "d")
        await until(pilot, lambda: "A query shows what an outage does" in screen_text(app))
        await pilot.press("enter", "escape")
        await settled(pilot)
        assert active(app.session.request)

    drive(make_app(store), steps)


def test_jump_gives_every_pane_a_letter_and_goes_there(store: FakeStore, make_app: MakeApp) -> None:
    async def steps(pilot: AppPilot) -> None:
        app = app_of(pilot)
        await typed(pilot, "readers")
        panes = [pane for pane in app.view.focus_chain if pane.region.area]
        await pilot.press("ctrl+o")
        await until(pilot, lambda: isinstance(app.screen, JumpScreen))
        assert len(app.screen.query(".jump-letter")) == len(panes)
        await pilot.press("asdf"[len(panes) - 1] if len(panes) < 5 else "a")
        await until(pilot, lambda: not isinstance(app.screen, JumpScreen))
        await until(pilot, lambda: app.focused in (panes[-1], panes[0]))
        await pilot.press("ctrl+o")
        await until(pilot, lambda: isinstance(app.screen, JumpScreen))
        held = app.view.focused
        await pilot.press("escape")
        await until(pilot, lambda: app.focused is held)

    drive(make_app(store), steps)


def test_a_move_of_a_memory_without_a_title_shows_its_path() -> None:
    cards = [replace(default_cards()[0], title=" ")]
    full = outcome_of(cards, Request("q", 0.0), b"\0" * 16)
    lines = effect_lines(full, full, moved(full, full), Look("ascii"), LETTERS)
    assert cards[0].path in "\n".join(row.plain for row in wrapped(lines, 90))
