"""Exchanges with a real process, byte by byte: clients add headers and hide what they got."""

import contextlib
import gzip
import http.client
import json
import socket
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tests.forked import environment
from tests.patience import PATIENCE
from tools.service_process import ROOT, running

LOG: dict[str, Any] = json.loads((ROOT / "examples" / "logs" / "good.json").read_text())["log"]
BODY = json.dumps({"log": LOG, "factors": ["coherence"]}).encode()
JSON = {"Content-Type": "application/json"}
GZIP = {**JSON, "Content-Encoding": "gzip"}


class Answer:
    """An answer: status, headers and bytes as they were sent."""

    def __init__(self, response: http.client.HTTPResponse) -> None:
        self.status = response.status
        self.headers = response.headers
        self.body = response.read()

    @property
    def json(self) -> Any:
        packed = self.headers["Content-Encoding"] == "gzip"
        return json.loads(gzip.decompress(self.body) if packed else self.body)


def ask(
    url: str, method: str, path: str, body: bytes | None = None, headers: Mapping[str, str] | None = None
) -> Answer:
    """Send exactly these headers beside `Host` and `Content-Length`: clients add some of their own."""
    connection = http.client.HTTPConnection(url.removeprefix("http://"), timeout=PATIENCE)
    try:
        connection.putrequest(method, path, skip_host="Host" in (headers or {}), skip_accept_encoding=True)
        for name, value in (headers or {}).items():
            connection.putheader(name, value)
        if body is not None:
            connection.putheader("Content-Length", str(len(body)))
        connection.endheaders(body)
        return Answer(connection.getresponse())
    finally:
        connection.close()


@contextmanager
def logged_service(log: Path, **settings: str) -> Iterator[str]:
    """A service whose log can be read afterwards."""
    variables = {f"CRS_EVAL_{name}": value for name, value in settings.items()}
    with running(environment(**variables, CRS_EVAL_LOG_FORMAT="json"), log) as url:
        yield url


def connect(url: str) -> socket.socket:
    host, port = url.removeprefix("http://").split(":")
    return socket.create_connection((host, int(port)), timeout=PATIENCE)


def begin(connection: socket.socket) -> Answer:
    response = http.client.HTTPResponse(connection)
    response.begin()
    return Answer(response)


def head(url: str, path: str, *lines: str) -> bytes:
    media = "application/x-ndjson" if path == "/batch" else "application/json"
    host = url.removeprefix("http://")
    first = (f"POST {path} HTTP/1.1", f"Host: {host}", f"Content-Type: {media}", *lines, "", "")
    return "\r\n".join(first).encode()


def events(log: Path, event: str) -> list[dict[str, Any]]:
    lines = [json.loads(line) for line in log.read_text().splitlines() if line.startswith("{")]
    return [line for line in lines if line["event"] == event]


def process_behind(url: str) -> Path:
    """The folder in /proc of the process that listens at `url`."""
    listening = f":{int(url.rpartition(':')[2]):04X} 00000000:0000 0A"
    rows = Path("/proc/net/tcp").read_text().splitlines()
    inode = next(line.split()[9] for line in rows if listening in line)
    for folder in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            if any(link.readlink().name == f"socket:[{inode}]" for link in (folder / "fd").iterdir()):
                return folder
    raise LookupError(url)


def memory(process: Path, kind: str = "VmRSS") -> int:
    """Bytes that a process holds now, or held at its peak (`VmHWM`)."""
    rows = (process / "status").read_text().splitlines()
    return 1024 * next(int(row.split()[1]) for row in rows if row.startswith(kind))
