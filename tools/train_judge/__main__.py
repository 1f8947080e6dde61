"""Train the embedded judge's learned parts, and say what they reach on what they have not seen.

    .venv/bin/python -m tools.train_judge --data FOLDER [--write]

FOLDER holds `iard.jsonl` (acts of every message), `uss_redial.dev.jsonl` (satisfaction at every message of
a user) and `crsarena_eval.dev.jsonl` (marks for every reply). `--write` stores the numbers in
`service/text/weights/acts.npz` and `service/judges/builtin/interest.json`; no text is stored. Without the data
it says so and does nothing. Raise `REVISION` of the judge and measure again afterwards."""

import argparse
import asyncio
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from service.judges.builtin.reading import read_case
from service.judges.builtin.replies import judge_replies
from service.judges.builtin.signals import NAMES, NEXT, read_signals
from service.judges.inquiry import Case
from tools.measure_builtin import read_lines, to_log
from tools.train_judge.acts import fit_side, held_out_f1, labelled_acts, rated_reactions
from tools.train_judge.replies import LABEL, Marked, agreement, fit, held_out

ROOT = Path(__file__).resolve().parents[2]
ACTS = ROOT / "service" / "text" / "weights" / "acts.npz"
REPLIES = ROOT / "service" / "judges" / "builtin" / "interest.json"
FAMILIES = ROOT / "benchmarks" / "agreement" / "families.json"
NEEDED = ("iard.jsonl", "uss_redial.dev.jsonl", "crsarena_eval.dev.jsonl")


def main() -> int:
    """Train, print, and store where asked."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args()
    missing = [name for name in NEEDED if not (options.data / name).exists()]
    if missing:
        print(f"{options.data} does not hold {', '.join(missing)}: nothing was trained.")
        return 0
    stored = train_acts(options.data)
    if options.write:
        ACTS.parent.mkdir(exist_ok=True)
        np.savez_compressed(ACTS, **stored)
    replies = asyncio.run(marked_replies(options.data / "crsarena_eval.dev.jsonl"))
    report_replies(replies)
    if options.write:
        REPLIES.write_text(json.dumps(fit(replies), indent=1) + "\n", encoding="utf-8")
    return 0


def train_acts(data: Path) -> dict[str, Any]:
    """The learned acts of both sides, as they are stored."""
    stored: dict[str, Any] = {}
    for side in ("user", "reply"):
        messages = labelled_acts(data / "iard.jsonl", side)
        macro, scores = held_out_f1(messages)
        told = ", ".join(f"{label} {value:.2f}" for label, value in scores.items())
        print(f"acts of the {side}: macro-F1 {macro:.3f} with whole conversations held out ({told})")
        reactions = rated_reactions(data / "uss_redial.dev.jsonl") if side == "user" else ()
        stored |= {f"{side}_{name}": value for name, value in fit_side(messages, reactions).items()}
    return stored


async def marked_replies(path: Path) -> list[Marked]:
    """Every marked reply with its signals, read without a catalogue."""
    families = {
        system: family for family, systems in json.loads(FAMILIES.read_text()).items() for system in systems
    }
    found = []
    for record in read_lines(path):
        reading = await read_case(Case(to_log(record)))
        judged = judge_replies(reading)
        for each, signals in zip(judged, read_signals(reading, judged), strict=True):
            mark = (record["human"]["turns"][each.exchange.reply[0].index] or {}).get(LABEL)
            if mark is not None:
                system = record["system"]
                found.append(Marked(signals, float(mark), system, families.get(system, system)))
    return found


def report_replies(replies: Sequence[Marked]) -> None:
    """What the weighing reaches on families that it has not seen, and without some of its signals."""
    without_next = [name for name in NAMES if name not in NEXT]
    without_learned = [name for name in NAMES if not name.startswith("then-") and name != "satisfaction"]
    for title, names in (
        ("all signals", NAMES),
        ("without the user's next message", without_next),
        ("without learned acts", without_learned),
        ("the rules alone", ["rules"]),
    ):
        figures = agreement(replies, held_out(replies, names))
        told = ", ".join(f"{name} {value:.2f}" for name, value in figures.items())
        print(f"{LABEL} of {len(replies)} replies, families held out, {title}: {told}")


if __name__ == "__main__":
    sys.exit(main())
