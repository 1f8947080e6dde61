"""Runs Redocly and Spectral over the OpenAPI documents; a warning of either is a failure."""

import sys
import tempfile
from pathlib import Path

from tools.toolchains import UnavailableError, linter_faults

DOCUMENTS = sorted((Path(__file__).parent.parent / "openapi").glob("*.json"))
# Lines of a batch are a text to OpenAPI: only `x-line` names their schemas, where Redocly does not look.
REDOCLY = """extends: [recommended]
rules:
  no-unused-components: off
"""
SPECTRAL = 'extends: ["spectral:oas"]\n'


def faults(*documents: Path) -> list[str]:
    """Return what each linter says of the documents where it finds an error or a warning."""
    with tempfile.TemporaryDirectory() as folder:
        rules = {name: Path(folder) / f"{name}.yaml" for name in ("redocly", "spectral")}
        rules["redocly"].write_text(REDOCLY)
        rules["spectral"].write_text(SPECTRAL)
        redocly = ["@redocly/cli/bin/cli.js", "lint", "--config", rules["redocly"], "--max-problems", "20"]
        spectral = ["@stoplight/spectral-cli/dist/index.js", "lint", "--ruleset", rules["spectral"]]
        quiet = {"REDOCLY_TELEMETRY": "off", "REDOCLY_SUPPRESS_UPDATE_NOTICE": "true"}
        runs = [[*words, *(documents or DOCUMENTS)] for words in (redocly, spectral)]
        return linter_faults(runs, "warning", quiet)


def main() -> int:
    """Print what is wrong. Returns the exit code."""
    try:
        found = faults()
    except UnavailableError as reason:
        print(f"openapi: not linted: {reason}")
        return 0
    print("\n".join(found) if found else "openapi: Redocly and Spectral find nothing")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
