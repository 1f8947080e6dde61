"""The Redis that `k8s/components` describe, started with their arguments and settings and asked by the service's store."""

import asyncio
import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from service.store.redis import RedisStore
from tests.patience import PATIENCE, REDIS_TIMEOUT
from tools.chart import INSTALLS
from tools.programs import ensure_redis
from tools.service_process import free_port
from tools.toolchains import DEBIAN_PATH, debian

CERTIFICATES = Path(__file__).parents[2] / "certificates"
FILES = {"tls.crt": "server.pem", "tls.key": "server.key", "ca.crt": "ca.pem"}
PASSWORD = "correct-horse"
PODS = 7
"""The version of Redis in the pods, whose settings an older one does not read."""


@pytest.fixture(params=["small", "redis over TLS"])
def url(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    """The address of a server that was started as its pod is."""
    debian("redis-server")
    server = shutil.which("redis-server", path=DEBIAN_PATH) or str(ensure_redis())
    version = subprocess.run([server, "--version"], capture_output=True, text=True, check=True).stdout
    if int(re.search(r"v=(\d+)", version)[1]) < PODS:  # type: ignore[index]
        pytest.skip(f"its pods run Redis {PODS}, and this is an older one")
    manifests = next(one for one in INSTALLS if one.name == request.param).from_kustomize()
    named = {one["kind"]: one for one in manifests if one["metadata"]["name"] == "crs-eval-redis"}
    port = free_port()
    for name, text in named["ConfigMap"]["data"].items():
        placed = re.sub(r"/etc/redis/tls/(\S+)", lambda found: str(CERTIFICATES / FILES[found[1]]), text)
        (tmp_path / name).write_text(placed.replace("tls-port 6379", f"tls-port {port}"))
    [container] = named["Deployment"]["spec"]["template"]["spec"]["containers"]
    given = " ".join(container["args"]).replace("/etc/redis/conf.d", str(tmp_path))
    over_tls = request.param == "redis over TLS"
    own = ["--dir", str(tmp_path), "--bind", "127.0.0.1", *([] if over_tls else ["--port", str(port)])]
    words = given.replace("$(REDIS_PASSWORD)", PASSWORD).split()
    with (tmp_path / "log").open("wb") as log:
        process = subprocess.Popen([server, *own, *words], stdout=log, stderr=log)
    yield f"{'rediss' if over_tls else 'redis'}://localhost:{port}/0"
    process.kill()
    process.wait()


async def kept(store: RedisStore) -> bool:
    await store.put("a", b"value")
    found = await store.get_many(["a"])
    await store.aclose()
    return found == [b"value"]


async def test_the_service_reaches_it_by_its_password(url: str) -> None:
    ca = CERTIFICATES / "ca.pem" if url.startswith("rediss") else None
    async with asyncio.timeout(PATIENCE):
        while not await kept(RedisStore(url, password=PASSWORD, ca=ca, timeout=REDIS_TIMEOUT)):  # noqa: ASYNC110
            await asyncio.sleep(0.05)
    assert not await kept(RedisStore(url, password="wrong", ca=ca, timeout=REDIS_TIMEOUT))
    assert not await kept(RedisStore(url, ca=ca, timeout=REDIS_TIMEOUT))
    if ca:  # an authority that the system does not know, and a name that the certificate does not hold
        assert not await kept(RedisStore(url, password=PASSWORD, timeout=REDIS_TIMEOUT))
        other = url.replace("localhost", "127.0.0.1")
        assert not await kept(RedisStore(other, password=PASSWORD, ca=ca, timeout=REDIS_TIMEOUT))
