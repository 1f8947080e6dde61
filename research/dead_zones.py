"""The differences below which the embedded judge's preference says too little about people's: service/comparison/dead_zones.toml.

`python -m research.dead_zones --data DATA` judges CRSArena-Eval's conversations, and writes the zones and docs/comparison-figures.md (minutes)."""

import argparse
import asyncio
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean
from typing import Any

import numpy as np
from numpy.typing import NDArray

from research.fit_overall import log_of, verdicts_of
from research.labelled import Labelled, read_labelled
from service.judges.embedded.judge import revision
from service.scoring.overall import scores_of

BAR = 0.6
"""The share of pairs in which the sign must agree with people's."""
MOST_SURE = 0.95
SPAN = 4.0
LABELS: Mapping[str, tuple[str, str]] = {
    "overall": ("mean", "dialogue_overall"),
    "coherence": ("coherence", "understanding"),
    "effectiveness": ("effectiveness", "task_completion"),
    "explainability": ("explainability", "explanation"),
    "proactiveness": ("proactiveness", "preference_elicitation"),
}
"""By name of a preference: the judge's score, and people's label."""
STEPS = (0.0, 0.025, 0.05, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5)
"""Bins of differences that the page shows, as shares of the scale."""
FAMILIES = Path("benchmarks/agreement/families.json")
ZONES = Path("service/comparison/dead_zones.toml")
PAGE = Path("docs/comparison-figures.md")
Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Contest:
    """Pairs of conversations of which people prefer one: the judge's absolute difference as a share of its scale, 1 where its
    sign is people's (.5 where it is 0). The families of both stand beside."""

    difference: Floats
    right: Floats
    families: NDArray[np.str_]

    def part(self, chosen: NDArray[np.bool_]) -> "Contest":
        """Some of the pairs."""
        return Contest(self.difference[chosen], self.right[chosen], self.families[chosen])

    @property
    def curve(self) -> tuple[Floats, Floats]:
        """Differences, and the share of right signs there, which is fitted to rise with the difference."""
        order = np.argsort(self.difference, kind="stable")
        return self.difference[order], rising(self.right[order], self.difference[order])

    @property
    def zone(self) -> float:
        """The smallest difference from which the fitted share is the bar or more, rounded up to a thousandth."""
        at, share = self.curve
        above = np.flatnonzero(share >= BAR)
        return float(np.ceil(1000 * at[above[0]]) / 1000) if len(above) else 1.0


def rising(values: Floats, at: Floats) -> Floats:
    """Isotonic regression of values in the order of `at`; equal places are pooled first."""
    _, start, count = np.unique(at, return_index=True, return_counts=True)
    blocks: list[list[float]] = []
    for place, number in zip(start, count, strict=True):
        blocks.append([float(values[place : place + number].mean()), float(number)])
        while len(blocks) > 1 and blocks[-2][0] >= blocks[-1][0]:
            mean, weight = blocks.pop()
            total = blocks[-1][1] + weight
            blocks[-1] = [(blocks[-1][0] * blocks[-1][1] + mean * weight) / total, total]
    return np.repeat([block[0] for block in blocks], [int(block[1]) for block in blocks])


def contest(
    logs: Sequence[Labelled], found: Mapping[str, Mapping[str, Any]], output: str, label: str
) -> Contest:
    """All pairs of conversations that people rate differently on a label."""
    family = {
        system: name
        for name, systems in json.loads(FAMILIES.read_text("utf-8")).items()
        for system in systems
    }
    known = [
        (found[log.name]["scores"][output], fmean(log.dialogue[label].values()), family[log.system])
        for log in logs
        if log.dialogue.get(label) and output in found[log.name]["scores"]
    ]
    judge, people = (np.array([row[place] for row in known]) for place in (0, 1))
    names = np.array([row[2] for row in known])
    one, two = np.triu_indices(len(known), 1)
    differs = people[one] != people[two]
    one, two = one[differs], two[differs]
    gap = np.round(judge[one] - judge[two], 6)
    right = np.where(gap == 0, 0.5, np.sign(gap) == np.sign(people[one] - people[two]))
    return Contest(np.abs(gap) / SPAN, right.astype(float), np.column_stack([names[one], names[two]]))


