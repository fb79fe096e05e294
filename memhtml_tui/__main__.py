"""`python -m memhtml_tui`: the same as the installed command."""

from __future__ import annotations

import sys

from memhtml_tui.cli import main

if __name__ == "__main__":
    sys.exit(main())
