"""What the README shows must hold: its example of a memory is one, its picture is there."""

from __future__ import annotations

import re
import textwrap
from pathlib import Path

from memhtml_core.store.document import read_document

ROOT = Path(__file__).resolve().parents[2]
README = (ROOT / "README.md").read_text("utf-8")


def test_the_example_of_a_memory_is_a_valid_one() -> None:
    found = re.search(r"^    <!doctype html>.*?</html>$", README, re.MULTILINE | re.DOTALL)
    assert found is not None
    memory = read_document(textwrap.dedent(found.group()).encode(), "areas/inbox/kettle.html")
    assert memory.gist == "Descale the kettle in May, before the hard water sets."
    assert [(facet.name, facet.numeric) for facet in memory.facets] == [("minutes", 20.0)]
    assert memory.tags == ("kitchen",)
    assert memory.warnings == ()


def test_every_local_link_leads_to_a_file() -> None:
    targets = [target for target in re.findall(r"\]\(([^)]+)\)", README) if "://" not in target]
    assert targets
    assert [target for target in targets if not (ROOT / target).exists()] == []
