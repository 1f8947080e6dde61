"""What `crs-eval gate` catches: the example recommender with weaknesses seeded into it, and unchanged.

    python -m tools.measure_gate --out docs/gate-power.md

Simulated users in a few hundred situations talk to each variant over HTTP, the embedded judge
scores the sessions, and the gate decides on many samples of a hundred of them. An unchanged
recommender is two runs of the same with other user seeds, exchanged at random for each
conversation. Needs no key and no network."""

import argparse
import asyncio
import contextlib
import random
import sys
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import httpx2
import numpy as np
from rich.console import Console

from service.cli.configuration import Gate
from service.cli.gate.judgement import judge
from service.cli.gate.results import State
from service.cli.records import Record, write_atomically
from service.cli.scores import OVERALL, Run
from service.simulators.phrases import age_groups, persona_names
from tools.example_crs import running_crs
from tools.service_process import ROOT, running_service
from tools.simulated_users import CATALOGUES, HARD_TO_PLEASE, SimulatedUser, simulated_users

AT_ONCE = 8
UNCHANGED = "unchanged"
VARIANTS: Mapping[str, Sequence[str]] = {
    "never asks": ("never-asks",),
    "repeats itself": ("repeats-itself",),
    "ignores a third of rejections": ("ignores-rejections:0.33",),
}
BLATANT = ("never asks", "repeats itself")
GATE = Gate()


@dataclass(frozen=True)
class Power:
    """What became of a variant in all samples, and which factors said so."""

    variant: str
    states: Counter[State]
    factors: Counter[str]

    def share(self, state: State) -> float:
        """The share of samples with this verdict."""
        return self.states[state] / sum(self.states.values())


def situations(count: int) -> list[SimulatedUser]:
    """That many users, each a persona, an age group and wishes; the same for every variant. Half of them
    are hard to please: only who turns something down can show whether a system listens."""
    templates = simulated_users()
    hard = templates[HARD_TO_PLEASE - 1 :: HARD_TO_PLEASE]
    rng = random.Random(1)
    pairs = [(persona, age) for persona in persona_names() for age in age_groups()]
    made = []
    for number in range(count):
        persona, age = pairs[(number * 7) % len(pairs)]
        made.append(
            replace(
                rng.choice(hard if number % 2 else templates), persona=persona, age_group=age, seed=number
            )
        )
    return made


def collect(count: int, variants: Mapping[str, Sequence[str]]) -> tuple[Run, Run, dict[str, Run]]:
    """Two runs of the recommender as it is, and one of each variant, all in `count` situations. Each run
    draws other words and moods for the same users."""
    users = situations(count)
    with contextlib.ExitStack() as stack:
        systems = {
            name: stack.enter_context(running_crs(weak)) for name, weak in {UNCHANGED: (), **variants}.items()
        }
        names = {name: f"crs-{number}" for number, name in enumerate(systems)}
        endpoints = ",".join(f"{names[name]}={address}/reply" for name, address in systems.items())
        settings = {"CATALOGS": str(ROOT / "examples" / "crs"), "CRS_ENDPOINTS": endpoints}
        service = stack.enter_context(running_service(settings))

        def run(name: str, stream: int) -> Run:
            return Run(name, asyncio.run(_sessions(service, names[name], users, stream)))

        baseline, again = (run(UNCHANGED, stream) for stream in (1, 2))
        return baseline, again, {name: run(name, 3) for name in variants}


async def _sessions(service: str, crs: str, users: Sequence[SimulatedUser], stream: int) -> list[Record]:
    places = asyncio.Semaphore(AT_ONCE)
    async with httpx2.AsyncClient(base_url=service, timeout=300) as client:

        async def session(number: int, user: SimulatedUser) -> Record:
            name = f"situation-{number}"
            body = {
                "simulator": {"type": "scripted", "seed": stream * 100_003 + user.seed},
                "log": {**user.log, "id": name},
                "crs": crs,
                "score": ["core"],
                "catalog": CATALOGUES[user.domain],
            }
            async with places:
                answer = await client.post("/simulate", json=body)
            if answer.is_error:
                raise SystemExit(f"/simulate answered {answer.status_code}: {answer.text}")
            return Record(name, crs, "/simulate", name, _scored(answer.json()), None)

        return list(await asyncio.gather(*(session(n, user) for n, user in enumerate(users))))


def _scored(answer: dict[str, Any]) -> dict[str, Any]:
    return {name: answer[name] for name in ("verdicts", "comparison_key", "usage")}


