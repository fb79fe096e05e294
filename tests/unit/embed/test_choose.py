"""What a flag or the environment asks for is what is chosen, and a slip is named with the nearest value."""

from __future__ import annotations

from pathlib import Path

import pytest

from memhtml_core.embed.bedrock import BedrockEmbedder
from memhtml_core.embed.choose import Choice, choose, default_embedder
from memhtml_core.embed.http import HttpEmbedder
from memhtml_core.embed.plugin import PluginEmbedder
from memhtml_core.embed.static import StaticEmbedder
from memhtml_core.errors import UsageError

PROXY = {"MEMHTML_LLM_BASE_URL": "http://127.0.0.1:4000"}


@pytest.mark.parametrize("word", ["off", "none", " OFF "])
def test_off(word: str) -> None:
    assert choose(word, PROXY) == Choice(None, True)
    assert choose(None, {**PROXY, "MEMHTML_EMBED": word}) == Choice(None, True)


@pytest.mark.parametrize("word", ["", "on", "auto", "1", "TRUE"])
def test_nothing_configured_leaves_it_to_the_store(word: str) -> None:
    assert choose(None, {"MEMHTML_EMBED": word}) == Choice(None, False)
    assert choose(word, {}) == Choice(None, False)
    assert choose(None, {"MEMHTML_LLM_BASE_URL": "  "}) == Choice(None, False)


@pytest.mark.parametrize("environ", [PROXY, {**PROXY, "MEMHTML_EMBED": "on"}])
def test_a_proxy_is_a_configuration(environ: dict[str, str]) -> None:
    choice = choose(None, environ)
    assert choice.explicit
    assert isinstance(choice.embedder, HttpEmbedder)
    assert choice.embedder.space.name == "cohere.embed-v4:0@1024"


def test_the_flag_comes_before_the_environment() -> None:
    assert isinstance(choose("static", {**PROXY, "MEMHTML_EMBED": "off"}).embedder, StaticEmbedder)
    assert isinstance(choose(None, {"MEMHTML_EMBED": "Static"}).embedder, StaticEmbedder)


def test_http_forms() -> None:
    assert choose("http", PROXY).embedder.label == "cohere.embed-v4:0 at http://127.0.0.1:4000"  # type: ignore[union-attr]
    chosen = choose("http:nomic-embed-text:v1.5@768", PROXY).embedder
    assert isinstance(chosen, HttpEmbedder)
    assert chosen.space.name == "nomic-embed-text:v1.5@768"
    chosen = choose("http://127.0.0.1:11434/v1#org/Model@512", {}).embedder
    assert isinstance(chosen, HttpEmbedder)
    assert chosen.space.name == "org/Model@512"
    assert chosen.label == "org/Model at http://127.0.0.1:11434"
    assert choose("https://h", {}).embedder.space.dim == 1024  # type: ignore[union-attr]
    with pytest.raises(UsageError, match="no address"):
        choose("http", {})
    for slip in ("http:m@0", "http:m@x", "http:@5", "http://h#m@-1"):
        with pytest.raises(UsageError, match="MODEL@DIM"):
            choose(slip, PROXY)
    with pytest.raises(UsageError, match="--embedder"):
        choose("http://", {})


def test_bedrock_takes_its_region_from_the_environment() -> None:
    chosen = choose("bedrock", {"MEMHTML_AWS_REGION": "eu-west-3"}).embedder
    assert isinstance(chosen, BedrockEmbedder)
    assert "eu-west-3" in chosen.label
    assert "us-east-1" in choose("bedrock", {}).embedder.label  # type: ignore[union-attr]


def test_a_plug_in_is_loaded(tmp_path: Path) -> None:
    file = tmp_path / "My Plug.py"
    file.write_text("MODEL, DIM = 'mine', 1\ndef embed(text): return [1]\n", encoding="utf-8")
    chosen = choose(f"python:{file}", {}).embedder
    assert isinstance(chosen, PluginEmbedder)
    assert chosen.space.name == "mine@1"


@pytest.mark.parametrize(
    ("slip", "near"),
    [
        ("statc", "static"),
        ("of", "off"),
        ("bedrok", "bedrock"),
        ("htp", "http"),
        ("pyton:x.py", "python:FILE"),
    ],
)
def test_a_slip_is_named_with_the_nearest_value(slip: str, near: str) -> None:
    with pytest.raises(UsageError, match=f"did you mean {near}") as caught:
        choose(slip, {})
    assert "--embedder" in str(caught.value)
    with pytest.raises(UsageError, match="MEMHTML_EMBED"):
        choose(None, {"MEMHTML_EMBED": slip})


@pytest.mark.parametrize("word", ["zzzzzz", "python:", "python", "static:x", ":"])
def test_what_nothing_is_near_to_lists_the_values(word: str) -> None:
    with pytest.raises(UsageError, match="auto, static, http, bedrock, python:FILE, off"):
        choose(word, {})


def test_the_default_works_offline() -> None:
    one = default_embedder()
    assert isinstance(one, StaticEmbedder)
    assert len(one.embed_query("text")) == 4 * one.space.dim
