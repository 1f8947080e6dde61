"""Train the embedded judge's learned parts, and say what they reach on what they have not seen.

    .venv/bin/python -m research.train_judge --data FOLDER [--acts] [--write]
    .venv/bin/python -m research.train_judge --data FOLDER --held-out [--write | --check]

FOLDER holds `iard.jsonl` (acts of every message), `uss_redial.dev.jsonl` (satisfaction at every message of
a user) and `crsarena_eval.dev.jsonl` (marks for every reply). The learned acts are trained where
`--acts` asks for it (minutes), and stay as they are otherwise. `--write` stores the numbers in
`service/judges/embedded/observations/acts/acts.npz`, `service/judges/embedded/rules/relevance.json`, `interest.json`; no text is stored.
`--held-out` trains nothing that ships: it judges whole families of systems with what was learned from the others, with
all signals and without groups of them; `--write` stores the figures in `benchmarks/agreement/held-out.json`, where
`research.agreement` finds them, `--check` fails where they differ.
Without the data it says so and does nothing. Run `make generate` and measure again afterwards."""

import argparse
import asyncio
import json
import sys
from pathlib import Path
from typing import Any

import numpy as np

from research.train_judge.acts import Side, fit_side, held_out_f1, labelled_acts
from research.train_judge.held_out import measure
from research.train_judge.marked import BY_FAMILY, Records, marked_replies, marked_users
from research.train_judge.ratings import agreement, by_family, fit_ratings, rated_reactions
from research.train_judge.replies import fit
from research.train_judge.states import Known, read_states
from research.train_judge.talk import LABELLED, RATED
from research.train_judge.varied import fit_varied
from service.judges.embedded.judge import revision
from service.judges.embedded.observations.acts.acts import PARTS, SATISFACTION, SIDES

ROOT = Path(__file__).resolve().parents[2]
ACTS = ROOT / "service/judges/embedded/observations/acts/acts.npz"
HELD_OUT = ROOT / "benchmarks" / "agreement" / "held-out.json"
WEIGHINGS = ROOT / "service/judges/embedded/rules"
NEEDED = (LABELLED, *RATED.values(), "crsarena_eval.dev.jsonl")


def main() -> int:
    """Train, print, and store where asked."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--acts", action="store_true", help="train acts and satisfaction too")
    parser.add_argument("--held-out", action="store_true", help="measure on what was held out, train nothing")
    parser.add_argument("--check", action="store_true", help="fail where the figures held out have changed")
    options = parser.parse_args()
    missing = [name for name in NEEDED if not (options.data / name).exists()]
    if missing:
        print(f"{options.data} does not hold {', '.join(missing)}: nothing was trained.")
        return 0
    if options.held_out:
        return held_out(options.data, write=options.write, check=options.check)
    if options.acts:
        known = read_states(options.data)
        stored, left_out = train_acts(options.data, known)
        if options.write:
            np.savez_compressed(ACTS, **stored)
            np.savez_compressed(BY_FAMILY, **left_out)
    else:
        print("acts stay as they are: no --acts was given")
    for kind, weighing in asyncio.run(train_replies(options.data)).items():
        told = ", ".join(f"{name} {value:.2f}" for name, value in weighing["weight"].items())
        print(f"{kind}: {told}")
        if options.write:
            (WEIGHINGS / f"{kind}.json").write_text(json.dumps(weighing, indent=1) + "\n", encoding="utf-8")
    return 0


def held_out(data: Path, *, write: bool, check: bool) -> int:
    """Measure on what was held out; 1 where a check finds other figures than those on file."""
    report = {"revision": revision(), "variants": asyncio.run(measure(data))}
    text = json.dumps(report, indent=1) + "\n"
    if check and (not HELD_OUT.exists() or HELD_OUT.read_text(encoding="utf-8") != text):
        print(f"stale: {HELD_OUT.name}; run with --held-out --write and commit the result")
        return 1
    if write:
        HELD_OUT.write_text(text, encoding="utf-8")
    elif not check:
        print(text)
    return 0


def train_acts(data: Path, known: Known) -> tuple[dict[str, Any], dict[str, Any]]:
    """The heads of both sides as they are stored, and that of satisfaction as it is learned without each family."""
    sides = {side: Side(labelled_acts(data, side), known) for side in SIDES}
    for name, side in sides.items():
        reached = held_out_f1(side)
        told = ", ".join(f"{label} {value:.2f}" for label, value in reached.by_label.items())
        print(f"acts of the {name}: macro-F1 {reached.macro:.3f} with whole conversations held out ({told})")
    rated = rated_reactions(data)
    heads = by_family(rated, known)
    for name in RATED:
        agrees = agreement(rated, known, heads, [each for each in heads if each.partition(" ")[0] == name])
        print(f"satisfaction, {name}: r {agrees:.3f} with single ratings, the family held out")
    given = {"user": {SATISFACTION: fit_ratings(rated, known)}, "reply": {}}
    stored: dict[str, Any] = {"usual": known.mean.astype(np.float32)}
    for name, side in sides.items():
        stored |= {f"{name}_{key}": value for key, value in fit_side(side, given[name]).items()}
    stored |= fit_varied(data, known)
    left_out = {
        f"{name} {key}": part[:, 0].astype(np.float32)
        for name, parts in heads.items()
        for key, part in zip(PARTS, parts, strict=True)
        if key != "before"
    }
    return stored, left_out


async def train_replies(data: Path) -> dict[str, dict[str, Any]]:
    """The weighings of replies, as they are stored."""
    records = Records.read(data)
    users = await marked_users(records)
    return {
        "relevance": fit([*await marked_replies(records, "relevance"), *users], "relevance"),
        "interest": fit(await marked_replies(records, "interest"), "interest"),
    }


if __name__ == "__main__":
    sys.exit(main())
