"""Linters that npm ships, over the OpenAPI documents and over the archive of the TypeScript client."""

import os
import subprocess
import tempfile
from collections.abc import Iterable
from pathlib import Path

from tools.toolchains import ROOT, linters, node

Words = list[str | Path]
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
        files = documents or DOCUMENTS
        most = "--max-problems=20"
        redocly: Words = ["@redocly/cli/bin/cli.js", "lint", "--config", rules["redocly"], most]
        spectral: Words = ["@stoplight/spectral-cli/dist/index.js", "lint", "--ruleset", rules["spectral"]]
        return _faults([[*redocly, *files], [*spectral, *files]], "warning")


def package_faults(archive: Path) -> list[str]:
    """Return what publint and attw ("Are the types wrong?") say of a package of npm. Raises UnavailableError.

    Programs find the types by Node's rules for modules, or by those of bundlers. CommonJS is not promised."""
    types: Words = ["@arethetypeswrong/cli/dist/index.js", archive, "--no-emoji", "--no-color"]
    strict: Words = ["publint/src/cli.js", "run", archive, "--strict"]
    return _faults([strict, [*types, "--profile", "esm-only"]], "suggestion")


def _faults(runs: Iterable[Words], word: str) -> list[str]:
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
