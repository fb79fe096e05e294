"""Which embedder a flag or the environment asks for (DESIGN 4 and 10).

* `off`, `none`: no embedder; the vector arm is out and says so.
* `static`: the offline vectors.
* `http`, `http:MODEL`, `http:MODEL@DIM`: the server of MEMHTML_LLM_BASE_URL.
* `http://HOST…#MODEL@DIM`, `https://…`: that server.
* `bedrock`: Cohere Embed v4 on Amazon Bedrock, in the region of MEMHTML_AWS_REGION.
* `python:FILE`: a plug-in.
* `on`, `auto`, nothing: what the environment configures. MEMHTML_LLM_BASE_URL is such a configuration, as for
  the reference; otherwise nothing is, and the store's own space decides.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path

from memhtml_core.embed.endpoint import BASE_URL, endpoint
from memhtml_core.embed.protocol import Embedder
from memhtml_core.errors import UsageError

VARIABLE = "MEMHTML_EMBED"
AWS_REGION = "MEMHTML_AWS_REGION"
VALUES = ("auto", "static", "http", "bedrock", "python:FILE", "off")
"""What may be asked for, for help texts."""

_OFF = frozenset({"off", "none"})
# The reference takes everything but `off` as on; these are the ways in which people write that.
_ON = frozenset({"", "on", "auto", "default", "1", "true", "yes"})


@dataclass(frozen=True, slots=True)
class Choice:
    """The embedder asked for. Explicit and None means none at all; not explicit, that the store decides."""

    embedder: Embedder | None
    explicit: bool


def choose(spec: str | None, environ: Mapping[str, str]) -> Choice:
    """The embedder of `spec`, else of MEMHTML_EMBED, else of the rest of the environment.

    Nothing is asked or loaded yet, but for a plug-in, whose file is run. Raises `UsageError`, naming the
    valid values and the nearest one.
    """
    stated = environ.get(VARIABLE, "") if spec is None else spec
    where = VARIABLE if spec is None else "--embedder"
    value = stated.strip()
    word = value.lower()
    if word in _OFF:
        return Choice(None, True)
    if word in _ON:
        configured = environ.get(BASE_URL, "").strip()
        return Choice(_http(environ), True) if configured else Choice(None, False)
    return Choice(_named(value, word, where, environ), True)


def default_embedder() -> Embedder:
    """What works straight after installation, offline."""
    from memhtml_core.embed.static import StaticEmbedder

    return StaticEmbedder()


# Each kind is imported when it is chosen: the network and TLS modules would show in the time to the first
# frame.


def _http(
    environ: Mapping[str, str],
    model: str | None = None,
    dim: int | None = None,
    base_url: str | None = None,
) -> Embedder:
    from memhtml_core.embed.http import HttpEmbedder

    return HttpEmbedder(endpoint(environ, base_url=base_url, model=model, dim=dim))


def _bedrock(environ: Mapping[str, str]) -> Embedder:
    from memhtml_core.embed.bedrock import REGION, BedrockEmbedder

    return BedrockEmbedder(environ.get(AWS_REGION, "").strip() or REGION)


def _plugin(file: Path) -> Embedder:
    from memhtml_core.embed.plugin import PluginEmbedder

    return PluginEmbedder(file)


def _named(value: str, word: str, where: str, environ: Mapping[str, str]) -> Embedder:
    if word == "static":
        return default_embedder()
    if word == "bedrock":
        return _bedrock(environ)
    if word.startswith(("http://", "https://")):
        address, _, model = value.partition("#")
        return _http(environ, *_model(model, where), base_url=address)
    kind, colon, rest = value.partition(":")
    if kind.lower() == "http":
        return _http(environ, *_model(rest if colon else "", where))
    if kind.lower() == "python" and rest.strip():
        return _plugin(Path(os.path.expanduser(rest)))
    raise _unknown(value, kind.lower(), where)


def _model(text: str, where: str) -> tuple[str | None, int | None]:
    """The parts of `MODEL@DIM`; both may be left out."""
    name, at, dim = text.strip().rpartition("@")
    if not at:
        return dim or None, None
    if not name or not (dim.isascii() and dim.isdecimal()) or int(dim[:9]) == 0:
        raise UsageError(
            "not a model and its dimension", subject=f"{where}: {text}", remedy="Write MODEL@DIM"
        )
    return name, int(dim)


def _unknown(value: str, kind: str, where: str) -> UsageError:
    near = get_close_matches(
        kind, ["auto", "on", "off", "none", "static", "http", "bedrock", "python"], 1, 0.5
    )
    hint = ""
    if near:
        hint = f"; did you mean {'python:FILE' if near[0] == 'python' else near[0]}?"
    return UsageError(
        "no such embedder", subject=f"{where}: {value}", remedy=f"Use one of {', '.join(VALUES)}{hint}"
    )
