"""Store trees of any size for the benchmarks, made by the corpus maker of the shared material."""

from __future__ import annotations

import itertools
import subprocess
import sys
from pathlib import Path

DATA = Path(__file__).resolve().parents[3] / "shared" / "data"
SOURCES = ("til-jbranchaud.jsonl.gz", "til-simonw.jsonl.gz", "runbooks-prometheus.jsonl.gz")


def missing() -> str:
    """Why no corpus can be made here, or ""."""
    maker = DATA / "make_corpus.py"
    return "" if maker.exists() else f"the corpus maker is not at ../shared/{DATA.name}/{maker.name}"


def make(folder: Path, size: int, *, git: bool = False) -> Path:
    """A store of `size` memories with access rows under `folder`; the same size gives the same bytes."""
    out = folder / f"store-{size}"
    if not out.exists():
        command = [sys.executable, str(DATA / "make_corpus.py"), "--out", str(out), "--scale", str(size)]
        command += ["--seed", "7", "--state", *(["--git"] if git else [])]
        command += [str(DATA / name) for name in SOURCES]
        subprocess.run(command, check=True, capture_output=True)
    return out


def questions(titles: list[str]) -> list[str]:
    """Queries of a few to a dozen words in the corpus' own words: titles, alone and in pairs."""
    singles = titles[:: max(1, len(titles) // 12)][:12]
    return [*singles, *(f"{a} {b}" for a, b in itertools.pairwise(singles))]
