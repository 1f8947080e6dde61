"""No client follows a redirect: neither a conversation nor a key goes to another origin."""

import os
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from tests.clients.test_go import ALONE
from tools import toolchains
from tools.service_process import ROOT

CLIENTS = ROOT / "clients"
PYTHON = """
import sys
from crs_eval_client import CrsEval
with CrsEval(sys.argv[1]) as client:
    client.score({"messages": [{"role": "user", "content": "Hi"}, {"role": "assistant", "content": "Ho"}]})
"""
PROGRAMS: dict[str, tuple[Callable[[], Path], Sequence[str | Path]]] = {
    "go": (toolchains.go, ["run", "./examples/score"]),
    "typescript": (toolchains.node, [CLIENTS / "typescript" / "examples" / "score.ts"]),
    "python": (lambda: Path(sys.executable), ["-c", PYTHON]),
}


@dataclass
class Origin:
    """A server that sends everything to `elsewhere`, or nowhere; `asked` are the paths that came."""

    status: int = 307
    elsewhere: str = ""
    url: str = ""
    asked: list[str] = field(default_factory=list)


@contextmanager
def serving(origin: Origin) -> Iterator[Origin]:
    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            self.rfile.read(int(self.headers.get("Content-Length") or 0))
            self._answer()

        def do_GET(self) -> None:
            self._answer()

        def _answer(self) -> None:
            origin.asked.append(self.path)
            self.send_response(origin.status if origin.elsewhere else 200)
            if origin.elsewhere:
                self.send_header("Location", f"{origin.elsewhere}{self.path}")
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        origin.url = f"http://127.0.0.1:{server.server_address[1]}"
        yield origin
        server.shutdown()


@pytest.mark.slow
@pytest.mark.parametrize("status", [302, 307])
@pytest.mark.parametrize("name", PROGRAMS)
def test_no_redirect_is_followed(name: str, status: int, have: Callable[[Callable[[], Path]], Path]) -> None:
    toolchain, words = PROGRAMS[name]
    program = have(toolchain)
    with ExitStack() as stack:
        elsewhere = stack.enter_context(serving(Origin()))
        front = stack.enter_context(serving(Origin(status, elsewhere.url)))
        done = subprocess.run(
            [program, *words, front.url],
            cwd=CLIENTS / name,
            env=os.environ | ALONE | {"CRS_EVAL_API_KEY": "secret"},
            capture_output=True,
            text=True,
            timeout=240,
            check=False,
        )
    assert len(front.asked) == 1, done.stdout + done.stderr
    assert elsewhere.asked == []
    assert done.returncode != 0
