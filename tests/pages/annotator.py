"""A person who fills in a labelling sheet: the same person gives the same scores each time.

python -m tests.pages.annotator anna labels.csv labels-anna.jsonl"""

import csv
import json
import random
import sys
from pathlib import Path

from service.cli.labelling.sheet import key_content

TOP = 4


def main() -> None:
    """Write a label for each question of each conversation of the sheet."""
    rater, sheet, out = sys.argv[1:]
    lines = []
    with Path(sheet).open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            key, _, again = row["item"].partition(".")
            about = key_content(key)
            assert about is not None
            for factor in (name.partition(": ")[0] for name in row if ": " in name):
                drawn = random.Random(f"{about['digest']} {factor} {rater}").gauss(2.6, 1.0)
                score = min(TOP, max(0, round(drawn)))
                label = {"factor": factor, "rater": rater, "kind": "human", "score": score}
                lines.append(json.dumps({**about, **label, "repeat": int(again == "1")}))
    Path(out).write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
