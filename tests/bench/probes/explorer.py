"""Print the milliseconds from `argv[1]` (a monotonic instant of the caller) to the explorer's first frame."""

import sys
import time
from pathlib import Path

from memhtml_tui.app import MemhtmlApp
from memhtml_tui.settings import Options


class Probe(MemhtmlApp):
    def on_ready(self) -> None:
        print((time.monotonic() - float(sys.argv[1])) * 1000.0, file=sys.__stdout__)
        self.exit(0)


def never(progress, cancel):
    """The store is opened after the first frame, so this probe ends before it would be."""
    raise RuntimeError("the store was asked for before the first frame was out")


Probe(never, Options(demo=Path())).run(headless=True, size=(120, 40))
