"""Checks the types of the page's scripts, which are JavaScript with types in comments, against the contract.

TypeScript and Node are those that the generated clients are made with; where they cannot be had it says so
and passes, unless `EVERY_TOOLCHAIN=1`."""

import subprocess
import sys

from tools.page_files import ROOT
from tools.toolchains import UnavailableError, node, node_modules, required

PROJECT = ROOT / "service" / "web" / "page" / "tsconfig.json"


def check_page() -> int:
    """The exit code of the type checker, which tells what it finds."""
    try:
        compiler = node_modules() / "typescript" / "bin" / "tsc"
        command = [str(node()), str(compiler), "--project", str(PROJECT)]
    except UnavailableError as reason:
        print(f"NOT CHECKED, the types of the page: {reason}", file=sys.stderr)
        return 1 if required() else 0
    return subprocess.run(command, check=False).returncode


if __name__ == "__main__":
    sys.exit(check_page())
