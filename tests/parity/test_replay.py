"""The recorded answers of the reference, put to the installed `batch` command and judged by the shared judge.

`make test` asks the two short files, `make prove` the long ones too.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.shared import shared

COMMAND = Path(sys.executable).with_name("memhtml-tui")

SHORT = [
    *(("small_clock", "small", source, 30) for source in ("peer", "tree", "fresh")),
    *(("hostile_search", "hostile", source, 70) for source in ("peer", "tree")),
]
LONG = [
    *(("small", "small", source, 604 if source != "fresh" else 590) for source in ("peer", "tree", "fresh")),
    *(("medium", "medium", source, 387) for source in ("peer", "tree", "fresh")),
]


@pytest.mark.parametrize(
    ("goldens", "store", "source", "cases"),
    [*SHORT, *(pytest.param(*each, marks=pytest.mark.prove) for each in LONG)],
)
def test_every_recorded_answer_agrees(goldens: str, store: str, source: str, cases: int) -> None:
    done = subprocess.run(
        [
            *(sys.executable, shared("parity/replay.py"), shared(f"parity/goldens_{goldens}.json")),
            *(shared(f"parity/{store}.tar.gz"), "--source", source, "--", COMMAND),
        ],
        capture_output=True,
        text=True,
        check=False,
    )
    last = done.stdout.rstrip().rpartition("\n")[2]
    assert last.startswith("PASS ("), done.stdout[-3000:] + done.stderr[-3000:]
    assert f": {cases} cases, " in last
    assert done.returncode == 0
