"""Servers under measurement: processes of their own, whose CPU time is read, and a client that costs
little beside them."""

import asyncio
import contextlib
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from tools.service_process import answers, free_port, with_children

ROOT = Path(__file__).parent.parent
_TICKS = os.sysconf("SC_CLK_TCK")


@dataclass(frozen=True)
class Server:
    """A running server: its address and its process."""

    port: int
    pid: int
    ready_seconds: float

    @property
    def url(self) -> str:
        """Return where it listens."""
        return f"http://127.0.0.1:{self.port}"

    def cpu_seconds(self) -> float:
        """CPU time of the process and its workers so far, all threads together."""
        return sum(_cpu_seconds(pid) for pid in with_children(self.pid))

    def resident_megabytes(self) -> float:
        """Memory that the process holds now."""
        status = Path(f"/proc/{self.pid}/status").read_text()
        return int(status.split("VmRSS:")[1].split()[0]) / 1024


def _cpu_seconds(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / _TICKS


def serving(
    module: str, environment: Mapping[str, str], alive: str = "/healthz"
) -> contextlib.AbstractContextManager[Server]:
    """Runs `python -m <module> --port <free>`; yields once the path `alive` answers."""
    return running([sys.executable, "-m", module], environment, alive=alive)


@contextlib.contextmanager
def running(
    command: Sequence[str],
    environment: Mapping[str, str],
    *,
    alive: str,
    cwd: Path = ROOT,
    patience: float = 60,
) -> Iterator[Server]:
    """Runs `<command> --port <free>`; yields once the path `alive` answers."""
    port = free_port()
    plain = {name: value for name, value in os.environ.items() if not name.startswith(("CRS_EVAL_", "OTEL_"))}
    started = time.perf_counter()
    with tempfile.TemporaryFile() as log:
        process = subprocess.Popen(
            [*command, "--port", str(port)], cwd=cwd, env=plain | dict(environment), stdout=log, stderr=log
        )
        try:
            while not answers(port, alive):
                if process.poll() is not None or time.perf_counter() - started > patience:
                    log.seek(0)
                    raise RuntimeError(log.read().decode())
                time.sleep(0.01)
            yield Server(port, process.pid, time.perf_counter() - started)
        finally:
            process.terminate()
            process.wait(30)


def service(
    environment: Mapping[str, str] | None = None, /, **settings: str
) -> contextlib.AbstractContextManager[Server]:
    """The service with these settings, with JSON logs, and with other variables of `environment`."""
    given = {f"CRS_EVAL_{name}": value for name, value in {"LOG_FORMAT": "json", **settings}.items()}
    return serving("service", given | dict(environment or {}))


def publish(name: str, page: str) -> None:
    """Print a page of results, and write it into `benchmarks/results`."""
    print(page)
    (ROOT / "benchmarks" / "results" / f"{name}.md").write_text(page, encoding="utf-8")


def load_now() -> str:
    """Return how busy the machine is, for a results page."""
    return f"a load of {os.getloadavg()[0]:.1f}"


@dataclass(frozen=True)
class Load:
    """The outcome of asking one thing again and again."""

    cpu_seconds: float
    latencies: tuple[float, ...]

    @property
    def cpu_milliseconds(self) -> float:
        """CPU of the server for one request."""
        return self.cpu_seconds / len(self.latencies) * 1000

    @property
    def median_milliseconds(self) -> float:
        """Half of the answers took no longer."""
        return sorted(self.latencies)[len(self.latencies) // 2] * 1000


def ask_again_and_again(server: Server, bodies: Iterator[bytes], connections: int, seconds: float) -> Load:
    """POST `bodies` to /score over kept connections, each waiting for its answer before it asks again."""
    return asyncio.run(_load(server, bodies, connections, seconds))


async def _load(server: Server, bodies: Iterator[bytes], connections: int, seconds: float) -> Load:
    latencies: list[float] = []

    async def ask() -> None:
        reader, writer = await asyncio.open_connection("127.0.0.1", server.port)
        while time.perf_counter() < until:
            request = _request(next(bodies))
            begun = time.perf_counter()
            writer.write(request)
            answer = await reader.readuntil(b"\r\n\r\n")
            assert answer.startswith(b"HTTP/1.1 200"), answer
            length = answer.lower().split(b"content-length: ")[1].split(b"\r\n")[0]
            await reader.readexactly(int(length))
            latencies.append(time.perf_counter() - begun)
        writer.close()

    before, until = server.cpu_seconds(), time.perf_counter() + seconds
    await asyncio.gather(*(ask() for _ in range(connections)))
    return Load(server.cpu_seconds() - before, tuple(latencies))


def _request(body: bytes) -> bytes:
    head = f"POST /score HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
    return head.encode() + body
