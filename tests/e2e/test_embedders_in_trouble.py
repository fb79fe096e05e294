"""Vectors that cannot be had or trusted (../shared/cases/bug-reports.md 9 to 12): words go on and say so."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.e2e.conftest import Run


def test_without_the_extension_our_own_function_answers_and_status_says_so(run: Run, store: Path) -> None:
    """9."""
    plain = run(
        "search",
        "--store",
        store,
        "--embedder",
        "static",
        "--plain",
        "--now",
        "2024-04-01",
        "drain the boiler",
    )
    hidden = {"MEMHTML_TUI_NO_SQLITE_VEC": "1"}
    own = run(
        *(
            "search",
            "--store",
            store,
            "--embedder",
            "static",
            "--plain",
            "--now",
            "2024-04-01",
            "drain the boiler",
        ),
        extra=hidden,
    )
    assert own.stdout == plain.stdout
    assert "vectors by own function" in run("status", "--store", store, extra=hidden).stdout


PLUGIN = """
import struct
MODEL, DIM = {model!r}, {dim}
def embed(text):
    {body}
"""


def plugin(folder: Path, model: str, dim: int, body: str) -> str:
    file = folder / f"{model}-{dim}.py"
    file.write_text(PLUGIN.format(model=model, dim=dim, body=body), "utf-8")
    return f"python:{file}"


GOOD = "return [float(len(text) % 7 + 1)] + [1.0] * (DIM - 1)"


def test_a_changed_model_mixes_nothing_and_says_how_much_is_embedded(
    run: Run, store: Path, tmp_path: Path
) -> None:
    """10: the old space stays beside the new one, which starts at nothing; words go on answering."""
    old, new = plugin(tmp_path, "m", 384, GOOD), plugin(tmp_path, "m", 256, GOOD)
    assert run("index", "--store", store, "--embedder", old).returncode == 0
    done = run("search", "--store", store, "--embedder", new, "--no-embed", "drain", "--json")
    answer = json.loads(done.stdout)
    assert answer["space"] == "m@256"
    assert answer["hits"]
    assert {each["arm"]: each["reason"] for each in answer["missing"]}["vector"] == "no vectors yet"
    status = run("status", "--store", store, "--embedder", new).stdout
    assert "space: m@256, 0 of 7 chunks (0.0%)" in status
    assert "other spaces: m@384 (7)" in status


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ("return [0.0] * DIM", "7 refused"),
        ("return [float('nan')] * DIM", "7 refused"),
        ("return [float('inf')] * DIM", "7 refused"),
        ("return [1.0] * (DIM + 1)", "5"),
        ("return 'text'", ""),
        ("return None", ""),
        ("raise RuntimeError('boom \\x1b[31m')", "failed with runtimeerror"),
        ("raise SystemExit(3)", "failed with systemexit"),
    ],
)
def test_an_embedder_in_trouble_leaves_an_answer_and_its_name(
    run: Run, store: Path, tmp_path: Path, body: str, words: str
) -> None:
    """11, 12: nothing of it comes into the index; the other arms answer and the reason is named."""
    spec = plugin(tmp_path, "bad", 4, body)
    indexed_by = run("index", "--store", store, "--embedder", spec)
    assert "Traceback" not in indexed_by.stderr
    done = run("search", "--store", store, "--embedder", spec, "drain")
    assert done.returncode == 0, done.stderr
    assert "areas/boiler.html" in done.stdout
    assert "nan" not in done.stdout.lower().replace("finance", "")
    assert "missing: vector (" in done.stdout
    assert words in (done.stdout + indexed_by.stdout + indexed_by.stderr).lower()
    assert "\x1b" not in done.stdout + done.stderr + indexed_by.stdout + indexed_by.stderr
    assert "vectors: 0" in run("index", "--store", store, "--embedder", "off").stdout


def test_a_zero_vector_for_one_text_costs_only_that_text(run: Run, store: Path, tmp_path: Path) -> None:
    """11."""
    spec = plugin(tmp_path, "zero", 4, "return [0.0] * DIM if 'ferry' in text else " + GOOD[7:])
    done = run("index", "--store", store, "--embedder", spec)
    assert "6 written, 1 refused" in done.stdout
    for query in ("ferry", "drain"):
        found_ = run("search", "--store", store, "--embedder", spec, "--floor", "0.5", query)
        assert found_.returncode == 0
        assert ("missing: vector (bad query vector" in found_.stdout) == (query == "ferry")
