"""Measure what `crs-eval gate` catches, and how often it fails what did not change.

    python -m research.measure_gate --data ../shared/data --out docs/gate-power.md

Real conversations: see `research.gate_real_logs`; faults of the corpus: `research.gate_swaps`. Then simulated users in a few hundred situations talk to the example
recommender, as it is and with weaknesses seeded into it. The gate decides on many samples of a hundred of the sessions. An
unchanged recommender is two runs of the same with other user seeds, exchanged at random for each conversation. Needs no key and
no network."""

import argparse
import asyncio
import contextlib
import random
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import httpx2
import numpy as np
from rich.console import Console
from rich.progress import Progress, track

from research.gate_real_logs import (
    EVERY,
    FAULTS,
    MEANS,
    SETS,
    SIZES,
    UNCHANGED,
    Share,
    false_failures,
    found,
    judged_sets,
)
from research.gate_swaps import judged_swaps
from service.cli.configuration import GateSettings
from service.cli.gate.judgement import judge
from service.cli.gate.results import RuleState
from service.cli.records import Record, write_atomically
from service.cli.scores import OVERALL, Run
from service.judges.embedded.judge import revision
from service.simulators.phrases import age_groups, persona_names
from tools.example_crs import running_crs
from tools.service_process import ROOT, running_service
from tools.simulated_users import CATALOGUES, HARD_TO_PLEASE, SimulatedUser, simulated_users

AT_ONCE = 8
VARIANTS: Mapping[str, Sequence[str]] = {
    "never asks": ("never-asks",),
    "repeats itself": ("repeats-itself",),
    "ignores a third of rejections": ("ignores-rejections:0.33",),
}
BLATANT = ("never asks", "repeats itself")
GATE = GateSettings()


@dataclass(frozen=True)
class Power:
    """Outcomes of a variant in all samples, and the factors that said so."""

    variant: str
    states: Counter[RuleState]
    factors: Counter[str]

    def share(self, state: RuleState) -> float:
        """The share of samples with this verdict."""
        return self.states[state] / sum(self.states.values())


def situations(count: int) -> list[SimulatedUser]:
    """Return that many users, each a persona, an age group and wishes; the same for every variant. Half of them
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
            with Progress() as shown:
                done = shown.add_task(f"{name}, run {stream}", total=len(users))
                records = asyncio.run(
                    _sessions(service, names[name], users, stream, lambda: shown.advance(done))
                )
            return Run(name, records)

        baseline, again = (run(UNCHANGED, stream) for stream in (1, 2))
        return baseline, again, {name: run(name, 3) for name in variants}


async def _sessions(
    service: str, crs: str, users: Sequence[SimulatedUser], stream: int, done: Callable[[], None]
) -> list[Record]:
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
            done()
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
    counts: dict[str, tuple[Counter[RuleState], Counter[str]]] = {
        variant: (Counter(), Counter()) for variant in (UNCHANGED, *variants)
    }
    for number in track(range(samples), description="sessions"):
        chosen = [names[i] for i in rng.choice(len(names), size=size, replace=False)]
        coins = dict(zip(chosen, rng.random(size) < 0.5, strict=True))
        first, second = _exchanged(baseline, again, coins)
        pairs = {UNCHANGED: (first, second)}
        pairs |= {name: (first, _part(run, chosen)) for name, run in variants.items()}
        for variant, (before, now) in pairs.items():
            judgement = judge(now, before, GATE.model_copy(update={"seed": number}))
            states, factors = counts[variant]
            states[judgement.state] += 1
            factors.update(r.factor for r in judgement.results if r.state is RuleState.FAIL)
    return [Power(variant, *both) for variant, both in counts.items()]


def _part(run: Run, chosen: Sequence[str]) -> Run:
    by_name = {record.conversation: record for record in run.records}
    return Run(run.name, [by_name[name] for name in chosen])


def _exchanged(baseline: Run, again: Run, coins: Mapping[str, bool]) -> tuple[Run, Run]:
    one, other = (_part(run, list(coins)).records for run in (baseline, again))
    first = [b if coin else a for a, b, coin in zip(one, other, coins.values(), strict=True)]
    second = [a if coin else b for a, b, coin in zip(one, other, coins.values(), strict=True)]
    return Run("before", first), Run("now", second)


def page(
    real: Sequence[Share],
    planted: Sequence[Share],
    swaps: Sequence[Share],
    powers: Sequence[Power],
    options: argparse.Namespace,
) -> str:
    """The measurements as a page of documentation."""
    return f"""# What the gate catches

