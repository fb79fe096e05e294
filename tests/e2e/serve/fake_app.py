"""Stands in for the explorer behind the web view: speaks Textual's packets, and misbehaves on command.

Run as a program by `driving.FAKE`; what it is told to do comes in as keys.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time

SECRET = "the-text-of-a-memory"


def say(kind: bytes, payload: bytes) -> None:
    """Write one packet."""
    sys.stdout.buffer.write(kind + len(payload).to_bytes(4, "big") + payload)
    sys.stdout.buffer.flush()


def meta(**told: object) -> None:
    """Write one meta packet."""
    say(b"M", json.dumps(told).encode())


def act(command: str) -> None:
    """One misbehaviour."""
    if command == "crash":
        sys.stderr.write(f"Traceback: \x1b[31mlocals: {SECRET}\x1b[0m\n")
        sys.exit(3)
    if command == "leave":
        sys.stderr.write(f"a warning about {SECRET}\n")
        sys.exit(0)
    if command == "hang":
        for each in (signal.SIGTERM, signal.SIGINT):
            signal.signal(each, signal.SIG_IGN)
        say(b"D", b"hanging")
        time.sleep(1000)
    if command == "flood":
        while True:
            say(b"D", b"x" * 60_000)
    if command == "huge":
        sys.stdout.buffer.write(b"D\xff\xff\xff\xff")
        sys.stdout.buffer.flush()
    if command == "nonsense":
        sys.stdout.buffer.write(b"M\x00\x00\x00\x04{nop")
        sys.stdout.buffer.flush()
    if command == "child":
        child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(1000)"])
        say(b"D", f"child {child.pid}.".encode())
    if command == "link":
        meta(type="open_url", url="https://example.org/", new_tab=True)
        say(b"D", b"linked")
    if command == "file":
        meta(type="deliver_file_start", key="k1", path="/x/../no\r\nte.html", open_method="browser",
             mime_type="text/html", encoding="utf-8", name=None)  # fmt: skip


def main() -> None:
    """Say hello, then do what comes."""
    sys.stdout.buffer.write(b"__GANGLION__\n")
    served = os.environ.get("MEMHTML_TUI_SERVED")
    texts = sorted(name for name in os.environ if name.startswith("TEXTUAL"))
    say(
        b"D",
        f"pid {os.getpid()} served {served} {os.environ['COLUMNS']}x{os.environ['ROWS']} {texts}".encode(),
    )
    pieces = [b"<script>", b"alert(1)", b""]
    while head := sys.stdin.buffer.read(5):
        payload = sys.stdin.buffer.read(int.from_bytes(head[1:], "big"))
        if head[:1] == b"D":
            say(b"D", b"echo " + payload)
            act(payload.decode())
            continue
        told = json.loads(payload)
        if told["type"] == "quit":
            break
        if told["type"] == "deliver_chunk_request":
            from textual._binary_encode import dump

            say(b"P", dump(("deliver_chunk", told["key"], pieces.pop(0))))
        else:
            say(b"D", payload)


if __name__ == "__main__":
    main()
