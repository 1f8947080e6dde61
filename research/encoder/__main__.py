"""Learn what the encoder's vectors mean, and say what it reaches on families of conversations that it has not seen.

    python -m research.encoder --data FOLDER [--write]

`--write` stores the head of belonging in `service/encoder/weights/belonging.npz` and the table in `docs/encoder.md`;
no text is stored. The layers come before: `research.encoder.distil`, `research.encoder.pack`."""

import argparse
import re
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from rich.progress import track

from service.encoder.encoder import FOLDER
from service.judges.embedded.verdicts.dialogue import DOUBTFUL

from .conversations import FAMILIES
from .fitting import Measured, Trials, read
from .pack import save

PAGE = Path(__file__).parents[2] / "docs" / "encoder.md"
BEGIN, END = "<!-- measured -->", "<!-- end -->"


def table(found: Sequence[Measured]) -> str:
    """The figures of each family, as Markdown."""
    rows = [
        f"| {one.family} | {one.replies:,} | {one.family_left_out:.3f} | {one.without_next:.3f} | "
        f"{one.others_seen:.3f} | {one.cosine:.3f} | {one.doubted:.1%} | {one.doubted_exchanged:.0%} |"
        for one in found
    ]
    names = (
        "family", "real replies", "family left out", "the same, user's next turn unknown",
        "half of its conversations left out", "cosine of request and reply",
        f"real ones under {DOUBTFUL}", "exchanged ones under it",
    )  # fmt: skip
    return "\n".join([f"| {' | '.join(names)} |", "| --- " * len(names) + "|", *rows])


def main() -> None:
    """Measure, print, and store where asked."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--write", action="store_true")
    asked = parser.parse_args()
    reading = read(asked.data)
    shared = reading.common()
    trials = Trials(reading.exchanges(shared))
    found = []
    for family in track(FAMILIES, description="families left out"):
        others = Trials(reading.exchanges(reading.common(left_out=family)))
        found.append(trials.measure(family, others))
    print(table(found))
    if asked.write:
        head = trials.fit()
        stored = {"weight": head.weight, "bias": np.array(head.bias)}
        save(FOLDER / "belonging.npz", stored | {"centre": shared.centre, "directions": shared.directions})
        page = PAGE.read_text(encoding="utf-8")
        new = f"{BEGIN}\n\n{table(found)}\n\n{END}"
        PAGE.write_text(re.sub(f"{BEGIN}.*{END}", new, page, flags=re.DOTALL), encoding="utf-8")


if __name__ == "__main__":
    main()
