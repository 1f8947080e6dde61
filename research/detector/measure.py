"""Measure a detector on domains that it has not seen: order of pairs, areas, and recall where good conversations stay clean.

    python -m research.detector.measure --corpus FILE... --data FOLDER --model FILE --out FILE

The calibration is cross-fitted: chosen on one half of the held-out domains, measured on the other. What ships is chosen on both.
Thresholds are those of `thresholds.REPORTED`. Writes the figures and what `research.detector.export` needs."""
# mypy: disable-error-code="misc, no-any-return"

import json
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch  # type: ignore[import-not-found]
from sklearn.metrics import roc_auc_score

from research.options import read_paths

from .export import arrays_of
from .network import Detector, loaded, pack
from .split import holds_real
from .thresholds import CATALOGUE, COSTS, HOMES, PRIOR, REPORTED, Calibration, Rows, calibrated, even, faulty
from .train import trees
from .trees import FAULTS, GOOD, Tree, real

#: Files of conversations with people's overall labels.
RATED = ("crsarena_eval.dev", "uss_redial.dev", "uss_sgd.dev", "uss_ccpe.dev", "cosrec.dev")
LIMITS = np.array([REPORTED.get(slug, np.inf) for slug in FAULTS])


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


def good_talk(data: Path, name: str) -> list[list[Tree]]:
    """Return the quarter of a file's conversations that people rate best, each as its windows."""
    rows = [json.loads(line) for line in (data / f"{name}.jsonl").read_text("utf-8").splitlines()]
    if name.startswith("crsarena"):
        rows = [row for row in rows if holds_real(row)]
    rows.sort(key=lambda row: (-overall(name, row), row["id"]))
    return [real(name, {**row, "human": {}}, 1.0) for row in rows[: len(rows) // 4]]


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


def calibration_of(replies: Sequence[Reply]) -> Calibration:
    """Return the calibration that these replies choose."""
    return calibrated(odds(replies), np.array([reply.label for reply in replies]))


def parted(replies: list[Reply], talk: Talks, part: int) -> tuple[list[Reply], Talks]:
    """Return the replies and the real conversations of one half."""
    here = [reply for reply in replies if half(reply.domain) == part]
    return here, {
        name: [c for c in talks if c and half(c[0].conversation) == part] for name, talks in talk.items()
    }


def crossed(replies: list[Reply], talk: Talks) -> tuple[Measured, dict[str, list[Measured]]]:
    """Return what each half gets by the calibration of the other: replies, and good conversations by set."""
    found: list[Measured] = []
    real: dict[str, list[Measured]] = {name: [] for name in talk}
    for part in (0, 1):
        here, these = parted(replies, talk, part)
        calibration = calibration_of(parted(replies, talk, 1 - part)[0])

        def measured(some: list[Reply], by: Calibration = calibration) -> Measured:
            chances = by.chances(odds(some))
            return Measured(some, chances, chances >= LIMITS)

        found.append(measured(here))
        for name, talks in these.items():
            real[name] += map(measured, talks)
    both = Measured(
        [*found[0].replies, *found[1].replies],
        np.concatenate([each.chances for each in found]), np.concatenate([each.fired for each in found]),
    )  # fmt: skip
    return both, real


def table(measured: Measured, real: dict[str, list[Measured]]) -> list[dict[str, Any]]:
    """Return the figures of each fault."""
    labels = measured.labels
    good = measured.fired[labels == GOOD]
    alarms = np.concatenate([good, *(m.fired for each in real.values() for m in each)])
    found = []
    for fault in range(len(FAULTS)):
        own = measured.fired[labels == fault + 1, fault]
        recall, alarm = float(own.mean()) if len(own) else 0.0, float(alarms[:, fault].mean())
        found.append({"planted": len(own), "recall": recall, "false_alarms": alarm})
    return found


def summary(
    measured: Measured, real: dict[str, list[Measured]], rows: list[dict[str, Any]]
) -> dict[str, Any]:
    """Return the figures over all faults."""
    cost, bad = measured.chances @ COSTS, measured.labels != GOOD
    kinds = np.array([reply.kind for reply in measured.replies])
    beside = np.isin(kinds, ["original", "context"])
    originals: dict[tuple[str, int], float] = {}
    clean: dict[str, list[bool]] = {}
    for reply, one, fired in zip(measured.replies, cost, measured.fired, strict=True):
        if reply.kind == "original":
            originals[reply.conversation, reply.message] = one
            clean.setdefault(reply.conversation, []).append(bool(fired.any()))
    pairs = [
        (one, originals[place])
        for reply, one in zip(measured.replies, cost, strict=True)
        if reply.label and (place := (reply.conversation, reply.message)) in originals
    ]
    return {
        "area_any": float(roc_auc_score(bad, cost)),
        "area_context_swaps": float(roc_auc_score(kinds[beside] == "context", cost[beside])),
        "pairs_in_order": float(np.mean([(a > b) + 0.5 * (a == b) for a, b in pairs])),
        "recall": float(np.mean([row["recall"] for row in rows if row["planted"]])),
        "alarmed_conversations": {
            "synthetic": float(np.mean([any(each) for each in clean.values()])),
            "real": float(np.mean([m.fired.any() for each in real.values() for m in each])),
            **{name: float(np.mean([m.fired.any() for m in each])) for name, each in real.items() if each},
        },
    }


def gather(model: Detector, files: list[Path], data: Path) -> tuple[list[Reply], Talks]:
    """Return the replies held out, and those of good real conversations by file."""
    with torch.inference_mode(), torch.autocast("cpu", dtype=torch.bfloat16):
        replies = [reply for tree in trees(files, data)[1] for reply in read(model, tree)]
        talk = {
            name: [[r for tree in each for r in read(model, tree)] for each in good_talk(data, name)]
            for name in RATED
        }
    return replies, talk


def area_twins(replies: list[Reply]) -> float:
    """Return the area under the curve of faulty replies against the same replies behind a message after which they are good."""
    places = {(reply.conversation, reply.message) for reply in replies if reply.kind == "twin"}
    found = [r for r in replies if r.kind in ("swap", "twin") and (r.conversation, r.message) in places]
    found = [r for r in found if r.label == GOOD or CATALOGUE[FAULTS[r.label - 1]].context]
    return float(roc_auc_score([r.label != GOOD for r in found], faulty(odds(found))))


def study(every_reply: list[Reply], talk: Talks) -> dict[str, Any]:
    """Return all figures. Twins are far rarer in production than here, so only their own figure counts them."""
    replies = [reply for reply in every_reply if reply.kind != "twin"]
    every, real_ones = crossed(replies, talk)
    calibration = calibration_of(replies)
    rows = table(every, real_ones)
    shipped = [
        {
            "slug": slug,
            "family": HOMES[n],
            "slope": calibration.slope,
            "intercept": float(calibration.intercepts[n]),
            "threshold": REPORTED.get(slug, 1.0),
            "shipped": slug in REPORTED,
            **rows[n],
        }
        for n, slug in enumerate(FAULTS)
    ]
    slope, intercept = even(faulty(odds(replies)), np.array([reply.label != GOOD for reply in replies]))
    return {
        "prior": PRIOR,
        "shipped": shipped,
        "any_fault": {"slope": slope, "intercept": intercept},
        "summary": {**summary(every, real_ones, rows), "area_twins": area_twins(every_reply)},
    }


def main() -> None:
    """Measure, print and write."""
    asked = read_paths(__doc__, "corpus", "data", "model", "out")
    torch.set_num_threads(1)
    model = loaded(Detector(), arrays_of(torch.load(asked.model))).eval()
    found = json.dumps(study(*gather(model, asked.corpus, asked.data)), indent=1)
    print(found)
    asked.out.write_text(found + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
