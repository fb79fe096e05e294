"""The text of a pack: the template as written, harmless characters, true lengths, budgets at every size."""

from __future__ import annotations

import unicodedata

from hypothesis import given, settings
from hypothesis import strategies as st

from memhtml_core.pack.entries import Material, Pack
from memhtml_core.pack.fold import fold
from memhtml_core.pack.render import render
from tests.counts import count

WILD = st.text(
    alphabet=st.sampled_from(list("ab \n\t\x1b[]m0;\x07\\\x9b\x9d\x9c\u202e\ud83d🚢é")), max_size=20
)


def units(text: str) -> int:
    return len(text.encode("utf-16-le")) // 2


def pack_of(arcs: list[Material], memories: list[Material], budget: int = 16_000) -> Pack:
    return Pack(fold(arcs, 9_000, 2, "arcs"), fold(memories, budget, 2, "memories"))


def test_the_template_as_written() -> None:
    arc = Material("areas/arcs/a.html", "Arc", "Sum.", "arc", (), "Sum.\nWhy it grew")
    whole = Material("areas/a.html", "First", "One.", "semantic", (), "One.\nkind: note")
    line = Material("areas/b.html", "Second", "Two.", "semantic", (), "x" * 40)
    bare = Material("areas/c.html", "Third", "", "semantic", (), "y" * 40)
    last = Material("areas/d.html", "Fourth", "Four.", "semantic", (), "Four.")
    rendered = render("what  grew?", pack_of([arc], [whole, line, bare, last], budget=24))
    assert rendered.text == (
        "# Recall: what grew?\n"
        "\n"
        "## Arcs\n"
        "\n"
        "1. Arc\n"
        "   path: areas/arcs/a.html\n"
        "   Sum.\n"
        "   Why it grew\n"
        "\n"
        "## Memories\n"
        "\n"
        "1. First\n"
        "   path: areas/a.html\n"
        "   One.\n"
        "   kind: note\n"
        "\n"
        "2. Second (path: areas/b.html): Two.\n"
        "3. Third (path: areas/c.html)\n"
        "\n"
        "4. Fourth\n"
        "   path: areas/d.html\n"
        "   Four.\n"
    )
    assert rendered.characters == len(rendered.text)
    assert rendered.content == len("Sum.\nWhy it grew") + len("One.\nkind: note") + len("Two.") + len("Four.")
    assert rendered.tokens_estimate == -(-len(rendered.text) // 4)


def test_an_empty_pack_says_so() -> None:
    assert render("nothing", pack_of([], [])).text == "# Recall: nothing\n\nNothing was recalled.\n"


def test_content_stays_within_every_budget_and_marks_are_counted_beside_it() -> None:
    """cases/bug-reports 21: no cut mark is put on after the count."""
    materials = [
        Material(
            f"areas/{n}.html", f"T{n}", f"Claim {n}.", "semantic", (), f"Claim {n}.\n" + "text " * (n * 7)
        )
        for n in range(12)
    ]
    for budget in range(-2, 2_000, count(37, 2)):
        rendered = render("q", pack_of([], materials, budget))
        assert rendered.content <= max(0, budget)
        assert rendered.characters >= rendered.content
        assert all(f"areas/{n}.html" in rendered.text for n in range(12))


def test_no_half_character_at_any_budget() -> None:
    """cases/bug-reports 23: a text is taken whole or not at all, and a stored half is left out."""
    ships = [Material("areas/s.html", "S", "🚢🚢", "semantic", (), "🚢🚢🚢\ud83d")]
    for budget in range(0, 9):
        text = render("q", pack_of([], ships, budget)).text
        assert text.encode("utf-8").decode("utf-8") == text
        assert "�" not in text


@given(st.lists(st.tuples(WILD, WILD, WILD, WILD), max_size=4), WILD, st.integers(-1, 60))
@settings(max_examples=count(200, 1_500), deadline=None)
def test_no_stored_character_acts_and_no_stored_line_passes_for_structure(
    stored: list[tuple[str, str, str, str]], query: str, budget: int
) -> None:
    materials = [
        Material(path, title, gist, "semantic", (), text + "\n## Memories\n9. Fake")
        for path, title, gist, text in stored
    ]
    rendered = render(query, pack_of([], materials, budget))
    for character in rendered.text:
        assert character in "\n\t" or unicodedata.category(character) not in ("Cc", "Cs")
        assert character != "\u202e"
    lines = rendered.text.split("\n")
    assert sum(line.startswith("# ") for line in lines) == 1
    assert sum(line.startswith("## ") for line in lines) == (1 if materials else 0)
    assert sum(line[:1].isdigit() for line in lines) == len(materials)
    assert rendered.content <= max(0, budget)
    assert rendered.characters == units(rendered.text)
