"""Recommenders that are Python functions: served at an address of this machine while a study runs."""

import contextlib
import json
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib import import_module
from pathlib import Path
from typing import Any

from ..exits import CommandError
from ..inputs import Json

Replies = Callable[[list[Json]], "str | Json"]
"""From the messages so far, each with `role` and `content`, to a text or to `{content, recommendations}`."""
PREFIX = "python:"
GIVEN: dict[str, Replies] = {}
"""Functions of this process, by what `--crs` is given for them."""


@contextlib.contextmanager
def serving(crs: Sequence[str]) -> Iterator[list[str]]:
    """Serve the functions among recommenders; all of them as `NAME=URL`. Raises CommandError for what is no function."""
    with contextlib.ExitStack() as stack:
        addressed = []
        for one in crs:
            name, _, address = one.partition("=")
            if address.startswith(PREFIX):
                function = GIVEN.get(one) or _imported(address.removeprefix(PREFIX))
                address = stack.enter_context(_served(function))
            addressed.append(f"{name}={address}")
        yield addressed


def _imported(target: str) -> Replies:
    module, _, function = target.partition(":")
    sys.path.insert(0, str(Path.cwd()))  # where `python -m` would find it
    try:
        found: Replies = getattr(import_module(module), function)
    except (ImportError, AttributeError, ValueError) as wrong:
        raise CommandError(f"--crs {PREFIX}{target}: {wrong}. Write it as {PREFIX}MODULE:FUNCTION.") from None
    return found


@contextlib.contextmanager
def _served(function: Replies) -> Iterator[str]:
    class Webhook(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            try:
                reply = function(asked["messages"])
            except Exception:  # noqa: BLE001 - the function's own fault is a failed reply, and ends no study
                self.send_error(500)
                return
            body = json.dumps({"content": reply} if isinstance(reply, str) else reply).encode()
            self.send_response(200)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: Any) -> None:
            """Say nothing: the progress of the study is on the terminal."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Webhook) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        try:
            yield f"http://127.0.0.1:{server.server_address[1]}/reply"
        finally:
            server.shutdown()
