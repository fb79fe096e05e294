"""A plug-in is run as it is; what it does wrong is said without repeating a text."""

from __future__ import annotations

import struct
import time
from pathlib import Path

import pytest

from memhtml_core.embed.plugin import PluginEmbedder
from memhtml_core.embed.protocol import Embedder, Space
from memhtml_core.errors import BadVector, EmbedError, EmbedTimeout, UsageError
from tests.shared import shared

TEXT = "the memory nobody else may read"


def plugin(folder: Path, source: str) -> PluginEmbedder:
    file = folder / "mine.py"
    file.write_text(source, encoding="utf-8")
    return PluginEmbedder(file)


def test_the_parity_embedder_gives_the_peer_s_vectors(small_index: Path) -> None:
    import sqlite3

    one = PluginEmbedder(shared("parity/det_embed.py"))
    assert isinstance(one, Embedder)
    assert one.space == Space("cohere.embed-v4:0@1024", 1024)
    with sqlite3.connect(f"file:{small_index}?immutable=1", uri=True) as database:
        rows = database.execute(
            "SELECT text, model, dim, vec FROM chunks JOIN embeddings USING (chunk_id) LIMIT 40"
        ).fetchall()
    database.close()
    assert len(rows) == 40
    for text, model, dim, vec in rows:
        assert (model, dim) == (one.space.name, one.space.dim)
        assert one.embed_documents([text]) == [vec]
    assert len(one.embed_query("")) == 4096


@pytest.fixture
def small_index(tmp_path: Path) -> Path:
    import tarfile

    with tarfile.open(shared("parity/small.tar.gz")) as archive:
        archive.extract("small/.memhtml/index.db", tmp_path)
    return tmp_path / "small" / ".memhtml" / "index.db"


def test_numbers_and_bytes_are_taken(tmp_path: Path) -> None:
    one = plugin(tmp_path, "MODEL = 'mine'\nDIM = 2\ndef embed(text):\n    return (len(text), 1)\n")
    assert one.space == Space("mine@2", 2)
    assert one.embed_query("abc") == struct.pack("<2f", 3.0, 1.0)
    two = plugin(
        tmp_path,
        "import struct\nMODEL = 'mine@2'\nDIM = 2\ndef embed(text):\n    return struct.pack('<2f', 1, 2)\n",
    )
    assert two.space.name == "mine@2"
    assert two.embed_documents(["a", "b"]) == [struct.pack("<2f", 1, 2)] * 2


def test_no_cache_file_appears_beside_it(tmp_path: Path) -> None:
    plugin(tmp_path, "MODEL, DIM = 'mine', 1\ndef embed(text): return [1]\n")
    assert [path.name for path in tmp_path.iterdir()] == ["mine.py"]


def test_dataclasses_work_in_it(tmp_path: Path) -> None:
    source = (
        "from __future__ import annotations\nfrom dataclasses import dataclass\n"
        "@dataclass\nclass Thing:\n    value: int\n"
        "MODEL, DIM = 'mine', 1\ndef embed(text): return [Thing(4).value]\n"
    )
    assert plugin(tmp_path, source).embed_query("a") == struct.pack("<f", 4)


@pytest.mark.parametrize(
    "source",
    [
        "", "MODEL = 'm'\nDIM = 2\n", "MODEL = ''\nDIM = 2\nembed = len\n",
        "MODEL = 'm'\nDIM = 0\nembed = len\n",
        "MODEL = 'm'\nDIM = True\nembed = len\n", "MODEL = 'm'\nDIM = '2'\nembed = len\n",
        "MODEL = 3\nDIM = 2\nembed = len\n",
        "MODEL = 'm'\nDIM = 2\nembed = 5\n", "MODEL = 'm@3'\nDIM = 2\nembed = len\n",
        "def (", "1 / 0", "import nowhere_at_all",
    ],
)  # fmt: skip
def test_what_is_no_plug_in_is_refused(tmp_path: Path, source: str) -> None:
    with pytest.raises(UsageError, match=r"mine\.py"):
        plugin(tmp_path, source)


def test_a_missing_file_is_refused(tmp_path: Path) -> None:
    for path in (tmp_path / "missing.py", tmp_path):
        with pytest.raises(UsageError, match="cannot be read"):
            PluginEmbedder(path)


@pytest.mark.parametrize(
    "returned", ["[0, 0]", "[1]", "[1, 2, 3]", "[float('nan'), 1]", "None", "'text'", "b'xx'", "5"]
)
def test_bad_vectors_are_refused(tmp_path: Path, returned: str) -> None:
    one = plugin(tmp_path, f"MODEL, DIM = 'mine', 2\ndef embed(text): return {returned}\n")
    with pytest.raises(BadVector):
        one.embed_query("a")
    with pytest.raises(BadVector):
        one.embed_documents(["a"])


def test_its_failure_is_told_by_kind_only(tmp_path: Path) -> None:
    one = plugin(tmp_path, "MODEL, DIM = 'mine', 2\ndef embed(text): raise KeyError(text)\n")
    with pytest.raises(EmbedError, match="KeyError") as caught:
        one.embed_query(TEXT)
    assert TEXT not in str(caught.value)
    assert caught.value.__cause__ is None


def test_a_slow_one_is_left_at_the_deadline(tmp_path: Path) -> None:
    one = plugin(
        tmp_path, "import time\nMODEL, DIM = 'mine', 1\ndef embed(text):\n    time.sleep(3)\n    return [1]\n"
    )
    started = time.monotonic()
    with pytest.raises(EmbedTimeout, match="time limit"):
        one.embed_query("a", deadline=0.2)
    assert time.monotonic() - started < 1.5
    quick = plugin(tmp_path, "MODEL, DIM = 'mine', 1\ndef embed(text): return [2]\n")
    assert quick.embed_query("a", deadline=5.0) == struct.pack("<f", 2)


def test_two_plug_ins_do_not_share_a_module(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "b").mkdir()
    one = plugin(tmp_path / "a", "MODEL, DIM, V = 'a', 1, 1\ndef embed(text): return [V]\n")
    two = plugin(tmp_path / "b", "MODEL, DIM, V = 'b', 1, 2\ndef embed(text): return [V]\n")
    assert [one.embed_query(""), two.embed_query("")] == [struct.pack("<f", 1), struct.pack("<f", 2)]
