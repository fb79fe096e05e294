"""What an import may load: the static graph cannot see a deferred import, a fresh interpreter can."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
HEAVY = ("textual", "rich", "numpy", "tokenizers", "selectolax")


def loaded_after(statement: str) -> set[str]:
    """Top-level modules present in a fresh interpreter after `statement`."""
    probe = f"{statement}\nimport sys\nprint(' '.join(sorted({{m.split('.')[0] for m in sys.modules}})))"
    done = subprocess.run([sys.executable, "-c", probe], capture_output=True, text=True, check=True)
    return set(done.stdout.split())


def test_the_probe_sees_a_heavy_import() -> None:
    assert "numpy" in loaded_after("import numpy")


def test_importing_the_core_is_light() -> None:
    assert loaded_after("import memhtml_core").isdisjoint(HEAVY)


def test_every_public_name_of_the_core_resolves() -> None:
    import memhtml_core

    for name in memhtml_core.__all__:
        assert getattr(memhtml_core, name).__name__ == name


def test_an_unknown_name_of_the_core_is_an_attribute_error() -> None:
    import memhtml_core

    with pytest.raises(AttributeError, match="no_such_name"):
        _ = memhtml_core.no_such_name


def test_using_the_core_to_search_loads_no_screen() -> None:
    loaded = loaded_after("from memhtml_core import open_store, Request; import memhtml_core.rank.search")
    assert loaded.isdisjoint({"textual", "rich"})


def calls(name: str) -> list[str]:
    """Places outside the tests that call something of this name, as `file:outermost function`."""
    found = []
    for folder in ("core", "memhtml_tui"):
        for file in sorted((ROOT / folder).rglob("*.py")):
            place = file.relative_to(ROOT).as_posix()
            tree = ast.parse(file.read_text(encoding="utf-8"))
            bodies = [tree.body, *(node.body for node in ast.walk(tree) if isinstance(node, ast.ClassDef))]
            for node in (node for body in bodies for node in body if not isinstance(node, ast.ClassDef)):
                found += [f"{place}:{getattr(node, 'name', '')}"] * sum(
                    isinstance(inner, ast.Call) and name == called(inner) for inner in ast.walk(node)
                )
    return found


def called(call: ast.Call) -> str | None:
    """The last name of what is called."""
    function = call.func
    if isinstance(function, ast.Attribute):
        return function.attr
    return function.id if isinstance(function, ast.Name) else None
