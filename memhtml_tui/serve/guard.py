"""Who may talk to the web view: our own addresses in Host and Origin, and the token in the path.

Pure decisions over headers and paths, for the page, the socket, static files and downloads alike. The
addresses keep other web pages out (a page elsewhere cannot forge its Origin, and a name that is pointed at
loopback cannot forge the Host); the token keeps other users of this machine out.
"""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from dataclasses import dataclass, field
from ipaddress import ip_address
from typing import Literal
from urllib.parse import urlsplit

from memhtml_core.errors import UsageError

Refusal = Literal["wrong Host", "wrong Origin", "no Origin", "asked for by another site", "wrong token"]

_PORTS = {"http": 80, "https": 443}
_LOOPBACK_NAMES = ("127.0.0.1", "localhost", "[::1]")


@dataclass(frozen=True, slots=True)
class Origin:
    """Scheme, host as in a URL (IPv6 in brackets, lower case) and port."""

    scheme: str
    host: str
    port: int

    def __str__(self) -> str:
        return f"{self.scheme}://{self.authority}"

    @property
    def authority(self) -> str:
        """As browsers write it into Host: without the port that the scheme implies."""
        return self.host if self.port == _PORTS[self.scheme] else f"{self.host}:{self.port}"


def origin_of(url: str) -> Origin:
    """The origin of an http or https URL. Raises `UsageError` for anything else."""
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError:
        parts, port = urlsplit(""), None
    if parts.scheme not in _PORTS or not parts.hostname or "@" in parts.netloc:
        raise UsageError("not a web address", subject=url, remedy="Write it as https://memory.example:8443")
    return Origin(parts.scheme, host_in_url(parts.hostname), port or _PORTS[parts.scheme])


def host_in_url(host: str) -> str:
    """A host name or address as it stands in a URL: IPv6 gets its brackets."""
    return f"[{host.lower()}]" if ":" in host else host.lower()


def is_loopback(host: str) -> bool:
    """Whether only this machine can reach what listens there."""
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host.lower() == "localhost"


def is_every_address(host: str) -> bool:
    """Whether it stands for all addresses of the machine, so that nobody can type it as one."""
    try:
        return ip_address(host).is_unspecified
    except ValueError:
        return host == ""


def origins_of(host: str, port: int, public: Origin | None = None) -> frozenset[Origin]:
    """Every origin under which the view that listens at `host` and `port` may be asked for.

    Raises `UsageError` for a wildcard address without a public one: what people type could not be checked.
    """
    if is_every_address(host):
        if public is None:
            raise UsageError(
                "this listens on every address, and which one people type is not known",
                subject=host,
                remedy="Say it: --public-url http://NAME:PORT",
            )
        return frozenset({public})
    names = _LOOPBACK_NAMES if is_loopback(host) else ()
    own = {Origin("http", name, port) for name in (host_in_url(host), *names)}
    return frozenset(own | ({public} if public else set()))


@dataclass(frozen=True, slots=True)
class Guard:
    """The door. `token` is the secret part of every path; it is not shown in a repr."""

    origins: frozenset[Origin]
    token: str = field(default_factory=lambda: secrets.token_urlsafe(32), repr=False)

    def refusal(self, path: str, headers: Mapping[str, str], *, socket: bool) -> Refusal | None:
        """Why a request is turned away, or None. `headers` looks names up without regard to case.

        A socket must state its Origin: every browser does, and nothing else protects a socket from pages of
        other sites. A page may be linked from anywhere; everything behind it may only be asked for by it.
        """
        if headers.get("Host", "").lower() not in {origin.authority for origin in self.origins}:
            return "wrong Host"
        stated = headers.get("Origin")
        if stated is None and socket:
            return "no Origin"
        if stated is not None and stated.lower() not in {str(origin) for origin in self.origins}:
            return "wrong Origin"
        given, _, rest = path.lstrip("/").partition("/")
        if not secrets.compare_digest(given.encode("utf-8", "surrogateescape"), self.token.encode("ascii")):
            return "wrong token"
        if rest and headers.get("Sec-Fetch-Site", "none").lower() not in ("none", "same-origin"):
            return "asked for by another site"
        return None

    def sockets(self) -> list[str]:
        """The websocket origins, for the page's content policy, whose grammar has no IPv6 addresses; those
        rest on its 'self'.
        """
        named = (origin for origin in self.origins if "[" not in origin.host)
        return sorted(str(origin).replace("http", "ws", 1) for origin in named)


def security_headers(guard: Guard) -> dict[str, str]:
    """What every answer says to the browser: nothing from elsewhere, nothing to elsewhere, no frames.

    Styles may stand inline because the terminal writes its own; scripts may not. The terminal draws with
    canvases and needs no image but the icon.
    """
    policy = (
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self' 'unsafe-inline'",
        "font-src 'self'",
        "img-src 'self'",
        " ".join(("connect-src", "'self'", *guard.sockets())),
        "base-uri 'none'",
        "form-action 'none'",
        "frame-ancestors 'none'",
    )
    return {
        "Content-Security-Policy": "; ".join(policy),
        "Referrer-Policy": "no-referrer",
        "X-Content-Type-Options": "nosniff",
        "X-Frame-Options": "DENY",
        "Cross-Origin-Opener-Policy": "same-origin",
        "Cross-Origin-Resource-Policy": "same-origin",
        "Permissions-Policy": "clipboard-read=(), camera=(), microphone=(), geolocation=()",
        "Cache-Control": "no-store",
    }
