"""Services of compose.yaml by their own commands and environments, without containers: names of hosts become ports of
loopback."""

import json
import os
import re
import socket
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

import httpx2
import psycopg
import pytest
import yaml

from tests.patience import PATIENCE, wait_for
from tests.postgres_server import PostgresServer
from tests.redis_server import RedisServer
from tools.programs import advice, find_tool
from tools.service_process import ROOT, free_port

SERVICES = yaml.safe_load((ROOT / "compose.yaml").read_text())["services"]
IMAGE = dict(re.findall(r"^(?:ENV|   ) ([A-Z_]+)=(\w+)", (ROOT / "Dockerfile").read_text(), re.MULTILINE))
CALLER = {"CRS_EVAL_DATABASE_PASSWORD": "a-word", "CRS_EVAL_LIVE_USER_KEY": "k" * 32}
pytestmark = pytest.mark.slow


@dataclass
class Stack:
    """The services of `docker compose --profile live up`: a port for each, and the folder with what each printed."""

    ports: dict[str, int]
    folder: Path

    def get(self, service: str, path: str) -> httpx2.Response:
        return httpx2.get(f"http://127.0.0.1:{self.ports[service]}{path}", timeout=PATIENCE)

    def post(
        self, service: str, path: str, body: str, headers: Mapping[str, str] | None = None
    ) -> httpx2.Response:
        kind = "application/json" if path.startswith("/live") else "application/x-ndjson"
        return httpx2.post(
            f"http://127.0.0.1:{self.ports[service]}{path}",
            content=body,
            headers={"Content-Type": kind, **(headers or {})},
            timeout=PATIENCE,
        )

    def said(self) -> str:
        return "".join(path.read_text()[-2000:] for path in sorted(self.folder.glob("*.log")))


@pytest.fixture(scope="module")
def stack(tmp_path_factory: pytest.TempPathFactory, postgres_server: PostgresServer) -> Iterator[Stack]:
    folder = tmp_path_factory.mktemp("compose")
    (folder / "bin").mkdir()
    for name, words in {"python": "", "crs-eval": "-m crs_eval.cli.program"}.items():
        program = folder / "bin" / name
        program.write_text(f'#!/bin/sh\nexec {sys.executable} {words} "$@"\n')
        program.chmod(0o755)
    role, database = create_database(postgres_server)
    assert (role, database) == ("crs_eval", "crs_eval")
    found = Stack({"postgres": postgres_server.port}, folder)
    with ExitStack() as open_ones:
        for name in ("redis", "live-redis"):
            (folder / name).mkdir()
            words = SERVICES[name]["command"]
            pairs = zip((word.removeprefix("--") for word in words[::2]), words[1::2], strict=True)
            redis = open_ones.enter_context(RedisServer(folder / name, *pairs))
            found.ports[name] = redis.port
        for name in ("crs-eval", "live"):
            found.ports[name] = free_port()
            open_ones.callback(stop, start(name, found))
        yield found


def test_no_password_is_known_and_no_container_has_capabilities_that_it_does_not_name() -> None:
    assert "${CRS_EVAL_DATABASE_PASSWORD:-}" in SERVICES["postgres"]["environment"]["POSTGRES_PASSWORD"]
    assert [name for name, one in SERVICES.items() if one.get("cap_drop") != ["ALL"]] == []


def create_database(server: PostgresServer) -> tuple[str, str]:
    """Create the role and the database that the image of PostgreSQL creates. Returns their names."""
    names = environment("postgres")
    role, database, word = (names[f"POSTGRES_{name}"] for name in ("USER", "DB", "PASSWORD"))
    with psycopg.connect(server.url, autocommit=True) as connection:
        connection.execute(f"create role {role} login superuser password '{word}'".encode())
        connection.execute(f"create database {database} owner {role}".encode())
    return role, database


def environment(name: str) -> dict[str, str]:
    """The variables of a service where the caller has set `CALLER` and nothing else."""

    def filled(found: re.Match[str]) -> str:
        return CALLER.get(found[1], found[2])

    given = SERVICES[name]["environment"]
    passed_on = {key: CALLER[key] for key, value in given.items() if value is None and key in CALLER}
    return passed_on | {
        key: re.sub(r"\$\{(\w+):-(.*?)\}", filled, value) for key, value in given.items() if value is not None
    }