def held_out(pairs: Contest) -> tuple[float, float, float, float]:
    """Return the lowest and the highest zone without one family. Return also what zones do to pairs of the family that they were
    not made from: the share of ties, and of right preferences among the rest."""
    zones, tied, right = [], [], []
    for family in np.unique(pairs.families):
        inside = (pairs.families == family).any(axis=1)
        zone = pairs.part(~inside).zone
        fresh = pairs.part(inside)
        zones.append(zone)
        tied.append(fresh.difference < zone)
        right.append(fresh.right[fresh.difference >= zone])
    return (
        min(zones),
        max(zones),
        float(np.concatenate(tied).mean()),
        float(np.concatenate(right).mean()),
    )


def toml(contests: Mapping[str, Contest]) -> str:
    """The data file: zones, and how sure a preference is from which difference on."""
    lines = ["# Written by `python -m research.dead_zones`. Differences are shares of a factor's scale.", ""]
    for name, pairs in contests.items():
        at, share = pairs.curve
        kept = at >= pairs.zone
        # Down to a twentieth, and never sure.
        steps = np.minimum(np.floor(share[kept] * 20 + 1e-9) / 20, MOST_SURE)
        first = np.flatnonzero(np.diff(steps, prepend=-1) > 0)
        differences, agreement = np.round(at[kept][first], 3), steps[first]
        lines += [
            f"[zones.{name}]",
            f"width = {pairs.zone:.3f}",
            f"differences = {_listed(differences)}",
            f"agreement = [{', '.join(f'{value:.2f}' for value in agreement)}]",
            "",
        ]
    return "\n".join(lines)


def _listed(values: Floats) -> str:
    return f"[{', '.join(f'{value:.3f}' for value in values)}]"


def page(contests: Mapping[str, Contest]) -> Iterator[str]:
    """The lines of the page."""
    yield "# Comparing two conversations: what was measured\n"
    yield "For researchers who check when the embedded judge calls a tie.\n"
    yield (
        "Written by `python -m research.dead_zones`; the page for users is [comparison.md](comparison.md). The embedded judge scores the "
        "244 conversations of CRSArena-Eval (development half), of half of which its detector learned whether replies are relevant. "
        f"Pairs are all two conversations that people rate differently. Measured at revision {revision()} of "
        "the judge.\n"
    )
    yield (
        "The dead zone ends at the smallest difference from which the judge's sign agrees with people's in 60 % of pairs or more. Isotonic "
        "regression finds it. Differences are points of the scale 0 to 4. *Zones* is the range of zones when one family is left "
        "out. *Ties* and *right* are of pairs with a conversation of that family, which the zone was not made from.\n"
    )
    yield "| preference | people's label | pairs | dead zone | zones | ties | right outside | right of all pairs |"
    yield "| --- | --- | --- | --- | --- | --- | --- | --- |"
    for name, pairs in contests.items():
        low, high, tied, right = held_out(pairs)
        yield (
            f"| {name} | {LABELS[name][1].replace('_', ' ')} | {len(pairs.right):,} | {SPAN * pairs.zone:.2f} | {SPAN * low:.2f} to "
            f"{SPAN * high:.2f} | {tied:.0%} | {right:.0%} | {pairs.right.mean():.0%} |"
        )
    yield "\nShares of pairs in which the signs agree, by difference:\n"
    heads = [f"{SPAN * low:g} to {SPAN * high:g}" for low, high in zip(STEPS, (*STEPS[1:], 1), strict=True)]
    yield f"| preference | {' | '.join(heads)} |"
    yield f"| --- |{' --- |' * len(heads)}"
    for name, pairs in contests.items():
        yield f"| {name} | {' | '.join(_shares(pairs))} |"


def _shares(pairs: Contest) -> Iterator[str]:
    for low, high in zip(STEPS, (*STEPS[1:], 1.01), strict=True):
        here = (pairs.difference >= low) & (pairs.difference < high)
        yield f"{pairs.right[here].mean():.0%} ({here.sum():,})" if here.any() else "-"


async def measure(folder: Path) -> dict[str, Contest]:
    """Judge, and pair."""
    logs = read_labelled(folder / "crsarena_eval.dev.jsonl")
    found = {}
    for one in logs:
        scores = scores_of(await verdicts_of(log_of(one.log)))
        found[one.name] = {"scores": {**scores, "mean": fmean(scores.values())}}
    return {name: contest(logs, found, output, label) for name, (output, label) in LABELS.items()}


def main() -> None:
    """Measure, and write the zones and the page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    contests = asyncio.run(measure(parser.parse_args().data))
    ZONES.write_text(toml(contests), encoding="utf-8")
    PAGE.write_text("\n".join(page(contests)) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
