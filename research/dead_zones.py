"""The differences below which the embedded judge's preference says too little about people's: service/comparison/dead_zones.toml.

    python -m research.dead_zones [DATA]

Judges the conversations of CRSArena-Eval (a minute). Writes the zones, the measured part of docs/comparison.md, and how single factors
agree with people: research/factors.json, which docs/embedded-judge.md shows."""

import asyncio
import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.isotonic import IsotonicRegression

from research.fit_overall import DATA, Row, agreed, log_of, verdicts_of
from research.judge_page import written
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
ZONES = Path("service/comparison/dead_zones.toml")
PAGE = Path("docs/comparison.md")
AGREEMENT = Path("research/factors.json")
Floats = NDArray[np.float64]
Rated = dict[str, Any]


@dataclass(frozen=True)
class Contest:
    """Pairs of conversations of which people prefer one: the judge's absolute difference as a share of its scale, 1 where its
    sign is people's (.5 where it is 0)."""

    difference: Floats
    right: Floats

    @property
    def curve(self) -> tuple[Floats, Floats]:
        """Differences, and the share of right signs there, which is fitted to rise with the difference."""
        at = np.sort(self.difference)
        return at, IsotonicRegression().fit(self.difference, self.right).predict(at)

    @property
    def zone(self) -> float:
        """The smallest difference from which the fitted share is the bar or more, rounded up to a thousandth."""
        at, share = self.curve
        above = np.flatnonzero(share >= BAR)
        return float(np.ceil(1000 * at[above[0]]) / 1000) if len(above) else 1.0


def contest(rows: Sequence[Rated], output: str, label: str) -> Contest:
    """All pairs of conversations that people rate differently on a label."""
    known = [
        (row["scores"][output], row["people"][label])
        for row in rows
        if output in row["scores"] and row["people"].get(label) is not None
    ]
    judge, people = (np.array([pair[place] for pair in known], float) for place in (0, 1))
    one, two = np.triu_indices(len(known), 1)
    differs = people[one] != people[two]
    one, two = one[differs], two[differs]
    gap = np.round(judge[one] - judge[two], 6)
    right = np.where(gap == 0, 0.5, np.sign(gap) == np.sign(people[one] - people[two]))
    return Contest(np.abs(gap) / SPAN, right.astype(float))


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
            f"differences = {_listed(differences, 3)}",
            f"agreement = {_listed(agreement, 2)}",
            "",
        ]
    return "\n".join(lines)


def _listed(values: Floats, digits: int) -> str:
    return f"[{', '.join(f'{value:.{digits}f}' for value in values)}]"


def table(contests: Mapping[str, Contest]) -> Iterator[str]:
    """Yield the lines of the page's measured part."""
    yield "| preference | people's rating | pairs | dead zone, in points of 4 | ties | agreement outside the zone | agreement in all pairs |"
    yield "| --- | --- | ---: | ---: | ---: | ---: | ---: |"
    for name, pairs in contests.items():
        outside = pairs.difference >= pairs.zone
        yield (
            f"| {name} | {LABELS[name][1].replace('_', ' ')} | {len(pairs.right):,} | {SPAN * pairs.zone:.2f} | "
            f"{1 - outside.mean():.0%} | {pairs.right[outside].mean():.0%} | {pairs.right.mean():.0%} |"
        )


def agreement(rows: Sequence[Rated]) -> dict[str, Any]:
    """By factor how its scores agree with people's label, over the conversations that have both."""
    found = {}
    for factor, (output, label) in LABELS.items():
        if factor == output:
            pairs = [
                (Row(factor, row["system"], row["people"][label], {}), row["scores"][factor])
                for row in rows
                if factor in row["scores"] and row["people"].get(label) is not None
            ]
            figures = agreed(pairs)
            # People's labels have a scale of their own, so that the distance between the two says nothing.
            found[factor] = {"label": label} | {name: figures[name] for name in ("n", "r", "within_systems")}
    return found


async def judge(folder: Path) -> list[Rated]:
    """Judge every conversation."""
    rows = []
    for line in (folder / "crsarena_eval.dev.jsonl").read_text("utf-8").splitlines():
        raw = json.loads(line)
        scores = scores_of(await verdicts_of(log_of(raw)))
        rows.append(
            {
                "system": raw["system"],
                "scores": {**scores, "mean": fmean(scores.values())},
                "people": raw["human"]["dialogue"],
            }
        )
    return rows


def main() -> None:
    """Measure, and write the zones, the page and the agreement."""
    rows = asyncio.run(judge(Path(sys.argv[1]) if len(sys.argv) > 1 else DATA))
    AGREEMENT.write_text(json.dumps(agreement(rows), indent=1) + "\n", encoding="utf-8")
    contests = {name: contest(rows, output, label) for name, (output, label) in LABELS.items()}
    ZONES.write_text(toml(contests), encoding="utf-8")
    PAGE.write_text(written(PAGE.read_text("utf-8"), table(contests)), encoding="utf-8")


if __name__ == "__main__":
    main()