For teams who ask what the gate catches and how often it is wrong.

Made by `make -C research measure-gate`. The judge is the embedded one, revision {revision()}; the gate has its defaults: margin {GATE.regression.margin:g}
({GATE.regression.margin_of(OVERALL):g} for `overall`), alpha {GATE.alpha:g} over all factors, and over all faults.

## Nothing changed: false failures on real conversations

{len(SETS)} public sets of real conversations, {options.halves} random splits of each. Few systems in them have more than 30 conversations. So
each set stands for one system: its halves are paired **at random**, and pairs are of different situations. Sets with fewer than 2 n conversations are left out.

| n | sets | splits | fails | inconclusive | passes |
| ---: | ---: | ---: | ---: | ---: | ---: |
{_lines(map(_row, real))}

Of each set, fails / inconclusive:

| set | {" | ".join(f"n = {size}" for size in SIZES)} |
| --- | {" | ".join("---:" for _ in SIZES)} |
{_lines(_set_row(name, real) for name in SETS)}

## Something planted in every conversation, every fifth, every tenth

Replies of these conversations are replaced; what the users say stays. Both runs hold the same conversations, as in a suite that puts
both versions into the same situations. {options.weak_samples} samples of each set and size. *By faults* and *by means* are the shares in which a
rule of that kind fails.

{planted_table(planted)}

## Which faults the gate names

{options.weak_samples} samples of conversations of `research/corpus` that the judge has not learned from (split `{options.split}`). In the new run, swaps of one fault
are planted. *Named* is the share of samples in which the gate fails for that very fault.

{swap_table(swaps)}

## Paired sessions with simulated users

{options.situations} situations, {options.samples} samples of {options.size} of them. The recommender is `examples/crs`, and the users are scripted.
Every variant talks to the same users in other words than the baseline did, so that runs differ as those of two days would.
*Unchanged* is two runs of the same recommender, exchanged at random for each conversation. These users behave more evenly than
people do: expect the figures above, not these, of real logs.

| the recommender | fails | inconclusive | passes | factors that failed (share of samples) |
| --- | ---: | ---: | ---: | --- |
{_lines(_session_row(p, options.samples) for p in powers)}

