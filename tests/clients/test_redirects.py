"""No client follows a redirect: neither a conversation nor a key goes to another origin."""

import os
import subprocess
import sys
from collections.abc import Callable, Sequence
from http.server import BaseHTTPRequestHandler
from pathlib import Path

import pytest

from tests.clients.test_go import ALONE
from tests.loopback_server import AnsweringServer, Response
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


class Origin(AnsweringServer):
    """A server that sends everything to `elsewhere`, or nowhere; `asked` are the paths that came."""

    def __init__(self, status: int = 200, elsewhere: str = "") -> None:
        super().__init__()
        self.status, self.elsewhere = status, elsewhere
        self.asked: list[str] = []

    def answer(self, request: BaseHTTPRequestHandler, body: bytes) -> Response:
        self.asked.append(request.path)
        headers = {"Location": f"{self.elsewhere}{request.path}"} if self.elsewhere else {}
        return self.status, headers, b""


@pytest.mark.slow
@pytest.mark.parametrize("status", [302, 307])
@pytest.mark.parametrize("name", PROGRAMS)
def test_no_redirect_is_followed(name: str, status: int, have: Callable[[Callable[[], Path]], Path]) -> None:
    toolchain, words = PROGRAMS[name]
    program = have(toolchain)
    with Origin() as elsewhere, Origin(status, elsewhere.url) as front:
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
