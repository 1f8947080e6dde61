"""Programs that some tests run and that Python packages do not bring: nginx, promtool.

One on PATH; else out of Debian's package, unpacked into `.cache` (nothing is installed, no daemon
starts, no root is needed); else a message that says what is left out and how to have it."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

from tools.toolchains import UnavailableError

CACHE = Path(__file__).parent.parent / ".cache" / "debian"
PACKAGES = {"nginx": "nginx", "promtool": "prometheus"}
PLACES = ("usr/sbin", "usr/bin")
COMPOSE_SCHEMA = "usr/lib/python3/dist-packages/compose/config/compose_spec.json"


def find_tool(name: str) -> Path | None:
    """The program on PATH, or as it was unpacked before; None where there is neither."""
    if found := shutil.which(name, path=f"{os.environ.get('PATH', '')}:/usr/sbin"):
        return Path(found)
    unpacked = (CACHE / PACKAGES[name] / place / name for place in PLACES)
    return next((path for path in unpacked if path.exists()), None)


def ensure_tool(name: str) -> Path | None:
    """The program, fetched if need be; None, with a message, where it cannot be had."""
    found = find_tool(name) or _unpacked(name)
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


def _unpacked(name: str) -> Path | None:
    _unpack(PACKAGES[name])
    found = find_tool(name)
    # A library that is missing shows at the first start.
    if (
        found
        and subprocess.run(
            [found, "-v" if name == "nginx" else "--version"], check=False, capture_output=True
        ).returncode
    ):
        return None
    return found


if __name__ == "__main__":
    for tool in PACKAGES:
        if path := ensure_tool(tool):
            print(path)
