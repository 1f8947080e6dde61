"""Measure a detector on domains that it has not seen: order of pairs, areas, and recall where good conversations stay clean.

    python -m research.detector.measure --corpus FILE... --data FOLDER --model FILE --out FILE

Calibration and thresholds are cross-fitted: chosen on one half of the held-out domains and of the good real conversations, measured
on the other. What ships is chosen on both. Writes the figures and what `research.detector.export` needs."""
# mypy: disable-error-code="misc, no-any-return"

import argparse
import json
import random
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import torch  # type: ignore[import-not-found]

from .export import unpacked
from .network import Detector, pack, pretrained
from .plain import Tables, plain
from .split import Split
from .thresholds import (
    BUDGET,
    COSTS,
    HOMES,
    LEAST_PRECISION,
    PRIOR,
    Calibration,
    Rows,
    calibrated,
    even,
    faulty,
    precision,
    single,
    thresholds,
)
from .train import trees
from .trees import FAULTS, GOOD, Tree, real

#: Faults that only what stands before a reply decides.
CONTEXTUAL = frozenset({
    "off-topic", "ignores-question", "wrong-kind", "wrong-addressee", "contradicts-user", "asks-known", "wrong-language",
    "breaks-constraint", "ignores-exclusion", "repeats-refused", "abandons", "declines", "not-corrected", "denies-error", "passive",
    "interrogates", "pushy", "unsafe",
})  # fmt: skip
#: Files of conversations with people's overall labels.
RATED = ("crsarena_eval.dev", "uss_redial.dev", "uss_sgd.dev", "uss_ccpe.dev", "cosrec.dev")
#: Conditions for reporting a fault, besides its precision: recall on domains not seen, and cases to know it by.
LEAST_RECALL, LEAST_CASES = 0.05, 8
#: Plain conversations to measure on.
PLAIN = 400
#: The most of their faulty replies that thresholds see, for each fault.
PLAIN_FAULTS = 60


@dataclass(frozen=True, slots=True)
class Reply:
    """A reply: where it is, how it came about, its class, and log odds of each fault against a good reply."""

    conversation: str
    domain: str
    message: int
    kind: str
    label: int
    odds: Rows


Talks = dict[str, list[list[Reply]]]


def read(model: Detector, tree: Tree) -> list[Reply]:
    """Return the labelled replies of a tree."""
    rows = model(pack([tree]))[0].double().numpy()
    return [
        Reply(tree.name, tree.domain, node.message, node.kind, min(node.classes), rows[n, 1:] - rows[n, 0])
        for n, node in enumerate(tree.nodes)
        if node.classes is not None
    ]


def overall(name: str, row: dict[str, Any]) -> float:
    """Return people's overall label of a real conversation; higher is better."""
    human = row["human"]
    if name.startswith("crsarena"):
        return float(human["dialogue"]["dialogue_overall"])
    if name.startswith("cosrec"):
        return float(np.mean([np.mean(each) for each in human["dialogue"].values()]))
    return float(np.mean(human["overall"]))


