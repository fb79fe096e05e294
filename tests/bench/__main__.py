"""All benchmarks in one table: `make bench`, or `python -m tests.bench [--sizes 1000,10000] [--rounds 15]`.

Every figure is a ratio to a baseline that took turns with it in the same run. Nothing is judged here.
"""

from __future__ import annotations

import os

# BLAS threads spin on a busy machine; one thread is what the unit is defined by. Set before numpy loads.
for name in ("OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "OMP_NUM_THREADS"):
    os.environ[name] = "1"

import argparse
import platform
import sys
import tempfile
from pathlib import Path

from tests.bench import corpus, frame, indexing, lag, query
from tests.bench.measure import HEADER, Line


def main() -> int:
    """Print the table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--sizes", default="1000,10000", help="numbers of memories, separated by commas")
    parser.add_argument("--rounds", type=int, default=15, help="measured rounds of each step")
    options = parser.parse_args()
    machine = f"{platform.platform()}, {os.cpu_count()} cores, Python {platform.python_version()}"
    print(f"{machine}, CPU ms, medians")
    print(HEADER)
    with tempfile.TemporaryDirectory() as folder:
        scratch = Path(folder)
        if why := corpus.missing():
            print(f"(index and search are left out: {why})")
        else:
            for size in [int(each) for each in options.sizes.split(",")]:
                root = corpus.make(scratch, size)
                show(indexing.lines(root, scratch, size, max(3, options.rounds // 5)))
                show(query.lines(root, scratch, size, options.rounds))
            show(lag.lines(root, scratch, size, max(3, options.rounds // 5)))
        show(frame.lines(max(3, options.rounds // 3)))
    return 0


def show(lines: list[Line]) -> None:
    """Print lines as they are measured."""
    for line in lines:
        print(line.text(), flush=True)


if __name__ == "__main__":
    sys.exit(main())
