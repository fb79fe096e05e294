"""Host, Origin and token, decided without a server."""

from __future__ import annotations

import secrets

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memhtml_core.errors import UsageError
from memhtml_tui.serve.guard import (
    Guard,
    host_in_url,
    is_loopback,
    origin_of,
    origins_of,
    security_headers,
)

OURS = Guard(origins_of("127.0.0.1", 8000))
SOCKET = {"Host": "127.0.0.1:8000", "Origin": "http://127.0.0.1:8000"}


def refused(
    guard: Guard = OURS, path: str | None = None, *, socket: bool = True, **headers: str | None
) -> object:
    """Why a request is refused that is right but for what is given."""
    sent = {**SOCKET, **{name.replace("_", "-"): value for name, value in headers.items()}}
    stated = {name: value for name, value in sent.items() if value is not None}
    return guard.refusal(f"/{guard.token}/ws" if path is None else path, stated, socket=socket)


def test_the_right_request_is_let_in() -> None:
    assert refused() is None
    assert refused(Host="localhost:8000", Origin="http://localhost:8000") is None
    assert refused(Host="[::1]:8000", Origin="http://[::1]:8000") is None


@pytest.mark.parametrize(
    "host",
    [
        None,
        "",
        "evil.example",
        "evil.example:8000",
        "127.0.0.1",
        "127.0.0.1:8001",
        "127.0.0.1:8000.evil.example",
    ],
)
def test_a_host_that_is_not_ours_is_refused(host: str | None) -> None:
    assert refused(Host=host) == "wrong Host"


@pytest.mark.parametrize(
    "origin",
    ["null", "", "http://evil.example", "http://127.0.0.1:8001", "https://127.0.0.1:8000", "http://127.0.0.1",
     "http://127.0.0.1:8000.evil.example", "http://evil.example/http://127.0.0.1:8000"],
)  # fmt: skip
def test_an_origin_that_is_not_ours_is_refused(origin: str) -> None:
    assert refused(Origin=origin) == "wrong Origin"
    assert refused(Origin=origin, socket=False) == "wrong Origin"


def test_a_socket_must_state_its_origin_and_a_page_need_not() -> None:
    assert refused(Origin=None) == "no Origin"
    assert refused(Origin=None, socket=False) is None


@pytest.mark.parametrize("site", ["cross-site", "same-site", "Cross-Site", "something-new"])
def test_what_lies_behind_the_page_may_only_be_asked_for_by_it(site: str) -> None:
    assert refused(Sec_Fetch_Site=site) == "asked for by another site"
    assert refused(Sec_Fetch_Site=site, socket=False, path=f"/{OURS.token}/") is None
    assert refused(Sec_Fetch_Site="same-origin") is None


@pytest.mark.parametrize(
    "path", ["", "/", "//", "/ws", "/static/page.js", "/TOKEN", "/TOKEN/ws", "//TOKEN/../ws", "/x/TOKEN/ws"]
)
def test_a_path_without_the_token_is_refused(path: str) -> None:
    wrong = path.replace("TOKEN", OURS.token[:-1] + ("a" if OURS.token[-1] != "a" else "b"))
    assert refused(path=wrong) == "wrong token"
    assert refused(path=path.replace("TOKEN", OURS.token[:-1])) == "wrong token"


@given(st.text())
def test_no_other_text_is_the_token(text: str) -> None:
    assert refused(path=f"/{text}/ws") == "wrong token"


def test_the_token_is_compared_in_constant_time(monkeypatch: pytest.MonkeyPatch) -> None:
    compared = []
    real = secrets.compare_digest

    def compare(a: bytes, b: bytes) -> bool:
        compared.append((a, b))
        return real(a, b)

    monkeypatch.setattr(secrets, "compare_digest", compare)
    assert refused(path="/guess/ws") == "wrong token"
    assert compared == [(b"guess", OURS.token.encode())]


def test_tokens_are_long_differ_and_stay_out_of_reprs() -> None:
    tokens = {Guard(frozenset()).token for _ in range(100)}
    assert len(tokens) == 100
    assert min(map(len, tokens)) >= 43
    assert OURS.token not in repr(OURS)


def test_behind_a_proxy_both_addresses_are_ours() -> None:
    guard = Guard(origins_of("127.0.0.1", 8000, origin_of("https://memory.example/store")))
    assert refused(guard) is None
    assert refused(guard, Host="memory.example", Origin="https://memory.example") is None
    assert refused(guard, Host="memory.example", Origin="http://memory.example") == "wrong Origin"
    assert refused(guard, Host="127.0.0.1:8000", Origin="https://memory.example") is None


def test_a_wildcard_address_needs_the_one_that_people_type() -> None:
    for host in ("0.0.0.0", "::", ""):
        with pytest.raises(UsageError, match="--public-url"):
            origins_of(host, 8000)
    guard = Guard(origins_of("0.0.0.0", 8000, origin_of("http://box.lan:8000")))
    assert refused(guard) == "wrong Host"
    assert refused(guard, Host="BOX.lan:8000", Origin="http://box.lan:8000") is None


def test_another_address_of_this_machine_does_not_answer_to_localhost() -> None:
    guard = Guard(origins_of("192.0.2.7", 8000))
    assert refused(guard) == "wrong Host"
    assert refused(guard, Host="192.0.2.7:8000", Origin="http://192.0.2.7:8000") is None


@pytest.mark.parametrize(
    "url",
    [
        "memory.example",
        "ftp://x",
        "http://",
        "http://x:99999",
        "http://me@x",
        "javascript:alert(1)",
        "http://[",
    ],
)
def test_a_public_url_must_be_one(url: str) -> None:
    with pytest.raises(UsageError, match="not a web address"):
        origin_of(url)


def test_what_is_loopback() -> None:
    assert all(map(is_loopback, ("127.0.0.1", "127.9.9.9", "::1", "localhost", "LocalHost")))
    assert not any(map(is_loopback, ("0.0.0.0", "::", "192.0.2.7", "localhost.evil.example", "")))
    assert host_in_url("::1") == "[::1]"


def test_the_policy_allows_this_server_and_nothing_else() -> None:
    headers = security_headers(OURS)
    policy = dict(part.split(" ", 1) for part in headers["Content-Security-Policy"].split("; "))
    assert policy["default-src"] == policy["frame-ancestors"] == policy["base-uri"] == "'none'"
    assert policy["script-src"] == "'self'"
    assert policy["connect-src"] == "'self' ws://127.0.0.1:8000 ws://localhost:8000"
    assert headers["Referrer-Policy"] == "no-referrer"
    assert headers["X-Content-Type-Options"] == "nosniff"
