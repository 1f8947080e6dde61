"""Writes what is derived from the code: the OpenAPI document, the table of settings, files of the page,
the clients.

`--check` writes nothing and fails, naming each file that is stale. `--clients` includes the clients."""

import argparse
import filecmp
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from service.app import create_app
from service.settings import Settings, variable_of
from tools import page_files

ROOT = Path(__file__).parent.parent


def openapi() -> str:
    """The contract: the same bytes from the same code."""
    document = create_app(Settings()).openapi()
    return json.dumps(document, indent=2, ensure_ascii=False) + "\n"


def settings_page() -> str:
    """docs/settings.md."""
    rows = [
        f"| `{variable_of(name)}` | {_default(field.default)} | {field.description} |"
        for name, field in Settings.model_fields.items()
    ]
    return "\n".join(
        [
            "# Settings",
            "",
            "Environment variables, read once at start-up. An unknown name that begins with `CRS_EVAL_` stops",
            "the start, so that a misspelt setting cannot pass for a default; the names that Kubernetes injects",
            "for a Service called `crs-eval` are ignored. This page is generated (`make generate`).",
            "",
            "| variable | default | meaning |",
            "| --- | --- | --- |",
            *rows,
            "",
        ]
    )


def _default(value: object) -> str:
    return "unset" if value in (None, (), {}) else f"`{value}`"


FILES = {
    ROOT / "openapi" / "openapi.json": openapi,
    ROOT / "docs" / "settings.md": settings_page,
    page_files.EXAMPLES: page_files.examples,
    page_files.TYPES: page_files.types,
}


def write_clients(folder: Path) -> None:
    """Generate every client below `folder` from the committed document."""
    command = [
        *("openapi-python-client", "generate", "--meta", "setup", "--overwrite", "--fail-on-warning"),
        *("--path", str(ROOT / "openapi" / "openapi.json")),
        *("--config", str(ROOT / "clients" / "python.yaml")),
        *("--output-path", str(folder / "python")),
    ]
    environment = {**os.environ, "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"}
    subprocess.run(command, check=True, env=environment, stdout=subprocess.DEVNULL)


def stale_clients() -> list[Path]:
    """Files of the committed clients that generating anew would change, add or remove."""
    with tempfile.TemporaryDirectory() as fresh:
        write_clients(Path(fresh))
        old, new = (_files(folder / "python") for folder in (ROOT / "clients", Path(fresh)))
        changed = {
            name for name in old.keys() & new.keys() if not filecmp.cmp(old[name], new[name], shallow=False)
        }
        return [ROOT / "clients" / "python" / name for name in sorted(changed | (old.keys() ^ new.keys()))]


def _files(folder: Path) -> dict[str, Path]:
    skipped = {"__pycache__", ".ruff_cache"}
    return {
        str(path.relative_to(folder)): path
        for path in folder.rglob("*")
        if path.is_file() and not skipped & set(path.parts)
    }


def main() -> int:
    """Write, or check; the number of stale files decides the exit code."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="fail where a committed file is stale")
    parser.add_argument("--clients", action="store_true", help="write the clients too")
    options = parser.parse_args()
    if options.check:
        stale = [path for path, make in FILES.items() if not path.exists() or path.read_text() != make()]
        stale += stale_clients()
        for path in stale:
            print(f"stale: {path.relative_to(ROOT)}; run `make generate clients` and commit the result")
        return 1 if stale else 0
    for path, make in FILES.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(make())
    if options.clients:
        write_clients(ROOT / "clients")
    return 0


if __name__ == "__main__":
    sys.exit(main())
