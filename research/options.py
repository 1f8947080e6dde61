"""Command-line options of the scripts that train and measure."""

import argparse
from pathlib import Path


def read_paths(module: str | None, *names: str) -> argparse.Namespace:
    """Return the paths that a script is given, each by an option that must be there. `corpus` takes several."""
    parser = argparse.ArgumentParser(description=(module or "").partition("\n")[0])
    for name in names:
        parser.add_argument(f"--{name}", type=Path, required=True, nargs="+" if name == "corpus" else None)
    return parser.parse_args()
