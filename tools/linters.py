"""Linters that npm ships, over the OpenAPI documents and over the archive of the TypeScript client. The tests run them."""

import os
import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path

from tools.toolchains import ROOT, linters, node

DOCUMENTS = sorted((ROOT / "openapi").glob("*.json"))
# Lines of a batch are a text to OpenAPI: only `x-line` names their schemas, where Redocly does not look.
REDOCLY = """extends: [recommended]
rules:
  no-unused-components: off
"""
SPECTRAL = 'extends: ["spectral:oas"]\n'
QUIET = {"REDOCLY_TELEMETRY": "off", "REDOCLY_SUPPRESS_UPDATE_NOTICE": "true"}


def contract_faults(*documents: Path) -> list[str]:
    """Return what Redocly and Spectral say of OpenAPI documents where they find an error or a warning. Raises UnavailableError."""
    with tempfile.TemporaryDirectory() as folder:
        rules = {name: Path(folder) / f"{name}.yaml" for name in ("redocly", "spectral")}
        rules["redocly"].write_text(REDOCLY)
        rules["spectral"].write_text(SPECTRAL)
        redocly = ["@redocly/cli/bin/cli.js", "lint", "--config", rules["redocly"], "--max-problems", "20"]
        spectral = ["@stoplight/spectral-cli/dist/index.js", "lint", "--ruleset", rules["spectral"]]
        return _faults([[*words, *(documents or DOCUMENTS)] for words in (redocly, spectral)], "warning")


def package_faults(archive: Path) -> list[str]:
    """Return what publint and attw ("Are the types wrong?") say of a package of npm. Raises UnavailableError.

    Programs find the types by Node's rules for modules, or by those of bundlers. CommonJS is not promised."""
    types = ["@arethetypeswrong/cli/dist/index.js", archive, "--no-emoji", "--no-color"]
    runs = [["publint/src/cli.js", "run", archive, "--strict"], [*types, "--profile", "esm-only"]]
    return _faults(runs, "suggestion")


def _faults(runs: Sequence[Sequence[str | Path]], word: str) -> list[str]:
    """Return what linters say, each a script with its arguments, where one fails or says `word`."""
    found = []
    for script, *rest in runs:
        command = [node(), linters() / script, *rest]
        done = subprocess.run(
            command, check=False, capture_output=True, text=True, env={**os.environ, **QUIET}
        )
        text = done.stdout + done.stderr
        if done.returncode or word in text.lower():
            found.append(text)
    return found