def start(name: str, stack: Stack) -> subprocess.Popen[bytes]:
    """Start a service by the entry point of the image, and wait until the image's health check succeeds."""

    def local(text: str) -> str:
        for host, port in stack.ports.items():
            text = re.sub(rf"(?<=//|.@){host}(:\d+)?(?=/)", f"127.0.0.1:{port}", text)
        return text

    variables = {key: local(value) for key, value in environment(name).items()}
    path = f"{stack.folder / 'bin'}:{os.environ['PATH']}"
    with (stack.folder / f"{name}.log").open("wb") as log:
        process = subprocess.Popen(
            [
                ROOT / "docker/entrypoint.sh",
                *SERVICES[name].get("command", ()),
                "--port",
                str(stack.ports[name]),
            ],
            env={**IMAGE, **variables, "PATH": path, "PYTHONPATH": str(ROOT)},
            stdout=log,
            stderr=log,
            cwd=stack.folder,
        )

    def healthy() -> bool:
        assert process.poll() is None, stack.said()
        probe = [str(ROOT / "docker/healthy.sh"), str(process.pid)]
        return subprocess.run(probe, check=False, capture_output=True).returncode == 0

    wait_for(healthy, stack.said)
    return process


def stop(process: subprocess.Popen[bytes]) -> None:
    process.terminate()
    assert process.wait(PATIENCE) in (0, -15)


def test_the_service_answers_and_keeps_a_batch_in_its_redis(stack: Stack) -> None:
    log = {"messages": [{"role": "user", "content": "Hi"}, {"role": "assistant", "content": "Try Heat."}]}
    line = json.dumps({"custom_id": "a", "path": "/score/coherence", "body": {"log": log}})
    answer = stack.post("crs-eval", "/batch", line, {"Idempotency-Key": "night"})
    assert (answer.status_code, answer.json()["body"]["status"]) == (200, "scored")
    with socket.create_connection(("127.0.0.1", stack.ports["redis"]), PATIENCE) as redis:
        redis.sendall(b"DBSIZE\r\n")
        assert int(redis.recv(100)[1:]) > 0


def test_a_live_conversation_ends_as_rows_where_grafana_reads(stack: Stack) -> None:
    messages = [{"role": "user", "content": "A drama"}, {"role": "assistant", "content": "Try Heat."}]
    said = {"messages": messages, "system": "shop", "user": {"id": "u1"}, "complete": True}
    assert stack.post("live", "/live/conversations/c1/messages", json.dumps(said)).status_code == 202
    (source,) = yaml.safe_load((ROOT / "docker/grafana/datasources/results.yaml").read_text())["datasources"]
    assert source["url"] == "postgres:5432"
    variable = source["secureJsonData"]["password"].removeprefix("$")
    word, database = environment("grafana")[variable], source["jsonData"]["database"]
    address = f"postgresql://{source['user']}:{word}@127.0.0.1:{stack.ports['postgres']}/{database}"

    def rows() -> Sequence[object]:
        with psycopg.connect(address) as connection:
            return connection.execute("select system, ended, messages from conversations").fetchall()

    wait_for(rows, stack.said)
    assert rows() == [("shop", "complete", 2)]


def test_prometheus_reads_both(stack: Stack, tmp_path: Path) -> None:
    """By the program itself with its file; the key is empty, as where callers need none."""
    tool = find_tool("promtool")
    program = tool.with_name("prometheus") if tool else None
    if program is None or not program.exists():
        pytest.skip(advice("promtool"))
    text = (ROOT / "docker/prometheus.yaml").read_text()
    for name in ("crs-eval", "live"):
        text = re.sub(rf'"{name}:\d+"', f'"127.0.0.1:{stack.ports[name]}"', text)
    text = text.replace("/run/secrets/scrape-key", "/dev/null").replace("15s", "1s")
    (tmp_path / "prometheus.yml").write_text(text)
    port = stack.ports["prometheus"] = free_port()
    command = [
        str(program),
        f"--config.file={tmp_path}/prometheus.yml",
        f"--storage.tsdb.path={tmp_path}/data",
    ]
    with (stack.folder / "prometheus.log").open("wb") as log:
        process = subprocess.Popen(
            [*command, f"--web.listen-address=127.0.0.1:{port}"], stdout=log, stderr=log
        )
    try:

        def up() -> bool:
            assert process.poll() is None, stack.said()
            try:
                found = stack.get("prometheus", "/api/v1/query?query=up").json()["data"]["result"]
            except (httpx2.TransportError, KeyError, ValueError):
                return False
            return [one["value"][1] for one in found] == ["1", "1"]

        wait_for(up, stack.said)
    finally:
        process.terminate()
        process.wait(PATIENCE)
