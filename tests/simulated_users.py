"""The 48 users of CONCEPT, twelve personas by four age groups, with wishes from the example catalogues."""

import json
import random
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from service.simulators.phrases import age_groups, persona_names
from tools.service_process import ROOT

Pairs = list[tuple[str, str]]
CATALOGUES = {"movie": "films", "restaurant": "restaurants"}
WISHES = 3
HARD_TO_PLEASE = 6
"""Every sixth user wants what no item has in one: giving up is a finished session as well."""


@dataclass(frozen=True)
class SimulatedUser:
    """One user of the run: who it is, what it wants, and the seed of its scripted part."""

    persona: str
    age_group: str
    domain: str
    attributes: tuple[str, ...]
    seed: int

    @property
    def log(self) -> dict[str, Any]:
        """The log that its session begins with, as it goes over the wire."""
        user = {"persona": self.persona, "age_group": self.age_group, "attributes": list(self.attributes)}
        name = f"{self.persona}-{self.age_group}"
        return {"id": name, "system": "example-crs", "domain": self.domain, "user": user, "messages": []}


def simulated_users() -> list[SimulatedUser]:
    """All 48, films and restaurants in turn, always the same."""
    catalogues = {domain: _attributes(name) for domain, name in CATALOGUES.items()}
    pairs = [(persona, age) for persona in persona_names() for age in age_groups()]
    users = []
    for seed, (persona, age) in enumerate(pairs):
        domain = list(CATALOGUES)[seed % len(CATALOGUES)]
        impossible = seed % HARD_TO_PLEASE == HARD_TO_PLEASE - 1
        wishes = _wishes(catalogues[domain], random.Random(seed), impossible=impossible)
        users.append(SimulatedUser(persona, age, domain, wishes, seed))
    return users


def _attributes(catalogue: str) -> list[Pairs]:
    path = ROOT / "examples" / "crs" / f"{catalogue}.jsonl"
    items = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    return [
        [(name, value) for name, values in item["attributes"].items() for value in values] for item in items
    ]


def _wishes(items: Sequence[Pairs], rng: random.Random, *, impossible: bool) -> tuple[str, ...]:
    """Return what an item has; or, for users that are hard to please, with a wish from another item that
    no item unites with the rest."""
    wanted = rng.sample(rng.choice(items), WISHES)
    if impossible:
        kept = wanted[: WISHES - 1]
        taken = {dimension for dimension, _ in kept}
        others = [pair for item in items for pair in item if pair[0] not in taken]
        wanted = [
            *kept,
            rng.choice([pair for pair in others if not any({*kept, pair} <= {*item} for item in items)]),
        ]
    return tuple(value for _, value in wanted)
