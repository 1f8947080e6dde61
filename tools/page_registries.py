"""clients/page/src/asking/registries.ts: what the page offers and the registries of the service hold."""

import json

from service.simulators.kind import Backend
from service.simulators.kinds import kinds
from service.simulators.phrases import age_groups, persona_names
from tools.toolchains import PAGE

SOURCE = PAGE / "src" / "asking" / "registries.ts"


def page_registries() -> str:
    """The module. Users that talk without a model come first: they need nothing."""
    talkers = sorted(
        (kind for kind in kinds().values() if kind.build is not None),
        key=lambda kind: kind.backend is not Backend.RULES,
    )
    simulators = [{"type": kind.name, "model": kind.backend is not Backend.RULES} for kind in talkers]
    return "\n".join(
        [
            "/** Contents of the service's registries. Written by `make generate`. */",
            "",
            'import type { SimulatorType } from "../../../typescript/src/index.ts";',
            "",
            "/** Simulated users that talk, and whether a language model speaks for them. */",
            f"export const SIMULATORS: {{ type: SimulatorType; model: boolean }}[] = {_ts(simulators)};",
            "",
            f"export const PERSONAS = {_ts(list(persona_names()))};",
            f"export const AGE_GROUPS = {_ts(list(age_groups()))};",
            "",
        ]
    )


def _ts(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)
