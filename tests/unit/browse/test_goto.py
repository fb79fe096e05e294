"""Going to a path or title: the steps against a plain second writing, hostile titles included."""

from __future__ import annotations

import tempfile
import time
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from memhtml_core.browse.goto import Places, go_to
from memhtml_core.index.database import connect
from tests.counts import count
from tests.made_index import Row, make_index

WORDS = st.text(alphabet="abAß-/ \n%_[*", min_size=0, max_size=7)


def fold(text: str) -> str:
    return text.casefold().replace("\n", " ")


def has_letters(text: str, letters: str) -> bool:
    rest = iter(text)
    return len(letters) > 1 and all(letter in rest for letter in letters)


def step(row: Row, piece: str) -> int | None:
    """The number of the first step that finds the row."""
    path, title, letters = fold(row.path), fold(row.title), piece.replace(" ", "")
    tests = [
        path == piece,
        title == piece,
        path.startswith(piece),
        "/" + piece in path,
        title.startswith(piece),
        "-" + piece in path,
        " " + piece in title,
        piece in path,
        piece in title,
        has_letters(path, letters),
        has_letters(title, letters),
    ]
    return tests.index(True) if True in tests else None


@given(st.lists(st.tuples(WORDS, WORDS, st.booleans()), max_size=8), WORDS, st.integers(0, 9))
@settings(max_examples=count(60, 3_000), deadline=None)
def test_steps_equal_a_second_writing(made: list[tuple[str, str, bool]], fragment: str, limit: int) -> None:
    rows = [Row(f"a/{path}{n}", title, archived=archived) for n, (path, title, archived) in enumerate(made)]
    piece = fold(fragment).strip().lstrip("/")
    steps = {row.path: step(row, piece) for row in rows} if piece else {}
    expected = sorted(
        (number, row.archived, len(row.path), row.path)
        for row in rows
        if (number := steps.get(row.path)) is not None
    )
    with tempfile.TemporaryDirectory() as folder, make_index(Path(folder) / "index.db", rows) as database:
        found = go_to(database, fragment, limit)
        assert [place.path for place in found] == [path for *_, path in expected][:limit]
        assert [place.archived for place in found] == [archived for _, archived, *_ in expected][:limit]
        for place in found:
            shown = fold(place.path if place.where == "path" else place.title)
            taken = "".join(shown[start:stop] for start, stop in place.spans)
            wanted = piece.replace(" ", "") if place.step == "letters" else piece
            assert not place.spans or taken == wanted


def test_examples_of_each_step(tmp_path: Path) -> None:
    rows = [
        Row("areas/fuel.html", "Fuel"),
        Row("areas/old-fuel.html", "Old"),
        Row("areas/x.html", "The fuel line"),
        Row("areas/y.html", "Biofuels"),
        Row("areas/w.html", "A flute under the eel"),
        Row("archive/2024/fuel.html", "Fuel", archived=True),
        Row("fuel/z.html", "Zed"),
    ]
    with make_index(tmp_path / "index.db", rows) as database:
        found = [(place.path, place.step, place.where, place.archived) for place in go_to(database, " FUEL ")]
        assert go_to(database, "/") == go_to(database, "") == go_to(database, "fuel", 0) == ()
    assert found == [
        ("areas/fuel.html", "exact", "title", False),
        ("archive/2024/fuel.html", "exact", "title", True),
        ("fuel/z.html", "prefix", "path", False),
        ("areas/old-fuel.html", "word", "path", False),
        ("areas/x.html", "word", "title", False),
        ("areas/y.html", "within", "title", False),
        ("areas/w.html", "letters", "title", False),
    ]


def test_a_change_of_the_index_is_seen(tmp_path: Path) -> None:
    path = tmp_path / "index.db"
    with make_index(path, [Row("areas/a.html", "One")]) as writer:
        writer.seal()
        with connect(path, readonly=True) as reader:
            places = Places(reader)
            assert [place.title for place in places.find("areas/a")] == ["One"]
            writer.run("UPDATE file_texts SET title = 'Two'")
            assert [place.title for place in places.find("areas/a")] == ["Two"]


def test_long_titles_cost_no_more_than_their_length(tmp_path: Path) -> None:
    rows = [Row(f"areas/{n}.html", "a" * 10_000) for n in range(50)]
    with make_index(tmp_path / "index.db", rows) as database:
        places = Places(database)
        places.find("warm")
        begin = time.process_time()
        assert places.find("aaaaaaaaab") == ()
        assert time.process_time() - begin < 0.5
