"""What the shipped store promises: valid files, links that lead somewhere, one of everything worth seeing."""

from __future__ import annotations

import json
import re
from collections import Counter
from pathlib import Path

import pytest

from memhtml_core.store.layout import slug
from memhtml_core.store.memory import Memory

Memories = dict[str, Memory]

WINDOW = ("2024-01-01T00:00:00Z", "2026-10-31T23:59:59Z")
TYPES_AT_LEAST = {
    "semantic": 60,
    "episodic": 25,
    "procedural": 25,
    "agent_insight": 15,
    "error_pattern": 15,
    "task": 15,
    "verdict": 12,
    "user_preference": 10,
    "precedent": 5,
    "arc": 4,
}
LANGUAGES_AT_LEAST = {"en": 180, "de": 3, "fr": 3, "es": 3, "ja": 2, "pt": 2, "uk": 2, "ar": 2}


def units(text: str) -> int:
    """Length in UTF-16 units."""
    return len(text.encode("utf-16-le")) // 2


def meta(copied: Path, path: str, name: str) -> str | None:
    found = re.search(rf'<meta name="memhtml-{name}" content="([^"]*)">', (copied / path).read_text("utf-8"))
    return found and found[1]


def links(memories: Memories, rel: str) -> list[tuple[Memory, Memory]]:
    return [
        (memory, memories[link.dst_path])
        for memory in memories.values()
        for link in memory.links
        if link.rel == rel
    ]


def test_every_file_is_a_valid_memory_without_a_warning(memories: Memories) -> None:
    assert 200 <= len(memories) <= 260
    assert {path: memory.warnings for path, memory in memories.items() if memory.warnings} == {}


def test_there_are_enough_memories_of_each_type(memories: Memories) -> None:
    counts = Counter(memory.memory_type for memory in memories.values())
    assert set(counts) == set(TYPES_AT_LEAST)
    assert {kind: n for kind, n in counts.items() if n < TYPES_AT_LEAST[kind]} == {}


def test_there_are_several_languages(copied: Path, memories: Memories) -> None:
    found = Counter(
        re.search(r'<html lang="(\w+)">', (copied / path).read_text("utf-8"))[1]  # type: ignore[index]
        for path in memories
    )
    assert set(found) == set(LANGUAGES_AT_LEAST)
    assert {tag: n for tag, n in found.items() if n < LANGUAGES_AT_LEAST[tag]} == {}


def test_stated_content_hashes_match_the_text(copied: Path, memories: Memories) -> None:
    assert {
        path for path, memory in memories.items() if meta(copied, path, "content-hash") != memory.content_hash
    } == set()


def test_no_two_memories_say_the_same(memories: Memories) -> None:
    hashes = Counter(memory.content_hash for memory in memories.values())
    assert [text for text, n in hashes.items() if n > 1] == []
    titles = Counter((memory.archived, memory.title) for memory in memories.values())
    assert [title for title, n in titles.items() if n > 1] == []


def test_no_claim_loses_words_to_code(copied: Path, memories: Memories) -> None:
    # A gist leaves code out (STORE_FORMAT 2.4), so a claim with code would read with a hole.
    for path in memories:
        assert not re.search(
            r"<mark>(?:(?!</mark>).)*<code", (copied / path).read_text("utf-8"), re.DOTALL
        ), path


def test_no_claim_is_a_template_filled_in_again(memories: Memories) -> None:
    openings = Counter(
        " ".join(memory.gist.split()[:4])
        for memory in memories.values()
        if memory.memory_type not in ("task", "arc")
    )
    assert max(openings.values()) <= 4


def test_every_link_and_every_anchor_leads_to_a_memory(copied: Path, memories: Memories) -> None:
    lost = {(memory.path, link.dst_path) for memory in memories.values() for link in memory.links} - {
        (memory.path, path) for memory in memories.values() for path in memories
    }
    assert lost == set()
    for path in memories:
        inner = (copied / path).read_text("utf-8").split("<article>")[1]
        for target in re.findall(r'(?:href|cite)="/([^"]*)"', inner):
            assert target in memories, (path, target)


def test_file_names_are_the_slugs_of_their_titles(memories: Memories) -> None:
    for path, memory in memories.items():
        name = path.rsplit("/", 1)[1].removesuffix(".html")
        wanted = slug(memory.title)
        if memory.memory_type == "episodic":
            wanted = f"{memory.created_at[:10].replace('-', '')}-{wanted}"
        assert re.fullmatch(re.escape(wanted) + r"(-[2-9])?", name), path


def test_instants_lie_in_the_window_and_in_order(memories: Memories) -> None:
    for path, memory in memories.items():
        for instant in (memory.created_at, memory.updated_at):
            assert WINDOW[0] <= instant <= WINDOW[1], path
            assert len(instant) == len("2024-01-01T00:00:00Z"), path
        assert memory.created_at <= memory.updated_at, path
        if memory.valid_from and memory.valid_until:
            assert memory.valid_from < memory.valid_until, path


def test_corrections_point_at_each_other(copied: Path, memories: Memories) -> None:
    corrected = links(memories, "supersedes")
    assert len(corrected) >= 6
    for new, old in corrected:
        assert old.archived, new.path
        assert not new.archived, new.path
        assert meta(copied, old.path, "superseded-by") == "/" + new.path
        assert old.valid_until is not None
        assert new.valid_from is not None
        assert old.valid_until <= new.valid_from, new.path
    stated = {path for path in memories if meta(copied, path, "superseded-by")}
    assert stated == {old.path for _, old in corrected}


