"""Runs publint and attw ("Are the types wrong?") over the archive that npm would publish; a message of either is a failure."""

import shutil
import sys
import tempfile
from pathlib import Path

from tools.release.npm import build_package
from tools.toolchains import TYPESCRIPT, UnavailableError, linter_faults, linters

RESOLVERS = ["--profile", "esm-only"]
"""Ways in which programs find the types: by Node's rules for modules and by those of bundlers. CommonJS is not promised."""


def faults(archive: Path) -> list[str]:
    """Return what each linter says of an archive in which it finds anything. Raises UnavailableError."""
    types: list[str | Path] = [
        "@arethetypeswrong/cli/dist/index.js",
        archive,
        "--no-emoji",
        "--no-color",
        *RESOLVERS,
    ]
    return linter_faults([["publint/src/cli.js", "run", archive, "--strict"], types], "suggestion")


def main() -> int:
    """Print what is wrong with the TypeScript client's package. Returns the exit code."""
    try:
        linters()
        with tempfile.TemporaryDirectory() as folder:
            client = Path(folder) / "client"
            shutil.copytree(TYPESCRIPT, client, ignore=shutil.ignore_patterns("dist", "node_modules"))
            found = faults(build_package(client, Path(folder)))
    except UnavailableError as reason:
        print(f"npm package: not linted: {reason}")
        return 0
    print("\n".join(found) if found else "npm package: publint and attw find nothing")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
