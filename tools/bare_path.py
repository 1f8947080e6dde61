"""Fill a folder with the programs of a bare Debian: what README.md asks for, and what every Debian has.

/usr/bin/python3 tools/bare_path.py FOLDER

A PATH of this folder alone hides everything else that happens to be installed. Needs dpkg and apt; exits with 1 without them."""

import shutil
import subprocess
import sys
from collections.abc import Iterator, Set
from pathlib import Path

ASKED = ("python3", "python3-venv", "git", "make")
EVERYWHERE = ("apt", "mawk")
"""Parts of every Debian, though not essential: as root the project installs by apt, and apt-cache leaves out virtual packages such
as the awk that base-files needs."""
FOLDERS = tuple(map(Path, ("/usr/local/sbin", "/usr/local/bin", "/usr/sbin", "/usr/bin", "/sbin", "/bin")))
_UNWANTED = ("recommends", "suggests", "conflicts", "breaks", "replaces", "enhances")


def main() -> int:
    """Fill the folder."""
    if shutil.which("apt-cache") is None:
        print("no apt here: nothing is hidden from the tests", file=sys.stderr)
        return 1
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    for name, program in sorted(programs(wanted_packages())):
        place = folder / name
        if place.exists():
            continue
        if name.startswith("python3"):
            # By a link, Python would take this folder for its home, and virtual environments would break with it.
            place.write_text(f'#!/bin/sh\nexec {program} "$@"\n')
            place.chmod(0o755)
        else:
            place.symlink_to(program)
    return 0


def wanted_packages() -> set[str]:
    """Return the packages of a bare Debian, with all that they depend on."""
    listed = _said("dpkg-query", "-W", "-f=${Package} ${Essential}\\n")
    installed = dict(line.split() for line in listed.splitlines())
    first = [
        *ASKED,
        *EVERYWHERE,
        *(package for package, essential in installed.items() if essential == "yes"),
    ]
    depends = ["apt-cache", "depends", "--recurse", "--installed", *(f"--no-{kind}" for kind in _UNWANTED)]
    # A line is a package, or one that it depends on: "  Depends: libc6".
    return {line.split()[-1] for line in _said(*depends, *first).splitlines()} & installed.keys()


def programs(packages: Set[str]) -> Iterator[tuple[str, Path]]:
    """Yield the programs of these packages by their names, alternatives such as awk among them."""
    owned = {
        Path(line)
        for line in _said("dpkg-query", "-L", *sorted(packages)).splitlines()
        if line.startswith("/")
    }
    real = {path.parent.resolve() / path.name for path in owned if path.parent in FOLDERS}
    for folder in FOLDERS:
        for program in folder.iterdir() if folder.is_dir() else ():
            mine = folder.resolve() / program.name in real
            alternative = program.is_symlink() and str(program.readlink()).startswith("/etc/alternatives/")
            if mine or (alternative and program.resolve() in real):
                yield program.name, program


def _said(*command: str) -> str:
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


if __name__ == "__main__":
    sys.exit(main())