def test_some_of_the_archive_is_closed_rather_than_corrected(memories: Memories) -> None:
    superseded = {old.path for _, old in links(memories, "supersedes")}
    assert len([m for m in memories.values() if m.archived and m.path not in superseded]) >= 4
    assert all(m.archived_at for m in memories.values() if m.archived)


def test_contradictions_are_alive_and_differ_in_a_negation(memories: Memories) -> None:
    pairs = links(memories, "contradicts")
    assert len(pairs) >= 4
    for one, other in pairs:
        assert not one.archived
        assert not other.archived
        # Everything after the claim is the same, so that their vectors nearly are.
        assert one.body_text.removeprefix(one.gist) == other.body_text.removeprefix(other.gist)


def test_tasks_have_states_dates_and_order(memories: Memories) -> None:
    tasks = [m for m in memories.values() if m.memory_type == "task"]
    assert {t.task_status for t in tasks} == {"todo", "doing", "blocked", "done"}
    assert sum(t.due_at is not None for t in tasks) >= 12
    for rel in ("blocks", "subtask_of"):
        assert len(links(memories, rel)) >= 4
        assert all(a.memory_type == b.memory_type == "task" for a, b in links(memories, rel))
    touched = {m.path for m in tasks}
    for memory in memories.values():
        for link in memory.links:
            if link.rel not in ("blocks", "subtask_of"):
                assert memory.path not in touched
                assert link.dst_path not in touched


@pytest.mark.parametrize(
    ("rel", "least"),
    [
        ("supports", 30),
        ("caused_by", 20),
        ("leads_to", 15),
        ("part_of", 8),
        ("example_of", 5),
        ("about_person", 15),
    ],
)
def test_relations_are_used(memories: Memories, rel: str, least: int) -> None:
    assert len(links(memories, rel)) >= least


def test_people_records_are_what_memories_about_people_point_at(memories: Memories) -> None:
    people = [m for m in memories.values() if m.path.startswith("resources/people/")]
    assert len(people) >= 10
    for _, person in links(memories, "about_person"):
        assert person.path.startswith("resources/people/")


def test_arcs_overflow_their_envelope(memories: Memories) -> None:
    lengths = sorted(units(m.disclosure_text) for m in memories.values() if m.memory_type == "arc")
    assert lengths[-1] > 9_000
    assert lengths[-2] < 9_000


def test_some_memories_have_several_chunks_and_most_are_short(memories: Memories) -> None:
    lengths = [units(m.body_text) for m in memories.values()]
    assert sum(n > 1_800 for n in lengths) >= 8
    assert sum(n < 600 for n in lengths) >= len(lengths) // 2


def test_facets_citations_terms_and_code(copied: Path, memories: Memories) -> None:
    facets = [f for m in memories.values() for f in m.facets]
    for name in ("doc-type", "severity", "service"):
        assert sum(f.name == name for f in facets) >= 15
    assert sum(f.numeric is not None for f in facets) >= 60
    assert sum(len(m.citations) for m in memories.values()) >= 15
    assert any(c.href for m in memories.values() for c in m.citations)
    entities = Counter(entity for m in memories.values() for entity in set(m.entities))
    assert sum(kind == "concept" for kind, _ in entities) >= 5
    assert {name for kind, name in entities if kind == "lang"} >= {"bash", "sql", "python", "toml"}
    assert sum(n > 20 for n in entities.values()) >= 8
    whole = "".join((copied / path).read_text("utf-8") for path in memories)
    for tag in ("table", "details", "aside", "figure", "section", "time", "kbd", "samp", "q", "cite", "dfn"):
        assert f"<{tag}" in whole


def test_titles_that_tempt_a_terminal(memories: Memories) -> None:
    titles = [m.title for m in memories.values()]
    assert any("list[0] = [red]" in title for title in titles)
    assert any(ord(character) > 0xFFFF for title in titles for character in title)


def test_the_sidecar_holds_believable_histories(copied: Path, memories: Memories) -> None:
    lines = (copied / ".memhtml/state/access.jsonl").read_text("utf-8").splitlines()
    rows = [json.loads(line) for line in lines]
    keys = ["path", "accessCount", "reinforcementCount", "outcomeScore", "lastAccessedAt", "lastReinforcedAt"]
    assert [list(row) for row in rows] == [[*keys, "updatedAt"]] * len(rows)
    paths = [row["path"] for row in rows]
    assert paths == sorted(paths)
    assert set(paths) <= set(memories)
    for row in rows:
        assert row["accessCount"] >= row["reinforcementCount"]
        assert -1 <= row["outcomeScore"] <= 1
        assert (row["lastReinforcedAt"] is None) == (row["reinforcementCount"] == 0)
        assert memories[row["path"]].created_at <= row["lastAccessedAt"] <= WINDOW[1], row["path"]
        assert (row["lastReinforcedAt"] or row["lastAccessedAt"]) <= row["lastAccessedAt"]
    assert max(row["accessCount"] for row in rows) > 30
    assert any(row["outcomeScore"] == 1 for row in rows)
    assert any(row["outcomeScore"] < -0.5 for row in rows)
    assert any(row["accessCount"] and row["lastAccessedAt"] < "2025-03" for row in rows)


def test_nothing_secret_or_local_is_shipped(copied: Path) -> None:
    files = [f for f in copied.rglob("*") if f.is_file()]
    assert not [f for f in files if f.suffix == ".db" or ".git" in f.parts]
    for file in files:
        text = file.read_text("utf-8")
        assert "/work" not in text
        assert "http" not in text
