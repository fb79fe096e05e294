"""The offline vectors equal those of the package they come from, and its faults do not come along."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from memhtml_core.embed import static
from memhtml_core.embed.protocol import Embedder
from memhtml_core.embed.static import DIM, StaticEmbedder, package_folder, read_tensor
from memhtml_core.errors import BadVector, EmbedError

TEXTS = [
    "hello world",
    "The ferry leaves at noon; the tide does not wait.",
    "a",
    " leading and trailing ",
    "日本語のテキスト und Umlaute äöü",
    "emoji 👩‍👩‍👧 and 12,345.67 numbers",
    "long " * 3000,
    "line\nbreak\ttab\x00nul",
    "\ud83d half a pair",
]

PACKAGE_S_OWN = """
import json, sys, logging
from pathlib import Path
import wordllama
folder = Path(wordllama.__file__).parent
# Its own search looks for the tokenizer in a folder that the package does not have.
wordllama.WordLlama.get_cache_dir = lambda is_tokenizer_config=False: (
    folder / ("tokenizers" if is_tokenizer_config else "weights")
)
model = wordllama.WordLlama.load(disable_download=True)
for text in json.load(sys.stdin):
    print(model.embed([text], norm=False).astype("<f8").tobytes().hex(), flush=True)
    print(model.embed([text], norm=True).astype("<f4").tobytes().hex(), flush=True)
"""


@pytest.fixture(scope="module")
def embedder() -> StaticEmbedder:
    return StaticEmbedder()


def test_vectors_equal_the_package_s_own_to_the_last_bit(embedder: StaticEmbedder) -> None:
    texts = [text.replace("\ud83d", "\ufffd") for text in TEXTS]
    # In a process of its own, because importing the package sets up logging.
    environ = {**os.environ, "HF_HUB_OFFLINE": "1", "TOKENIZERS_PARALLELISM": "false"}
    done = subprocess.run(
        [sys.executable, "-c", PACKAGE_S_OWN], input=json.dumps(texts), capture_output=True, text=True,
        timeout=120, env=environ,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-2000:]
    lines = done.stdout.split()
    assert len(lines) == 2 * len(TEXTS)
    for place, text in enumerate(TEXTS):
        theirs = np.frombuffer(bytes.fromhex(lines[2 * place]), dtype="<f8")
        assert np.abs(embedder.pooled(text) - theirs).max() == 0.0
        assert embedder.embed_query(text) == bytes.fromhex(lines[2 * place + 1])


def test_it_is_an_embedder_of_one_space(embedder: StaticEmbedder) -> None:
    assert isinstance(embedder, Embedder)
    assert embedder.space.name == "wordllama-l2-supercat@256"
    assert embedder.space.dim == DIM
    assert len(embedder.space.digest) == 64
    assert StaticEmbedder(Path("nowhere")).space == embedder.space
    assert "offline" in embedder.label


def test_documents_and_queries_are_embedded_alike(embedder: StaticEmbedder) -> None:
    blobs = embedder.embed_documents(TEXTS)
    assert blobs == [embedder.embed_query(text) for text in TEXTS]
    assert blobs == list(reversed(embedder.embed_documents(TEXTS[::-1])))
    for blob in blobs:
        assert abs(float(np.linalg.norm(np.frombuffer(blob, dtype="<f4"))) - 1.0) < 1e-6


def test_near_words_are_nearer(embedder: StaticEmbedder) -> None:
    boat, ship, tax = (
        np.frombuffer(embedder.embed_query(w), dtype="<f4") for w in ("boat", "ship", "tax law")
    )
    assert boat @ ship > boat @ tax + 0.1


def test_the_empty_text_has_no_vector(embedder: StaticEmbedder) -> None:
    with pytest.raises(BadVector, match="without any word"):
        embedder.embed_query("")
    with pytest.raises(BadVector):
        embedder.embed_documents(["fine", ""])


def test_the_package_is_neither_imported_nor_anything_loaded_before_the_first_text() -> None:
    script = (
        "import sys\n"
        "from memhtml_core.embed.choose import choose, default_embedder\n"
        "one = default_embedder(); one.space; one.label; choose('static', {})\n"
        "heavy = [n for n in ('numpy', 'tokenizers', 'wordllama', 'boto3', 'ssl') if n in sys.modules]\n"
        "one.embed_query('text')\n"
        "print(heavy, 'wordllama' in sys.modules, 'numpy' in sys.modules)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, timeout=60, check=True
    )
    assert done.stdout == "[] False True\n"
    assert done.stderr == ""


def test_a_fork_after_embedding_prints_no_warning() -> None:
    script = (
        "import os\n"
        "from memhtml_core.embed.static import StaticEmbedder\n"
        "StaticEmbedder().embed_documents(['one', 'two'] * 50)\n"
        "child = os.fork()\n"
        "os._exit(0) if child == 0 else os.waitpid(child, 0)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, timeout=60, check=True
    )
    assert done.stderr == ""


def test_a_missing_package_says_what_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(static, "PACKAGE", "no_such_package_at_all")
    with pytest.raises(EmbedError, match="not installed") as caught:
        StaticEmbedder().embed_query("a")
    assert "--embedder" in str(caught.value)


def test_other_weights_are_refused(tmp_path: Path) -> None:
    (tmp_path / "weights").mkdir()
    (tmp_path / "tokenizers").mkdir()
    with pytest.raises(EmbedError, match="cannot be read"):
        StaticEmbedder(tmp_path).embed_query("a")
    tokenizer = (package_folder() / static.TOKENIZER).read_bytes()
    (tmp_path / static.TOKENIZER).write_bytes(tokenizer)
    (tmp_path / static.WEIGHTS).write_bytes(b"something else")
    with pytest.raises(EmbedError, match="not the one this program knows"):
        StaticEmbedder(tmp_path).embed_query("a")


def tensor(header: object, data: bytes = bytes(8)) -> bytes:
    text = json.dumps(header).encode()
    return len(text).to_bytes(8, "little") + text + data


def test_a_table_is_read() -> None:
    data = np.asarray([[1, 2], [3, 4]], dtype="<f2").tobytes()
    found = read_tensor(tensor({"t": {"dtype": "F16", "shape": [2, 2], "data_offsets": [0, 8]}}, data), "t")
    assert found.tolist() == [[1, 2], [3, 4]]


@pytest.mark.parametrize(
    "data",
    [
        b"", b"short", tensor({}), tensor([]), tensor({"t": 5}),
        tensor({"t": {"dtype": "F32", "shape": [2, 2], "data_offsets": [0, 8]}}),
        tensor({"t": {"dtype": "F16", "shape": [3, 2], "data_offsets": [0, 8]}}),
        tensor({"t": {"dtype": "F16", "shape": [2, 2], "data_offsets": [0, 80]}}),
        tensor({"t": {"dtype": "F16", "shape": [2, 2], "data_offsets": [-80, 8]}}),
        tensor({"t": {"dtype": "F16", "shape": [2, 2], "data_offsets": ["a", 8]}}),
        (2**62).to_bytes(8, "little") + b"{}",
    ],
)  # fmt: skip
def test_a_broken_table_is_refused(data: bytes) -> None:
    with pytest.raises(EmbedError, match="cannot be read"):
        read_tensor(data, "t")
