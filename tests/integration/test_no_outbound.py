"""The service and its workers as processes, with every connection that they begin noted: they talk to what the operator configured
and to nothing else."""

import subprocess
import sys
from pathlib import Path
from urllib.parse import urlsplit

import httpx2

from tests.factories import in_turns
from tests.forked import environment
from tests.patience import PATIENCE
from tests.provider.server import ProviderServer
from tests.redis_server import RedisServer
from tools.service_process import ROOT, free_port, wait_for

NOTING = """
import os, sys
noted = os.open(os.environ["NOTED"], os.O_WRONLY | os.O_CREAT | os.O_APPEND)
def note(event, arguments):
    if event in ("socket.connect", "socket.sendto", "socket.getaddrinfo"):
        address = arguments[:2] if event == "socket.getaddrinfo" else arguments[-1]
        if isinstance(address, tuple):  # else a socket in the file system, as between the service and its workers
            os.write(noted, (event + " " + repr(address) + "\\n").encode())
sys.addaudithook(note)
"""
"""Python runs this before the service, and before each of its workers."""
PLAIN_LOOP = "from asyncio import new_event_loop, run"
"""In place of uvloop, whose connections are made past Python, unseen."""
LOG = {
    "messages": in_turns(
        "A calm film by the sea, please.", "Try The Quiet Harbour, see https://films.example/quiet-harbour."
    )
}


def test_it_connects_to_nothing_but_what_is_configured(
    tmp_path: Path, provider: ProviderServer, redis_server: RedisServer
) -> None:
    noted = tmp_path / "connections"
    (tmp_path / "sitecustomize.py").write_text(NOTING)
    (tmp_path / "uvloop.py").write_text(PLAIN_LOOP)
    port = free_port()
    variables = environment(
        NOTED=str(noted),
        PYTHONPATH=str(tmp_path),
        CRS_EVAL_UPSTREAM_LOCAL=provider.openai_url,
        CRS_EVAL_JUDGES="builtin,local:*",
        CRS_EVAL_REDIS_URL=redis_server.url,
    )
    command = [sys.executable, "-m", "service", "--port", str(port)]
    process = subprocess.Popen(command, cwd=ROOT, env=variables, stderr=subprocess.DEVNULL)
    try:
        url = f"http://127.0.0.1:{port}"
        wait_for(port, process)
        _use_every_route(url)
    finally:
        process.terminate()
        process.wait(PATIENCE)
    configured = {urlsplit(provider.openai_url).port, redis_server.port}
    lines = noted.read_text().splitlines()
    outside = [line for line in lines if not _is_to(line, configured) and not _listens(line, port)]
    assert not outside
    assert any(str(urlsplit(provider.openai_url).port) in line for line in lines)
    assert any(str(redis_server.port) in line for line in lines)


def _is_to(line: str, ports: set[int | None]) -> bool:
    return "127.0.0.1" in line and any(str(port) in line for port in ports)


def _listens(line: str, port: int) -> bool:
    """Looking up the address that it listens at, or one of the event loop's own sockets."""
    return ("getaddrinfo" in line and str(port) in line) or "getaddrinfo ('127.0.0.1', " in line


def _use_every_route(url: str) -> None:
    judge = "local:gpt-4o-mini"
    asked = [
        ("/score", {"log": LOG}),
        ("/score", {"log": LOG, "judge": judge, "factors": ["coherence", "novelty"]}),
        ("/score/coherence", {"log": LOG, "judge": judge, "samples": 2}),
        ("/debate", {"log": LOG}),
        ("/evaluate", {"log": LOG, "debate": True}),
        ("/simulate", {"log": LOG, "simulator": {"type": "persona", "judge": judge}}),
        ("/computational-metrics", {"logs": [LOG]}),
        ("/behavior-alignment", {"candidate_log": LOG, "reference_log": LOG, "method": "explicit"}),
    ]
    with httpx2.Client(base_url=url, timeout=PATIENCE) as client:
        for path, body in asked:
            assert client.post(path, json=body).status_code < 500, path
        for path in ("/", "/docs", "/openapi.json", "/factors", "/healthz", "/metrics"):
            assert client.get(path).status_code == 200, path
        lines = '{"custom_id": "a", "path": "/nowhere", "body": {}}\n'
        assert client.post("/batch", content=lines, headers={"Content-Type": "application/x-ndjson"})
