"""Print the milliseconds from `argv[1]` to the first frame of a bare app with the explorer's widgets."""

import sys
import time

from textual.app import App
from textual.containers import Horizontal, Vertical, VerticalScroll
from textual.widgets import DataTable, Footer, Input, Static


class Bare(App):
    def compose(self):
        yield Static("head")
        with Horizontal():
            yield Input()
            yield Static("run")
        yield Input()
        yield Static("scope")
        yield Static("banner")
        with Horizontal():
            yield VerticalScroll(Static("ran"))
            with Vertical():
                yield DataTable()
                yield DataTable()
                yield Static("nothing")
                yield VerticalScroll(Static("why"))
        yield Static("line")
        yield Footer()

    def on_mount(self) -> None:
        for table in self.query(DataTable):
            table.add_columns("#", "title", "F", "V", "R", "S", "fused", "contribution")

    def on_ready(self) -> None:
        print((time.monotonic() - float(sys.argv[1])) * 1000.0, file=sys.__stdout__)
        self.exit(0)


Bare().run(headless=True, size=(120, 40))
