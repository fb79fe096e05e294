"""First frame of the explorer on the demo store against a bare Textual app with the same widgets (wall time).

Each run is a fresh interpreter; the frame counts as painted when the first refresh of the screen is done.
Both programs run from byte code, as installed ones do: it is kept while measuring, and written by the round
that is not measured.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from tests.bench.measure import Line, Timing

PROBES = Path(__file__).parent / "probes"


def lines(rounds: int) -> list[Line]:
    """One line; the two programs take turns."""
    taken: dict[str, list[float]] = {"explorer.py": [], "bare.py": []}
    with tempfile.TemporaryDirectory() as compiled:
        for _ in range(rounds + 1):
            for name, times in taken.items():
                times.append(first_frame(PROBES / name, compiled))
    explorer, bare = (Timing(tuple(times[1:])) for times in taken.values())
    return [Line("first frame of the demo", "demo", explorer, bare, "bare app, same widgets")]


def first_frame(probe: Path, compiled: str) -> float:
    """Milliseconds from the start of the interpreter to the first painted frame, as the probe prints them.

    `compiled` is the folder for byte code.
    """
    root = Path(__file__).resolve().parents[2]
    environ = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    environ["PYTHONPYCACHEPREFIX"] = compiled
    command = [sys.executable, str(probe), repr(time.monotonic())]
    done = subprocess.run(command, capture_output=True, text=True, check=True, cwd=root, env=environ)
    return float(done.stdout.split()[-1])
