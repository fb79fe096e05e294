"""Where an OpenAI-compatible embeddings endpoint is and how a model is called there.

The reference's variables mean here what they mean to the reference 0.15.1:

* MEMHTML_LLM_BASE_URL: origin of the proxy or server; blank means none. `/v1/embeddings` is appended. An
  address that already ends in `/v1` or `/v1/embeddings` is taken as well.
* MEMHTML_LLM_API_KEY: sent as a bearer token; blank means none.
* MEMHTML_LLM_MODEL_PREFIX: put before the reference's own model id; blank means `bedrock/`, `none` nothing.
* MEMHTML_LLM_MODEL_MAP: `from=to` pairs with commas between; a mapped id is sent as it stands, unprefixed.

The space keeps the name on the left of the map: two proxies that call one model differently give the same
vectors. A model that the person names (`http:MODEL`) is sent under that name, without the prefix.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import urlsplit

from memhtml_core.embed import cohere
from memhtml_core.errors import UsageError

BASE_URL = "MEMHTML_LLM_BASE_URL"
API_KEY = "MEMHTML_LLM_API_KEY"
MODEL_PREFIX = "MEMHTML_LLM_MODEL_PREFIX"
MODEL_MAP = "MEMHTML_LLM_MODEL_MAP"

_DEFAULT_PREFIX = "bedrock/"
_ROUTE = "/v1/embeddings"


@dataclass(frozen=True, slots=True)
class Endpoint:
    """One model on one server.

    `url` is the whole address of the embeddings route. `model` names the space, `sent_as` is what the server
    is asked for. `dim` is the dimension asked for; None leaves it to the model. `key` never stands in a
    representation.
    """

    url: str
    model: str
    sent_as: str
    dim: int | None
    key: str | None

    def __repr__(self) -> str:
        return f"Endpoint({self.place!r}, {self.model!r}, {self.sent_as!r}, {self.dim!r})"

    @property
    def place(self) -> str:
        """Scheme, host and port, for people and for error texts."""
        parts = urlsplit(self.url)
        return f"{parts.scheme}://{parts.netloc}"

    @property
    def is_reference(self) -> bool:
        """Whether this is the reference's own model, which tells queries from documents."""
        return self.model == cohere.MODEL


def endpoint(
    environ: Mapping[str, str],
    *,
    base_url: str | None = None,
    model: str | None = None,
    dim: int | None = None,
) -> Endpoint:
    """The endpoint that the environment describes; `base_url`, `model` and `dim` take precedence where given.

    Without a model it is the reference's. Raises `UsageError` naming the variable that cannot be meant.
    """
    configured = environ.get(BASE_URL, "")
    stated = configured if base_url is None else base_url
    if not stated.strip():
        raise UsageError(
            "no address for the HTTP embedder",
            remedy=f"Set {BASE_URL}, or give one: --embedder http://127.0.0.1:11434#nomic-embed-text",
        )
    url = _route(stated, BASE_URL if base_url is None else "--embedder")
    key = environ.get(API_KEY, "").strip() or None
    if configured.strip() and _origin(configured) != _origin(url):
        # The key was given for another server than the one named on the command line.
        key = None
    if key is not None and not (key.isascii() and key.isprintable()):
        raise UsageError(
            "the key holds characters that no header can carry", subject=API_KEY, remedy="Set it anew"
        )
    name = cohere.MODEL if model is None else model
    wanted = cohere.DIM if name == cohere.MODEL and dim is None else dim
    mapped = model_map(environ.get(MODEL_MAP, ""))
    prefix = _prefix(environ.get(MODEL_PREFIX, "")) if name == cohere.MODEL else ""
    return Endpoint(url, name, mapped.get(name, prefix + name), wanted, key)


def model_map(text: str) -> dict[str, str]:
    """The pairs of `from=to,from=to`. Raises `UsageError` for an empty half or a name given twice."""
    pairs: dict[str, str] = {}
    for item in text.split(","):
        if not item.strip():
            continue
        name, equals, target = (part.strip() for part in item.partition("="))
        if not name or not equals or not target or name in pairs:
            raise UsageError(
                "a pair of model names that cannot be meant",
                subject=f"{MODEL_MAP}: {item.strip()}",
                remedy="Write from=to, each model once, with commas between",
            )
        pairs[name] = target
    return pairs


def _origin(address: str) -> str:
    return "//".join(address.strip().lower().split("/")[0:3:2])


def _prefix(text: str) -> str:
    stated = text.strip()
    if stated.lower() == "none":
        return ""
    return stated or _DEFAULT_PREFIX


def _route(stated: str, where: str) -> str:
    address = stated.strip().rstrip("/")
    try:
        parts = urlsplit(address)
        usable = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        usable = False
    if not usable or any(character.isspace() for character in address) or parts.query or parts.fragment:
        raise UsageError(
            "not the address of a server", subject=where, remedy="Write it like http://127.0.0.1:4000"
        )
    if parts.username is not None or parts.password is not None:
        raise UsageError(
            "an address that holds a name or password",
            subject=where,
            remedy=f"Put the key into {API_KEY} instead",
        )
    if address.endswith(_ROUTE):
        return address
    return address + ("/embeddings" if address.endswith("/v1") else _ROUTE)
