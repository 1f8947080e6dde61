"""Builds the page: `clients/page`, which calls the service by the TypeScript client, into `service/web/page`.

`--check` writes nothing; it checks the sources' types, and fails where a committed file is not what they give.
Node and its packages are pinned; where they cannot be had it says so and passes, unless `EVERY_TOOLCHAIN=1`."""

import argparse
import subprocess
import sys
import tempfile
from pathlib import Path

from tools.generate_clients import stale_in
from tools.toolchains import PAGE, ROOT, UnavailableError, node, page_modules, required

FOLDER = ROOT / "service" / "web" / "page"


def build_page(into: Path = FOLDER) -> None:
    """Write the page's files. Raises UnavailableError without Node, CalledProcessError for faulty sources."""
    page_modules()
    subprocess.run([node(), PAGE / "build.mjs", into], check=True)


def check_types() -> bool:
    """Return whether the sources keep to the contract; the compiler tells where they do not."""
    compiler = page_modules() / "typescript" / "bin" / "tsc"
    return subprocess.run([node(), compiler, "-p", PAGE], check=False).returncode == 0


def stale_files() -> list[str]:
    """The page's files that rebuilding would change, add or remove."""
    with tempfile.TemporaryDirectory() as fresh:
        build_page(Path(fresh))
        return stale_in(FOLDER, Path(fresh))


def main() -> int:
    """Build, or check."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--check", action="store_true", help="fail where the page is stale or its types are wrong"
    )
    try:
        if parser.parse_args().check:
            right, stale = check_types(), stale_files()
            for name in stale:
                print(f"stale: {(FOLDER / name).relative_to(ROOT)}; run `make page` and commit the result")
            return 0 if right and not stale else 1
        build_page()
    except UnavailableError as reason:
        print(f"NOT RUN, the build of the page: {reason}", file=sys.stderr)
        return 1 if required() else 0
    return 0


if __name__ == "__main__":
    sys.exit(main())
