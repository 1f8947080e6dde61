"""Fit the costs of faults to readers' points for single replies, and write them into `service/faults/*.toml`.

    python -m research.fit_costs

Two readers gave 280 replies of the corpus 0 to 4 points on nine factors, without the labels: 8 replies with each fault, and 48 good
ones (`research/points.json`). A fault costs the points that its replies lost against good ones, in steps of a half. No cost
moves by more than one from its starting value. That of the home factor never falls, and no other is higher.
The cost of an error of grammar stays, since a reply may have several."""

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from service.faults.fault import FOLDER

RATINGS = Path(__file__).parent / "points.json"
MOST_MOVED, LEAST, TOP = 1.0, 0.5, 4.0
KEPT = frozenset({"broken-grammar"})
NONE = "none"

Costs = dict[str, float]


def lost(rated: Mapping[str, Any]) -> dict[str, Costs]:
    """Return by fault the points of 4 that its replies lose on each factor against good replies: the mean of both readers."""
    factors = rated["factors"]
    points: dict[str, list[np.ndarray]] = {}
    for reply in rated["replies"]:
        points.setdefault(reply["fault"], []).append(np.mean([reply["first"], reply["second"]], axis=0))
    means = {fault: np.mean(rows, axis=0) for fault, rows in points.items()}
    good = means.pop(NONE)
    return {fault: dict(zip(factors, good - mean, strict=True)) for fault, mean in means.items()}


def fitted(starting: Costs, losses: Costs) -> Costs:
    """Return the costs of a fault by factor, the home factor first."""
    home = next(iter(starting))
    costs: Costs = {}
    for factor, start in starting.items():
        wanted = round(2 * losses.get(factor, start)) / 2
        least = start if factor == home else max(LEAST, start - MOST_MOVED)
        costs[factor] = min(max(wanted, least), start + MOST_MOVED, TOP, costs.get(home, TOP))
    return costs


def costs() -> dict[str, Costs]:
    """Return the fitted costs of every fault that readers have seen."""
    rated = json.loads(RATINGS.read_text(encoding="utf-8"))
    losses = lost(rated)
    return {
        fault: fitted(rated["starting_costs"][fault], losses[fault]) for fault in sorted(losses.keys() - KEPT)
    }


def with_costs(text: str, found: Costs) -> str:
    """Return a fault's file with other costs."""
    home, *also = found
    text = re.sub(r"^cost = .*$", f"cost = {found[home]:g}", text, flags=re.MULTILINE)
    for factor in also:
        text = re.sub(rf"^{factor} = .*$", f"{factor} = {found[factor]:g}", text, flags=re.MULTILINE)
    return text


def main() -> None:
    """Write the costs, and print those that changed."""
    for fault, found in costs().items():
        path = FOLDER / f"{fault}.toml"
        text = path.read_text(encoding="utf-8")
        if with_costs(text, found) != text:
            path.write_text(with_costs(text, found), encoding="utf-8")
            print(fault, ", ".join(f"{factor} {cost:g}" for factor, cost in found.items()))


if __name__ == "__main__":
    main()