Blatant weaknesses show in every session; the subtle one does not hear a third of the rejections. Half of the users
want what no item has in one. Only users who turn something down can show whether a system listens, so such a suite needs
such users.
"""


def _lines(rows: Iterable[str]) -> str:
    return "\n".join(rows)


def _states(share: Callable[[RuleState], float]) -> str:
    return " | ".join(
        f"{share(state):.1%}" for state in (RuleState.FAIL, RuleState.INCONCLUSIVE, RuleState.PASS)
    )


def _row(share: Share) -> str:
    return f"| {share.n} | {len(share.by_set)} | {share.samples:,} | {_states(share.of)} |"


def _set_row(name: str, real: Sequence[Share]) -> str:
    cells = []
    for share in real:
        states = share.by_set.get(name)
        total = states.total() if states else 1
        cells.append(
            f"{states[RuleState.FAIL] / total:.1%} / {states[RuleState.INCONCLUSIVE] / total:.0%}"
            if states
            else "-"
        )
    return f"| {name} | {' | '.join(cells)} |"


def planted_table(planted: Sequence[Share]) -> str:
    """Return the table of weaknesses in real conversations."""
    rows = [
        f"| {s.what} | {s.every} | {s.n} | {s.samples:,} | {s.by(FAULTS):.0%} | {s.by(MEANS):.0%} | {_states(s.of)} |"
        for s in planted
        if s.samples
    ]
    return _lines([
        "| planted | in one of | n | samples | by faults | by means | fails | inconclusive | passes |",
        "| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |",
        *rows,
    ])  # fmt: skip


def swap_table(swaps: Sequence[Share]) -> str:
    """Return the table of faults, named / fails at all, for every share and size."""
    columns = [(every, size) for every in EVERY for size in SIZES]
    known = {(share.what, share.every, share.n): share for share in swaps if share.samples}
    columns = [column for column in columns if any((share.what, *column) in known for share in swaps)]

    def cell(fault: str, column: tuple[int, int]) -> str:
        share = known.get((fault, *column))
        return f"{share.by(fault):.0%} / {share.of(RuleState.FAIL):.0%}" if share else "-"

    faults = sorted({share.what for share in known.values()})
    return _lines([
        f"| fault, named / fails | {' | '.join(f'1 of {every}, n = {size}' for every, size in columns)} |",
        f"| --- | {' | '.join('---:' for _ in columns)} |",
        *(f"| `{fault}` | {' | '.join(cell(fault, column) for column in columns)} |" for fault in faults),
    ])  # fmt: skip


def _session_row(power: Power, samples: int) -> str:
    factors = ", ".join(f"{name} ({count / samples:.0%})" for name, count in power.factors.most_common(4))
    return f"| {power.variant} | {_states(power.share)} | {factors or '-'} |"


def main() -> int:
    """Run everything, print it, write it down. Ends with 1 where the gate is not as good as it says."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--out", type=Path)
    parser.add_argument("--data", type=Path, default=ROOT.parent / "shared" / "data")
    parser.add_argument("--halves", type=int, default=320)
    parser.add_argument("--weak-samples", type=int, default=50)
    parser.add_argument("--situations", type=int, default=300)
    parser.add_argument("--size", type=int, default=100)
    parser.add_argument("--samples", type=int, default=200)
    parser.add_argument(
        "--split", default="final", help="Split of the corpus: final, domains, or none for all of it."
    )
    parser.add_argument("--faults", help="Faults of the corpus, separated by commas. Default: all.")
    parser.add_argument(
        "--swaps-only", type=int, metavar="N", help="Only the corpus, at most N conversations."
    )
    options = parser.parse_args()
    swaps = judged_swaps(options.split, options.faults and options.faults.split(","), options.swaps_only)
    named = found([swaps], GATE, samples=options.weak_samples)
    if options.swaps_only:
        Console().print(swap_table(named), markup=False, highlight=False, soft_wrap=True)
        return 0
    sets = judged_sets(options.data)
    real = false_failures(sets, GATE, halves=options.halves)
    planted = found(sets, GATE, samples=options.weak_samples)
    baseline, again, variants = collect(options.situations, VARIANTS)
    powers = measure(baseline, again, variants, size=options.size, samples=options.samples)
    text = page(real, planted, named, powers, options)
    Console().print(text, markup=False, highlight=False)
    if options.out:
        write_atomically(options.out, text)
    return 0 if good_enough(powers) and few_alarms(real) else 1


def few_alarms(real: Sequence[Share]) -> bool:
    """No more false failures than alpha and what chance adds to it: two standard errors."""
    return all(
        share.of(RuleState.FAIL) <= GATE.alpha + 2 * (GATE.alpha * (1 - GATE.alpha) / share.samples) ** 0.5
        for share in real
        if share.samples
    )


def good_enough(powers: Sequence[Power]) -> bool:
    """Blatant regressions caught in 90 % of the samples, subtle ones in 80 %, at most 5 % false alarms."""
    caught = {power.variant: power.share(RuleState.FAIL) for power in powers}
    alarms = caught.pop(UNCHANGED)
    return alarms <= 0.05 and all(
        share >= (0.9 if name in BLATANT else 0.8) for name, share in caught.items()
    )


if __name__ == "__main__":
    sys.exit(main())