def good_talk(data: Path, name: str, split: Split) -> list[list[Tree]]:
    """Return the quarter of a file's conversations that people rate best, each as its windows."""
    rows = [json.loads(line) for line in (data / f"{name}.jsonl").read_text("utf-8").splitlines()]
    if name.startswith("crsarena"):
        rows = [row for row in rows if split.holds_real(row)]
    rows.sort(key=lambda row: (-overall(name, row), row["id"]))
    return [real(name, {**row, "human": {}}, 1.0) for row in rows[: len(rows) // 4]]


def area(good: Rows, bad: Rows) -> float | None:
    """Return the share of pairs in which the bad one has more, ties half; None without pairs."""
    if not len(good) or not len(bad):
        return None
    order = np.sort(good)
    below = np.searchsorted(order, bad, "left") + np.searchsorted(order, bad, "right")
    return float(below.mean() / (2 * len(good)))


@dataclass(frozen=True, slots=True)
class Measured:
    """Replies with their probabilities and what is reported."""

    replies: list[Reply]
    chances: Rows
    fired: Rows

    @property
    def labels(self) -> Rows:
        """The class of each reply."""
        return np.array([reply.label for reply in self.replies])


def half(name: str) -> int:
    """Return 0 or 1, the half that a domain or a conversation belongs to."""
    return zlib.crc32(f"half {name}".encode()) % 2


def odds(replies: Sequence[Reply]) -> Rows:
    """Return the log odds, a row a reply."""
    return np.array([reply.odds for reply in replies]).reshape(-1, len(FAULTS))


def sets(replies: Sequence[Reply], talk: Talks) -> dict[str, list[Rows]]:
    """Return the log odds of good conversations by set: the originals among the replies, and all real ones."""
    found: dict[str, list[Reply]] = {}
    for reply in replies:
        if reply.kind == "original":
            found.setdefault(reply.conversation, []).append(reply)
    given = {"synthetic": list(found.values()), "real": [each for talks in talk.values() for each in talks]}
    return {name: [odds(each) for each in talks if each] for name, talks in given.items()}


def fitted(
    replies: Sequence[Reply], talk: Talks, within: Sequence[int] | None = None
) -> tuple[Calibration, Rows]:
    """Return calibration and thresholds that these replies and good conversations choose."""
    labels = np.array([reply.label for reply in replies])
    found = calibrated(odds(replies), labels)
    good = {name: [found.chances(each) for each in talks] for name, talks in sets(replies, talk).items()}
    return found, thresholds(found.chances(odds(replies)), labels, good, within=within)


def parted(replies: list[Reply], talk: Talks, part: int) -> tuple[list[Reply], Talks]:
    """Return the replies and the real conversations of one half."""
    here = [reply for reply in replies if half(reply.domain) == part]
    return here, {
        name: [c for c in talks if c and half(c[0].conversation) == part] for name, talks in talk.items()
    }


def some_fault(replies: list[Reply], talk: Talks) -> dict[str, Any]:
    """Return the figures of the output for any fault, its threshold cross-fitted."""
    hits: list[bool] = []
    for part in (0, 1):
        those, here = parted(replies, talk, 1 - part), parted(replies, talk, part)[0]
        bad = faulty(odds([reply for reply in those[0] if reply.label]))
        good = {name: [faulty(each) for each in talks] for name, talks in sets(*those).items()}
        limit = single(bad, good)
        hits += (faulty(odds([reply for reply in here if reply.label])) >= limit).tolist()
    values, has = faulty(odds(replies)), np.array([reply.label != GOOD for reply in replies])
    slope, intercept = even(values, has)
    return {
        "slope": slope,
        "intercept": intercept,
        "area": area(values[~has], values[has]),
        "recall": float(np.mean(hits)),
    }


def crossed(
    replies: list[Reply], talk: Talks, within: Sequence[int] | None = None
) -> tuple[Measured, dict[str, list[Measured]]]:
    """Return what each half gets by what the other half chooses: replies, and good conversations by set."""
    found: list[Measured] = []
    real: dict[str, list[Measured]] = {name: [] for name in talk}
    for part in (0, 1):
        here, these = parted(replies, talk, part)
        calibration, limits = fitted(*parted(replies, talk, 1 - part), within)
        chances = calibration.chances(odds(here))
        found.append(Measured(here, chances, chances >= limits))
        for name, talks in these.items():
            for each in talks:
                chances = calibration.chances(odds(each))
                real[name].append(Measured(each, chances, chances >= limits))
    both = Measured(
        [*found[0].replies, *found[1].replies],
        np.concatenate([each.chances for each in found]), np.concatenate([each.fired for each in found]),
    )  # fmt: skip
    return both, real


def table(measured: Measured, real: Mapping[str, list[Measured]]) -> dict[str, dict[str, Any]]:
    """Return the figures of each fault."""
    labels, kinds = measured.labels, np.array([reply.kind for reply in measured.replies])
    expected = measured.chances @ COSTS
    originals = {
        (r.conversation, r.message): n for n, r in enumerate(measured.replies) if r.kind == "original"
    }
    good = labels == GOOD
    alarms = np.concatenate([measured.fired[good], *(m.fired for each in real.values() for m in each)])
    found = {}
    for fault, slug in enumerate(FAULTS):
        own = labels == fault + 1
        pairs = [
            (expected[n], expected[originals[r.conversation, r.message]])
            for n, r in enumerate(measured.replies)
            if own[n] and (r.conversation, r.message) in originals
        ]
        recall = float(measured.fired[own, fault].mean()) if own.any() else 0.0
        alarm, named = float(alarms[:, fault].mean()), measured.fired[:, fault] & ~good
        context = own & (kinds == "context")
        found[slug] = {
            "planted": int(own.sum()),
            "in_context_swaps": int(context.sum()),
            "area": area(measured.chances[good, fault], measured.chances[own, fault]),
            "pairs_in_order": float(np.mean([(a > b) + 0.5 * (a == b) for a, b in pairs])) if pairs else None,
            "recall": recall,
            "recall_in_context_swaps": float(measured.fired[context, fault].mean())
            if context.any()
            else None,
            "any_fault_reported": float(measured.fired[own].any(1).mean()) if own.any() else None,
            "false_alarms": alarm,
            "precision_at_prior": precision(recall, alarm) if recall else None,
            "named_right": float((labels[named] == fault + 1).mean()) if named.any() else None,
        }
    return found


def worth(rows: dict[str, dict[str, Any]]) -> list[int]:
    """Return the faults that are found often and surely enough to be reported."""
    return [
        number
        for number, row in enumerate(rows.values())
        if row["planted"] >= LEAST_CASES
        and row["recall"] >= LEAST_RECALL
        and (row["precision_at_prior"] or 0) >= LEAST_PRECISION
    ]


def summary(
    measured: Measured, real: Mapping[str, list[Measured]], rows: dict[str, dict[str, Any]]
) -> dict[str, Any]:
    """Return the figures over all faults."""
    labels, kinds = measured.labels, np.array([reply.kind for reply in measured.replies])
    cost, good = measured.chances @ COSTS, labels == GOOD
    contextual = np.array([r.label > 0 and FAULTS[r.label - 1] in CONTEXTUAL for r in measured.replies])
    told = [row for row in rows.values() if row["planted"]]
    clean: dict[str, list[bool]] = {}
    for reply, fired in zip(measured.replies, measured.fired, strict=True):
        if reply.kind == "original":
            clean.setdefault(reply.conversation, []).append(bool(fired.any()))
    weights = [row["planted"] for row in told]
    return {
        "replies": len(labels), "good_replies": int(good.sum()), "conversations": len(clean),
        "area_any": area(cost[good], cost[~good]),
        "area_context_swaps": area(cost[kinds == "original"], cost[kinds == "context"]),
        "area_contextual_swaps_against_reworded": area(cost[kinds == "none"], cost[(kinds == "swap") & contextual]),
        "pairs_in_order": float(np.average([row["pairs_in_order"] or 0.5 for row in told], weights=weights)),
        "recall": float(np.mean([row["recall"] for row in told])),
        "any_fault_reported": float(np.mean([row["any_fault_reported"] for row in told])),
        "alarmed_conversations": {
            "synthetic": float(np.mean([any(each) for each in clean.values()])),
            "real": float(np.mean([m.fired.any() for each in real.values() for m in each])),
            **{name: float(np.mean([m.fired.any() for m in each])) for name, each in real.items() if each},
        },
        "alarmed_reworded_replies": float(measured.fired[kinds == "none"].any(1).mean()),
    }  # fmt: skip


def gather(model: Detector, asked: argparse.Namespace) -> tuple[list[Reply], Talks, list[Reply]]:
    """Return the replies held out, those of good real conversations by file, and those of plain conversations held out."""
    split = Split(asked.split)
    with torch.inference_mode(), torch.autocast("cpu", dtype=torch.bfloat16):
        replies = [reply for tree in trees(asked.corpus, asked.data, split)[1] for reply in read(model, tree)]
        talk = {
            name: [
                [r for tree in each for r in read(model, tree)] for each in good_talk(asked.data, name, split)
            ]
            for name in asked.rated
        }
        tables, chance = Tables.read(held_out=True), random.Random(1)
        short = [reply for _ in range(PLAIN) for reply in read(model, plain(tables, chance))]
    return replies, talk, short


def of_plain(short: list[Reply], calibration: Calibration, limits: Rows) -> dict[str, Any]:
    """Return the figures of plain conversations, whose kinds of items and needs training has not seen."""
    values = odds(short)
    faulted: Rows = np.array([reply.label != GOOD for reply in short])
    fired: Rows = np.any(calibration.chances(values) >= limits, axis=1)
    return {
        "replies": len(short),
        "area": area(faulty(values[~faulted]), faulty(values[faulted])),
        "any_fault_reported": float(fired[faulted].mean()),
        "alarmed_good_replies": float(fired[~faulted].mean()),
    }


def thinned(short: list[Reply]) -> list[Reply]:
    """Return some replies of plain conversations: of each fault half as many as the corpus has, so that thresholds also see
    obvious faults."""
    found: dict[int, list[Reply]] = {}
    for reply in short:
        if reply.label and len(own := found.setdefault(reply.label, [])) < PLAIN_FAULTS:
            own.append(replace(reply, kind="plain"))
    return [reply for own in found.values() for reply in own]


def without_plain(measured: Measured) -> Measured:
    """Return the part that is no plain conversation."""
    own = np.array([reply.kind != "plain" for reply in measured.replies])
    return Measured(
        [reply for reply in measured.replies if reply.kind != "plain"],
        measured.chances[own],
        measured.fired[own],
    )


def study(replies: list[Reply], talk: Talks, short: list[Reply]) -> dict[str, Any]:
    """Return all figures: of every fault, then with thresholds for the faults worth reporting alone."""
    both = [*replies, *thinned(short)]
    every, real_ones = crossed(both, talk)
    within = worth(table(every, real_ones))
    again, real_again = crossed(both, talk, within)
    calibration, limits = fitted(both, talk, within)
    kept = set(worth(table(again, real_again))) & set(within)
    every, again = without_plain(every), without_plain(again)
    rows, first = table(again, real_again), table(every, real_ones)
    held = np.array([limit if n in kept else np.inf for n, limit in enumerate(limits)])
    shipped = {
        slug: {
            "slug": slug,
            "family": HOMES[n],
            "slope": calibration.slope,
            "intercept": float(calibration.intercepts[n]),
            "threshold": float(min(limits[n], 1.0)),
            "shipped": n in kept,
            "recall": rows[slug]["recall"] if n in kept else first[slug]["recall"],
            "false_alarms": rows[slug]["false_alarms"] if n in kept else first[slug]["false_alarms"],
            "planted": rows[slug]["planted"],
        }
        for n, slug in enumerate(FAULTS)
    }
    return {
        "prior": PRIOR, "budget": BUDGET, "shipped": list(shipped.values()), "any_fault": some_fault(replies, talk),
        "all_faults": {"summary": summary(every, real_ones, first), "faults": first},
        "worth_reporting": {"summary": summary(again, real_again, rows), "faults": rows},
        "plain": of_plain(short, calibration, held),
    }  # fmt: skip


def show(found: dict[str, Any]) -> None:
    """Print the figures."""

    def short(row: dict[str, Any]) -> dict[str, Any]:
        return {k: round(v, 4) if isinstance(v, float) else v for k, v in row.items()}

    kept = {row["slug"] for row in found["shipped"] if row["shipped"]}
    print("any", json.dumps(short(found["any_fault"])))
    print("plain", json.dumps(short(found["plain"])))
    for part in ("all_faults", "worth_reporting"):
        print(part, json.dumps(short(found[part]["summary"])))
    for slug, row in found["worth_reporting"]["faults"].items():
        first = found["all_faults"]["faults"][slug]
        print(
            f"{'*' if slug in kept else ' '} {slug:19}",
            *(f"{k[:12]}={short(row)[k]}" for k in row),
            f"all: {first['recall']:.2f}",
        )


def main() -> None:
    """Measure and write."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--corpus", type=Path, nargs="+", required=True)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--model", type=Path, required=True)
    parser.add_argument("--out", type=Path)
    parser.add_argument("--split", default="final")
    parser.add_argument("--rated", nargs="*", default=RATED)
    parser.add_argument("--threads", type=int, default=1)
    asked = parser.parse_args()
    torch.set_num_threads(asked.threads)
    model = pretrained()
    model.load_state_dict(unpacked(torch.load(asked.model)), strict=False)
    found = study(*gather(model.eval(), asked))
    show(found)
    if asked.out:
        asked.out.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
