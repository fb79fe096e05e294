"""The installed command and the explorer itself behind a socket."""

from __future__ import annotations

import signal
import socket
import subprocess
from pathlib import Path

import pytest

from memhtml_core.errors import MemhtmlError
from memhtml_tui.serve.child import launcher
from memhtml_tui.serve.server import listen
from tests.e2e.serve.driving import (
    Serving,
    files_of,
    gone,
    run,
    see,
    url_of,
    visiting,
)


def test_a_port_that_is_taken_is_named() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(MemhtmlError, match=f"cannot listen: 127.0.0.1:{port} .*--port"):
            listen("127.0.0.1", port)


def test_nothing_is_imported_from_the_folder_of_the_store(
    tmp_path: Path, environment: dict[str, str]
) -> None:
    for name in ("textual", "memhtml_tui", "argparse", "numpy"):
        (tmp_path / f"{name}.py").write_text("raise SystemExit('a store ran its own code')")
    done = subprocess.run(
        [*launcher(), "--version"], cwd=tmp_path, env=environment, capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("memhtml-tui ")


def test_the_explorer_itself_answers_a_query_in_a_browser(serving: Serving, store: Path) -> None:
    before = files_of(store)
    server = serving(store, "--no-embed", "--read-only")
    url = url_of(server)

    async def inner() -> None:
        async with visiting(url) as socket:
            await see(socket, "The ferry leaves at six.")
            await socket.send_json(["stdin", "boiler"])
            await see(socket, "first frost")

    run(inner())
    server.send_signal(signal.SIGINT)
    out, err = server.communicate(timeout=30)
    assert server.returncode == 0, err
    assert files_of(store) == before
    assert "session 1 begins (1 of 4)" in err
    for secret in (url.split("/")[3], "ferry", "boiler"):
        assert secret not in err
        assert secret not in out


@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="finds the app's process through /proc")
def test_a_killed_server_leaves_no_app_behind(serving: Serving, tmp_path: Path) -> None:
    server = serving("--demo", "--no-embed")
    url = url_of(server)

    async def inner() -> None:
        async with visiting(url) as socket:
            await see(socket, "demo store")
            children = Path(f"/proc/{server.pid}/task/{server.pid}/children").read_text().split()
            assert len(children) == 1
            assert list((tmp_path / "tmp").iterdir())
            server.kill()
            await gone(int(children[0]), 20)

    run(inner())
    assert not list((tmp_path / "tmp").glob("memhtml-tui-demo-*"))