def measure(
    baseline: Run, again: Run, variants: Mapping[str, Run], *, size: int, samples: int
) -> list[Power]:
    """The gate's verdicts on `samples` samples of `size` situations, the unchanged recommender first."""
    rng = np.random.default_rng(0)
    names = baseline.conversations
    found: dict[str, tuple[Counter[State], Counter[str]]] = {
        variant: (Counter(), Counter()) for variant in (UNCHANGED, *variants)
    }
    for number in range(samples):
        chosen = [names[i] for i in rng.choice(len(names), size=size, replace=False)]
        coins = dict(zip(chosen, rng.random(size) < 0.5, strict=True))
        first, second = _exchanged(baseline, again, coins)
        pairs = {UNCHANGED: (first, second)}
        pairs |= {name: (first, _part(run, chosen)) for name, run in variants.items()}
        for variant, (before, now) in pairs.items():
            judgement = judge(now, before, GATE.model_copy(update={"seed": number}))
            states, factors = found[variant]
            states[judgement.state] += 1
            factors.update(r.factor for r in judgement.results if r.state is State.FAIL)
    return [Power(variant, *counts) for variant, counts in found.items()]


def _part(run: Run, chosen: Sequence[str]) -> Run:
    by_name = {record.conversation: record for record in run.records}
    return Run(run.name, [by_name[name] for name in chosen])


def _exchanged(baseline: Run, again: Run, coins: Mapping[str, bool]) -> tuple[Run, Run]:
    one, other = (_part(run, list(coins)).records for run in (baseline, again))
    first = [b if coin else a for a, b, coin in zip(one, other, coins.values(), strict=True)]
    second = [a if coin else b for a, b, coin in zip(one, other, coins.values(), strict=True)]
    return Run("before", first), Run("now", second)


def page(powers: Sequence[Power], options: argparse.Namespace, seconds: float) -> str:
    """The measurements as a page of documentation."""
    rows = "\n".join(
        f"| {p.variant} | {p.share(State.FAIL):.1%} | {p.share(State.INCONCLUSIVE):.1%} | {p.share(State.PASS):.1%} "
        f"| {', '.join(f'{name} ({count / options.samples:.0%})' for name, count in p.factors.most_common(4)) or '-'} |"
        for p in powers
    )
    return f"""# What the gate catches

Made by `python -m tools.measure_gate`; {options.situations} situations, {options.samples} samples of {options.size} of them,
{seconds:.0f} s on two cores. The recommender is `examples/crs`, the users are scripted, the judge is the embedded one, the
gate has its defaults (margin {GATE.regression.margin:g}, {GATE.regression.margin_of(OVERALL):g} for `overall`; alpha {GATE.alpha:g}, Holm over the factors that can be assessed and
`overall`). Every variant talks to the same users in other words than the baseline did, so that runs differ as
those of two days would. *Unchanged* is two runs of the same recommender, exchanged at random for each conversation:
what fails there is a false alarm.

| the recommender | fails | inconclusive | passes | factors that failed (share of samples) |
| --- | ---: | ---: | ---: | --- |
{rows}

Blatant weaknesses show in every session; the subtle one does not hear a third of the rejections. Half of the users
want what no item has in one: only who turns something down can show whether a system listens, so a suite that is to
see it needs such users.
Numbers for your own system: `crs-eval gate calibrate RUN SECOND_RUN`.
"""


def main() -> int:
    """Run everything, print it, write it down. Ends with 1 where the gate is not as good as it says."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--out", type=Path)
    parser.add_argument("--situations", type=int, default=300)
    parser.add_argument("--size", type=int, default=100)
    parser.add_argument("--samples", type=int, default=200)
    options = parser.parse_args()
    begun = time.monotonic()
    baseline, again, variants = collect(options.situations, VARIANTS)
    powers = measure(baseline, again, variants, size=options.size, samples=options.samples)
    text = page(powers, options, time.monotonic() - begun)
    Console().print(text, markup=False, highlight=False)
    if options.out:
        write_atomically(options.out, text)
    return 0 if good_enough(powers) else 1


def good_enough(powers: Sequence[Power]) -> bool:
    """Blatant regressions caught in 90 % of the samples, subtle ones in 80 %, at most 5 % false alarms."""
    caught = {power.variant: power.share(State.FAIL) for power in powers}
    alarms = caught.pop(UNCHANGED)
    return alarms <= 0.05 and all(
        share >= (0.9 if name in BLATANT else 0.8) for name, share in caught.items()
    )


if __name__ == "__main__":
    sys.exit(main())
