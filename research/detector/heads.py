"""Fit the heads of acts over a trained detector: what a message does, from the layers' own view of it.

    python -m research.detector.heads --corpus FILE... --data FOLDER --model FILE --out FILE

Labels come from IARD's acts, and from the corpus. A reply that does not correct an error follows a user who objects. Replies
with some faults offer an item, and those with others only ask. Logistic regression; held-out figures are printed."""
# mypy: disable-error-code="misc, no-any-return"

import argparse
import json
from collections.abc import Iterator
from typing import Any

import numpy as np
import torch  # type: ignore[import-not-found]
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score

from research.options import read_paths
from service.encoder.detector import ACTS

from .export import arrays_of
from .network import Detector, loaded, pack, swift
from .split import holds_real
from .train import trees
from .trees import FAULTS, GOOD, Node, Tree, real

Rows = Any
#: Faults whose replies offer an item, and those whose replies do not.
OFFERS = frozenset(
    {"no-reason", "generic-reason", "breaks-constraint", "ignores-exclusion", "repeats-refused", "wrong-kind"}
)
HOLDS_BACK = frozenset({"passive", "interrogates", "asks-known", "declines", "abandons", "never-delivers"})
OBJECTED = frozenset({"not-corrected", "denies-error"})
SUB_ACTS = {"recommends": {"REC-S", "REC-E"}, "explains": {"EXP-I", "EXP-P", "EXP-S"}}
L2 = 3.0
#: Of the conversations to learn from, one in so many is read.
ONE_IN = 3


def inner(model: Detector, tree: Tree) -> Rows:
    """Return what the heads read of each node, (nodes, 256)."""
    kept: list[torch.Tensor] = []
    hook = model.evidence.register_forward_hook(lambda _module, _given, out: kept.append(swift(out)))
    model(pack([tree]))
    hook.remove()
    return kept[0].float().numpy()


def of_corpus(tree: Tree) -> Iterator[tuple[str, int, float]]:
    """Yield an act, a node of the tree and whether the node does it."""
    objecting, offering = set(), set()
    for number, node in enumerate(tree.nodes):
        slugs = {FAULTS[one - 1] for one in node.classes or () if one}
        if slugs & OBJECTED:
            objecting.add(_request(tree, number))
        if slugs & HOLDS_BACK:
            yield "recommends", number, 0.0
        if slugs & OFFERS:
            yield "recommends", number, 1.0
            offering.add((node.parent, node.message))
    for number, node in enumerate(tree.nodes):
        before = tree.nodes[node.parent].classes if node.parent >= 0 else None
        if node.is_user and number > 0 and (number in objecting or not before or GOOD in before):
            yield "objects", number, float(number in objecting)
        if node.kind == "original" and (node.parent, node.message) in offering:
            yield "recommends", number, 1.0


def _request(tree: Tree, number: int) -> int:
    at = tree.nodes[number].parent
    while at >= 0 and not tree.nodes[at].is_user:
        at = tree.nodes[at].parent
    return at


def of_acts(node: Node, acts: list[str]) -> Iterator[tuple[str, float]]:
    """Yield the acts that IARD says a message does, or does not."""
    for act in ACTS["user" if node.is_user else "reply"]:
        if act in SUB_ACTS:
            yield act, float(not SUB_ACTS[act].isdisjoint(acts))


def gather(model: Detector, asked: argparse.Namespace) -> dict[str, tuple[Rows, ...]]:
    """Return by act the rows, the labels, and which are held out."""
    found: dict[str, list[tuple[Rows, float, bool]]] = {act: [] for side in ACTS.values() for act in side}
    learned, held, _ = trees(asked.corpus, asked.data)
    for tree, out in [*((each, False) for each in learned[::ONE_IN]), *((each, True) for each in held)]:
        rows = inner(model, tree)
        for act, number, label in of_corpus(tree):
            found[act].append((rows[number], label, out))
    for line in (asked.data / "iard.jsonl").read_text("utf-8").splitlines():
        row = json.loads(line)
        for tree in real("iard", row, 1.0):
            rows, out = inner(model, tree), holds_real({"id": str(row["id"])})
            for number, node in enumerate(tree.nodes):
                acts = row["messages"][node.message].get("sub_acts") or []
                for act, label in of_acts(node, acts):
                    found[act].append((rows[number], label, out))
    return {act: tuple(map(np.array, zip(*rows, strict=True))) for act, rows in found.items()}


def main() -> None:
    """Fit, print held-out figures, and write the weights into the model's file."""
    asked = read_paths(__doc__, "corpus", "data", "model")
    torch.set_num_threads(1)
    weights = torch.load(asked.model)
    model = loaded(Detector(), arrays_of(weights))
    with torch.inference_mode(), torch.autocast("cpu", dtype=torch.bfloat16):
        found = gather(model.eval(), asked)
    for side, acts in ACTS.items():
        columns = []
        for act in acts:
            rows, labels, out = found[act]
            fitted = LogisticRegression(C=1 / L2, class_weight="balanced", max_iter=1000)
            fitted.fit(rows[~out], labels[~out])
            odds = fitted.decision_function(rows[out])
            area, right = roc_auc_score(labels[out], odds), ((odds > 0) == labels[out]).mean()
            print(
                f"{act:12} n {len(labels)}, positive {labels.mean():.2f}, held out: area {area:.3f}, right {right:.3f}"
            )
            columns.append((fitted.coef_[0], float(fitted.intercept_[0])))
        weights[f"{side}.weight"] = torch.tensor(np.array([own for own, _ in columns]), dtype=torch.float32)
        weights[f"{side}.bias"] = torch.tensor([bias for _, bias in columns], dtype=torch.float32)
    torch.save(weights, asked.model)


if __name__ == "__main__":
    main()
