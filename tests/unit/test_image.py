"""The image: what reaches its build, what it runs, its health check, and the files that name images."""

import json
import os
import re
import socket
import subprocess
import threading
import time
from collections.abc import Callable
from pathlib import Path

import jsonschema
import pytest
import yaml

from service.main import read_settings
from tools import image_digests
from tools.programs import compose_schema
from tools.service_process import ROOT, running_service

DOCKERFILE = (ROOT / "Dockerfile").read_text()
HEALTHY = ROOT / "docker" / "healthy.sh"
ENTRYPOINT = ROOT / "docker" / "entrypoint.sh"


def test_the_image_installs_the_wheel_from_what_reaches_its_build() -> None:
    lines = (ROOT / "Dockerfile").read_text().splitlines()
    copies = (line.split()[1:-1] for line in lines if line.startswith("COPY ") and "--from=" not in line)
    copied = {source for sources in copies for source in sources}
    sent = {line[1:] for line in (ROOT / ".dockerignore").read_text().splitlines() if line.startswith("!")}
    assert copied <= sent
    (packed,) = re.findall(r'cp -R (.+) "\$work/source"', (ROOT / "tools/install.sh").read_text())
    assert {*packed.split(), "requirements/build.txt"} <= copied


def checked(*words: str) -> subprocess.CompletedProcess[bytes]:
    """The health check of a process with these words on its command line."""
    with subprocess.Popen(["sh", "-c", "read _", "sh", *words], stdin=subprocess.PIPE) as process:
        named = "".join(f"{word}\0" for word in words).encode()
        while not Path(f"/proc/{process.pid}/cmdline").read_bytes().endswith(named):
            time.sleep(0.01)  # some kernels show the words a moment after the process
        return subprocess.run([HEALTHY, str(process.pid)], check=False, capture_output=True)


@pytest.mark.slow
def test_its_health_check_follows_the_port_of_the_command_line() -> None:
    with running_service({}) as url:
        port = url.rpartition(":")[2]
        for words in (["--port", port], [f"--port={port}"], ["--port", "1", "--port", port]):
            assert checked(*words).returncode == 0
        assert checked("--port", port, "--port", "1").returncode != 0
    assert checked("--port", port).returncode != 0


def test_its_health_check_fails_for_another_status() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:

        def answer() -> None:
            connection, _ = server.accept()
            with connection:
                # Bash writes line by line.
                said = b""
                while not said.endswith(b"\r\n\r\n"):
                    said += connection.recv(4096)
                connection.sendall(b"HTTP/1.1 503 Service Unavailable\r\n\r\n")

        thread = threading.Thread(target=answer)
        thread.start()
        assert checked("--port", str(server.getsockname()[1])).returncode == 1
        thread.join()


SERVED = "python -m crs_eval --host 0.0.0.0 --port 8000"


@pytest.mark.parametrize(
    ("words", "run"),
    [
        ([], SERVED),
        (["serve"], SERVED),
        (["--port", "9000"], f"{SERVED} --port 9000"),
        (["serve", "--port=9000"], f"{SERVED} --port=9000"),
        (["score", "a b"], "crs-eval score a b"),
        (["--version"], "crs-eval --version"),
    ],
)
def test_it_runs_the_service_or_a_command(words: list[str], run: str, tmp_path: Path) -> None:
    for name in ("python", "crs-eval"):
        (tmp_path / name).write_text(f'#!/bin/sh\necho {name} "$@"\n')
        (tmp_path / name).chmod(0o755)
    environment = {"PATH": f"{tmp_path}:{os.environ['PATH']}"}
    done = subprocess.run([ENTRYPOINT, *words], env=environment, check=True, capture_output=True, text=True)
    assert done.stdout.strip() == run


def test_images_are_those_of_one_file() -> None:
    named = image_digests.images(image_digests.FILE.read_text())
    tags = {name: image_digests.tag_of(image) for name, image in named.items()}
    assert re.findall(r"^ARG PYTHON_IMAGE=(.+)$", DOCKERFILE, re.MULTILINE) == [tags["PYTHON_IMAGE"]]
    compose = (ROOT / "compose.yaml").read_text()
    assert dict(re.findall(r"\$\{(\w+_IMAGE):-(.+?)\}", compose)) == tags
    assert f"image: {tags['REDIS_IMAGE']}\n" in (ROOT / "k8s/components/redis/deployment.yaml").read_text()


def test_the_compose_file_keeps_to_its_schema(have: Callable[[Callable[[], Path]], Path]) -> None:
    schema = have(compose_schema)
    compose = yaml.safe_load((ROOT / "compose.yaml").read_text())
    validator = jsonschema.Draft7Validator(json.loads(schema.read_text()))
    assert [error.message for error in validator.iter_errors(compose)] == []
    compose["services"]["redis"]["misspelt"] = 1
    assert list(validator.iter_errors(compose))


def test_the_compose_file_names_settings_and_files_that_there_are() -> None:
    compose = yaml.safe_load((ROOT / "compose.yaml").read_text())
    services = compose["services"]
    assert set(services) >= {"crs-eval", "redis", "live", "live-redis", "postgres", "prometheus", "grafana"}
    for name in ("crs-eval", "live"):
        given = services[name]["environment"]
        settings = read_settings(
            {
                key: re.sub(r"\$\{\w+:-(.*?)\}", r"\1", value)
                for key, value in given.items()
                if value is not None
            }
        )
        documented = (ROOT / "docs" / "settings.md").read_text()
        assert [key for key, value in given.items() if value is None and f"`{key}`" not in documented] == []
        assert settings.redis_url is not None
    for service in services.values():
        assert set(service.get("depends_on", ())) <= set(services)
        for mounted in service.get("volumes", ()):
            source = mounted.partition(":")[0]
            assert (ROOT / source).exists() if source.startswith(".") else source in compose["volumes"], (
                mounted
            )
    asked = yaml.safe_load((ROOT / "docker" / "prometheus.yaml").read_text())["scrape_configs"][0]
    ports = {
        name: service["ports"][0].rpartition(":")[2]
        for name, service in services.items()
        if "ports" in service
    }
    assert asked["static_configs"][0]["targets"] == [f"{name}:{ports[name]}" for name in ("crs-eval", "live")]
    assert (
        asked["authorization"]["credentials_file"] == f"/run/secrets/{services['prometheus']['secrets'][0]}"
    )
