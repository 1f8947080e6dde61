"""Are simulated users any good? The two published checks, with the published figures beside.

    python -m research.audit_simulators acceptances build/simulations/sessions.jsonl
    python -m research.audit_simulators choices pairs.jsonl --judge openai:some-model

`acceptances` reads logs, or answers of `/simulate`, a line each. `choices` reads lines
`{preferences, better {title, attributes?, description?}, worse {...}}`, both items held out of the
preferences, and asks the model as the service's settings in the environment say.
"""

import argparse
import asyncio
import json
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from service.api.wire.log import Item
from service.api.wire.simulate import SessionLog
from service.app import build_registry, build_stack
from service.domain.completion import Call
from service.domain.conversation import ConversationLog
from service.domain.verdict import JudgeName
from service.main import read_settings
from service.simulators.audit import Audit, RatedPair, audit_acceptances, audit_choices


def main() -> int:
    """Run one of the checks and print it."""
    options = _options()
    path = Path(options.file)
    if options.check == "acceptances":
        _print(audit_acceptances(_logs(path)))
    else:
        _print(asyncio.run(_choices(path, options.judge, options.domain)))
    return 0


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    checks = parser.add_subparsers(dest="check", required=True)
    acceptances = checks.add_parser("acceptances", help="does it accept against its own wishes?")
    acceptances.add_argument("file")
    choices = checks.add_parser("choices", help="does its taste prefer what its user rated higher?")
    choices.add_argument("file")
    choices.add_argument("--judge", required=True, help="the model that plays users, name:model")
    choices.add_argument("--domain", default="movie")
    return parser.parse_args()


def _lines(path: Path) -> Iterator[dict[str, Any]]:
    for line in path.read_text(encoding="utf-8").splitlines():
        if line.strip():
            yield json.loads(line)


def _logs(path: Path) -> Iterator[ConversationLog]:
    for row in _lines(path):
        yield SessionLog.model_validate_json(json.dumps(row.get("log", row))).value()


async def _choices(path: Path, judge: str, domain: str) -> Audit:
    pairs = [
        RatedPair(
            row["preferences"],
            Item.model_validate_json(json.dumps(row["better"])).value(),
            Item.model_validate_json(json.dumps(row["worse"])).value(),
        )
        for row in _lines(path)
    ]
    settings = read_settings(os.environ)
    registry = build_registry(settings, build_stack(settings))
    try:
        return await audit_choices(pairs, domain, registry.asker(JudgeName.parse(judge)), Call())
    finally:
        await registry.aclose()


def _print(audit: Audit) -> None:
    table = Table("check", "share", "published", "counted", "left out")
    share = "n/a" if audit.share is None else f"{audit.share:.1%}"
    table.add_row(audit.name, share, f"{audit.published:.1%}", str(audit.counted), str(audit.left_out))
    Console().print(table)


if __name__ == "__main__":
    sys.exit(main())
