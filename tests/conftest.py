"""Which tests are too costly for the quick suite: they run with `make rest`, which `.ci/run` calls."""

from __future__ import annotations

import pytest

COSTLY = (
    "e2e/test_raw_terminal.py",
    "e2e/test_terminal.py::test_search_pack_open_and_quit[80-24]",
    "ui/test_builder.py::test_stored_text_does_not_act",
    "ui/test_hostile.py::test_nasty_text_in_every_dialog_and_column",
    "ui/test_pictures.py::test_every_view[80x24]",
    "ui/test_pictures_memory.py::test_pack_and_memory_at_work[80x24]",
    "ui/test_pictures_ranks.py::test_the_pool_and_the_dialogs[80x24]",
    "ui/test_pictures_scope.py::test_scope_and_go_to[80x24]",
    "ui/test_shots.py",
    "ui/test_switches.py::test_each_switch_turns_on_and_off",
    "ui/test_walks.py::test_walks_leave_no_trace",
)
"""Beginnings of test ids below `tests/`: another size of what is tested anyway, or a walk through all."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark the costly ones."""
    for item in items:
        if item.nodeid.removeprefix("tests/").startswith(COSTLY):
            item.add_marker(pytest.mark.costly)
