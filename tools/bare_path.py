"""Fill a folder with the programs of a bare Debian: what README.md asks for, and what every Debian has.

/usr/bin/python3 tools/bare_path.py FOLDER

A PATH of this folder alone hides everything else that happens to be installed. Needs dpkg; exits with 1 without it."""

import re
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping, Set
from pathlib import Path

ASKED = ("python3", "python3-venv", "git", "make")
APT = "apt"
"""Part of every Debian, though not essential: as root the project installs by it."""
FOLDERS = tuple(map(Path, ("/usr/local/sbin", "/usr/local/bin", "/usr/sbin", "/usr/bin", "/sbin", "/bin")))
_FIELDS = "${Package}\\t${Essential}\\t${Pre-Depends}, ${Depends}\\t${Provides}\\n"
_NAME = re.compile(r"[a-z0-9][a-z0-9+.-]+")


def main() -> int:
    """Fill the folder."""
    if shutil.which("dpkg-query") is None:
        print("no dpkg here: nothing is hidden from the tests", file=sys.stderr)
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
    depends, waiting, providers = _installed()
    found: set[str] = set()
    while waiting:
        name = waiting.pop()
        for package in providers.get(name, {name}) & depends.keys() - found:
            found.add(package)
            waiting |= depends[package] - found
    return found


def _installed() -> tuple[Mapping[str, set[str]], set[str], Mapping[str, set[str]]]:
    """Return what each installed package depends on, what to begin with, and who provides each name."""
    depends: dict[str, set[str]] = {}
    first, providers = {*ASKED, APT}, dict[str, set[str]]()
    for line in _said("-W", f"-f={_FIELDS}").splitlines():
        package, essential, needed, provided = line.split("\t")
        depends[package] = _names(needed)
        first |= {package} if essential == "yes" else set()
        for name in {package, *_names(provided)}:
            providers.setdefault(name, set()).add(package)
    return depends, first, providers


def _names(field: str) -> set[str]:
    """The names in a field of dependencies, without versions; of alternatives those that are installed count."""
    return {found[0] for part in re.split(r"[,|]", field) if (found := _NAME.match(part.strip()))}


def programs(packages: Set[str]) -> Iterator[tuple[str, Path]]:
    """Yield the programs of these packages by their names, alternatives such as awk among them."""
    owned = {Path(line) for line in _said("-L", *sorted(packages)).splitlines() if line.startswith("/")}
    real = {path.parent.resolve() / path.name for path in owned if path.parent in FOLDERS}
    for folder in FOLDERS:
        for program in folder.iterdir() if folder.is_dir() else ():
            mine = folder.resolve() / program.name in real
            alternative = program.is_symlink() and str(program.readlink()).startswith("/etc/alternatives/")
            if mine or (alternative and program.resolve() in real):
                yield program.name, program


def _said(*arguments: str) -> str:
    done = subprocess.run(["dpkg-query", *arguments], check=True, capture_output=True, text=True)
    return done.stdout


if __name__ == "__main__":
    sys.exit(main())
