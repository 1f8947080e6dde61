"""Estimate the stage weights from human dialogues: `service/alignment/model/stages.json`.

python -m research.alignment.stages --data FOLDER
"""

import json
from collections.abc import Iterator
from itertools import groupby
from pathlib import Path

from research.options import read_paths
from service.alignment.implicit import FOLDER
from service.alignment.pair import decisive
from service.alignment.stages import estimate
from service.alignment.strategies import NO_STRATEGY, StrategyName

from .corpus import read_rows


def dialogues(data: Path) -> Iterator[list[StrategyName]]:
    """The strategies of each human dialogue's turns, in order; turns without one left out."""
    for row in read_rows(data / "inspired.jsonl"):
        runs = groupby(row["utterances"], key=lambda said: said["role"])
        turns = [
            decisive([StrategyName(said["strategy"]) for said in run])[0]
            for role, run in runs
            if role == "assistant"
        ]
        yield [strategy for strategy in turns if strategy is not NO_STRATEGY]


def main() -> None:
    """Write the weights with how many turns they rest on."""
    asked = read_paths(__doc__, "data")
    found = list(dialogues(asked.data))
    weights = {name: round(weight, 4) for name, weight in estimate(found).items()}
    written = {"dialogues": len(found), "turns": sum(map(len, found)), "weights": weights}
    (FOLDER / "stages.json").write_text(json.dumps(written, indent=2) + "\n", "utf-8")


if __name__ == "__main__":
    main()
