"""Writes what is derived from the code: the OpenAPI document, the tables of settings, factors, roles, formats, metrics, simulators and providers, the clients and the page.

`--check` writes nothing and fails, naming each file that is stale. `--clients` includes the clients, and the
page, which is made of one of them."""

import argparse
import json
import sys
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any

from service.app import create_app
from service.live_app import live_document
from service.settings import Settings
from service.simulators.kind import Backend
from service.simulators.kinds import kinds
from service.simulators.phrases import age_groups, persona_names
from tools import judge_revision
from tools.generate_clients import CLIENTS, SYNCHRONOUS, stale_clients, synchronous_client, write_clients
from tools.page import build_page
from tools.registry_pages import TABLES, registry_page
from tools.toolchains import PAGE, UnavailableError, required

ROOT = Path(__file__).parent.parent
PAGE_REGISTRIES = PAGE / "src" / "asking" / "registries.ts"


def contract(document: Mapping[str, Any]) -> str:
    """A contract as it is stored: the same bytes from the same code."""
    return json.dumps(document, indent=2, ensure_ascii=False) + "\n"


def page_registries() -> str:
    """clients/page/src/asking/registries.ts. Users that talk without a model come first: they need nothing."""
    talkers = sorted(
        (kind for kind in kinds().values() if kind.build is not None),
        key=lambda kind: kind.backend is not Backend.RULES,
    )
    simulators = [{"type": kind.name, "model": kind.backend is not Backend.RULES} for kind in talkers]
    return f"""/** Contents of the service's registries. Written by `make generate`. */

import type {{ SimulatorType }} from "../../../typescript/src/index.ts";

/** Simulated users that talk, and whether a language model speaks for them. */
export const SIMULATORS: {{ type: SimulatorType; model: boolean }}[] = {_ts(simulators)};

export const PERSONAS = {_ts(list(persona_names()))};
export const AGE_GROUPS = {_ts(list(age_groups()))};
"""


def _ts(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)


FILES: Mapping[Path, Callable[[], str]] = {
    judge_revision.REVISION: judge_revision.stored,
    ROOT / "openapi" / "openapi.json": lambda: contract(create_app(Settings()).openapi()),
    ROOT / "openapi" / "live.json": lambda: contract(live_document()),
    **{page: partial(registry_page, page) for page in TABLES},
    PAGE_REGISTRIES: page_registries,
    SYNCHRONOUS: synchronous_client,
}


def checked_clients() -> list[Path]:
    """Files of the clients that are stale; none, with a message, where the generators cannot be had."""
    try:
        return stale_clients()
    except UnavailableError as reason:
        if required():
            raise
        print(f"NOT CHECKED, whether clients/ is stale: {reason}", file=sys.stderr)
        return []


def main() -> int:
    """Write, or check; the number of stale files decides the exit code."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="fail where a committed file is stale")
    parser.add_argument("--clients", action="store_true", help="write the clients too")
    options = parser.parse_args()
    if options.check:
        stale = [path for path, make in FILES.items() if not path.exists() or path.read_text() != make()]
        stale += checked_clients()
        for path in stale:
            print(f"stale: {path.relative_to(ROOT)}; run `make generate clients` and commit the result")
        return 1 if stale else 0
    for path, make in FILES.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(make())
    if options.clients:
        write_clients(CLIENTS)
        build_page()
    return 0


if __name__ == "__main__":
    sys.exit(main())
