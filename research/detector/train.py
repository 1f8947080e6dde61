"""Train the detector.

    python -m research.detector.train --corpus FILE... --data FOLDER --out FOLDER [--device cuda --workers 14 --batch 12]

One step reads a few conversations with all their variants. Processes of their own prepare them. Leaves `detector-NAME.pt` in the folder:
the mean of the weights over the last steps. Needs requirements/training.txt."""
# mypy: disable-error-code="misc, no-any-return"

import argparse
import copy
import json
import math
import random
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import torch  # type: ignore[import-not-found]
from torch.nn import functional  # type: ignore[import-not-found]
from torch.utils.data import DataLoader, IterableDataset, get_worker_info  # type: ignore[import-not-found]

from service.encoder.detector import PIECES

from .comparisons import SOURCE, blocks
from .network import MANY, TOGETHER, Detector, Packed, moved, pack, pretrained, shipped
from .split import holds, holds_real
from .spoilt import Stock, disguised, spoilt
from .trees import (
    CLASS,
    GOOD,
    Replies,
    Tree,
    corpus,
    exchanged,
    labelled,
    longest,
    planted,
    real,
    thinned,
)

#: The weight of a label by its origin.
WEIGHTS = {
    "original": 0.7,
    "none": 1.5,
    "twin": 1.5,
    "swap": 1.0,
    "context": 1.5,
    "exchanged": 1.0,
    "real": 1.0,
    "rated": 1.0,
}
GOODISH = 0.15
#: Our labels of real film talk.
FILMS = Path(__file__).parent / "film_faults.jsonl"
#: The number of times that an epoch reads a conversation with such labels.
TIMES = 3
SHIPPED = "shipped"
#: The share of the time in which the rate rises.
WARM = 0.06
REACTING = 0.1
#: The rate of what is new.
HEAD_RATE = 2e-3
#: Seconds between two copies of the weights.
EVERY = 60.0
#: The share of a certain label's weight that goes to all classes.
SMOOTHING = 0.05
#: The decay of the mean of the weights.
MEAN = 0.999
#: The share of trees that are moved, so that all places are known.
MOVED = 0.3


def trees(files: list[Path], data: Path) -> tuple[list[Tree], list[Tree], list[Tree]]:
    """Return planted trees to learn from, those held out, and real ones to learn from."""
    learned: list[Tree] = []
    held: list[Tree] = []
    for source, row in corpus(files):
        (held if holds(source, row) else learned).append(planted(source, row))
    labels = {row["id"]: row for row in map(json.loads, FILMS.read_text(encoding="utf-8").splitlines())}
    talk = []
    for name in ("crsarena_eval.dev", "iard"):
        for line in (data / f"{name}.jsonl").read_text(encoding="utf-8").splitlines():
            row = json.loads(line)
            if name == "iard" or not holds_real(row):
                talk += real(name, row, GOODISH)
                if row["id"] in labels:
                    learned += [labelled(name, row, labels[row["id"]])] * TIMES
    return learned, held, talk


@dataclass(slots=True)
class Batch:
    """Some trees and their labels as tensors."""

    packed: Packed
    labelled: torch.Tensor  # nodes with a label
    possible: torch.Tensor  # (labelled, classes): those that a node may have
    single: torch.Tensor  # whether it is one alone
    weights: torch.Tensor
    reacting: torch.Tensor  # nodes with a reaction
    reactions: torch.Tensor
    pairs: torch.Tensor  # (pairs, 2): a faulty reply and the good one in its place


def partner(tree: Tree) -> dict[int, int]:
    """Return a good reply of the tree by its place, the conversation's own where it is good."""
    return {
        node.message: n
        for n, node in sorted(enumerate(tree.nodes), key=lambda each: each[1].kind != "none")
        if node.kind in ("none", "original", "real", "rated") and node.classes == frozenset({GOOD})
    }


def batch(part: Sequence[Tree], shifts: Sequence[int], together: int) -> Batch:
    """Return trees side by side as tensors."""
    nodes = [node for tree in part for node in tree.nodes]
    labelled = [n for n, node in enumerate(nodes) if node.classes is not None]
    possible = torch.zeros(len(labelled), len(CLASS))
    for row, n in enumerate(labelled):
        possible[row, sorted(nodes[n].classes or ())] = 1
    pairs, base = [], 0
    for tree in part:
        good = partner(tree)
        faulty = {
            n: node
            for n, node in enumerate(tree.nodes)
            if node.kind in ("swap", "context", "exchanged") and GOOD not in (node.classes or (GOOD,))
        }
        pairs += [(base + n, base + good[node.message]) for n, node in faulty.items() if node.message in good]
        same = {(node.message, tuple(node.pieces)): n for n, node in faulty.items() if node.kind == "swap"}
        pairs += [
            (base + same[key], base + n)
            for n, node in enumerate(tree.nodes)
            if node.kind in ("none", "twin") and (key := (node.message, tuple(node.pieces))) in same
        ]
        base += len(tree.nodes)
    reacting = [n for n, node in enumerate(nodes) if node.reaction is not None]
    return Batch(
        pack(part, shifts, together),
        torch.tensor(labelled),
        possible,
        possible.sum(1) == 1,
        torch.tensor([nodes[n].weight * WEIGHTS[nodes[n].kind] for n in labelled]),
        torch.tensor(reacting, dtype=torch.long),
        torch.tensor([nodes[n].reaction for n in reacting], dtype=torch.long),
        torch.tensor(pairs, dtype=torch.long).view(-1, 2),
    )


def loss(model: Detector, given: Batch, asked: argparse.Namespace) -> torch.Tensor:
    """Return the loss by tree: of the labels, of the order of pairs, and of the users' reactions."""
    logits, reactions = model(given.packed)
    chances = logits.log_softmax(-1)[given.labelled]
    found = (chances + given.possible.log().clamp(min=-1e4)).logsumexp(1)
    smooth = torch.where(given.single, SMOOTHING, 0.0)
    labels = ((1 - smooth) * found + smooth * chances.mean(1)) * given.weights
    total = -labels.sum()
    odds = logits[:, 1:].logsumexp(1) - logits[:, GOOD]
    total = (
        total + asked.pairs * functional.softplus(1 + odds[given.pairs[:, 1]] - odds[given.pairs[:, 0]]).sum()
    )
    reacted = reactions.log_softmax(-1)[given.reacting].gather(1, given.reactions[:, None])
    return total - REACTING * reacted.sum()


class Batches(IterableDataset):
    """Batches without an end: the corpus over and over, with other variants every time."""

    def __init__(self, asked: argparse.Namespace) -> None:
        self.asked = asked

    def __iter__(self) -> Iterator[Batch]:
        worker = get_worker_info()
        torch.set_num_threads(1)
        asked, chance = self.asked, random.Random(self.asked.seed * 1000 + (worker.id if worker else 0))
        learned, _, talk = trees(asked.corpus, asked.data)
        easy = json.loads(asked.easy.read_text(encoding="utf-8")) if asked.easy else {}
        for tree in learned:
            for n in easy.get(tree.key, ()):
                tree.nodes[n].easy = True
        stock = Stock(learned)
        replies = Replies(learned + talk)
        compared = [block for block in blocks() if not block.held] * asked.comparisons
        while True:
            found = [kept for tree in learned if (kept := thinned(tree, chance))]
            found += [block.tree(chance) for block in compared]
            found += chance.sample(talk, min(int(asked.talk * len(found)), len(talk)))
            chance.shuffle(found)
            for start in range(0, len(found), asked.batch):
                part = [
                    varied(tree, replies, stock, chance, asked) for tree in found[start : start + asked.batch]
                ]
                yield batch(
                    part,
                    [shifted(tree, chance) for tree in part],
                    TOGETHER if asked.device == "cpu" else MANY,
                )


def varied(
    tree: Tree, replies: Replies, stock: Stock, chance: random.Random, asked: argparse.Namespace
) -> Tree:
    """Return the tree with exchanged replies and variants made by rule, where they fit."""
    if tree.source == SOURCE:
        return tree
    own = disguised(tree, chance, stock) if chance.random() < asked.disguised else tree
    found = spoilt(exchanged(own, replies, chance, asked.exchanged), chance, stock, asked.relations)
    return found if longest(found) <= PIECES else own


def shifted(tree: Tree, chance: random.Random) -> int:
    """Return by how many places a tree is moved: most stay at the start."""
    return chance.randrange(PIECES - longest(tree) + 1) if chance.random() < MOVED else 0


def optimiser(model: Detector, asked: argparse.Namespace) -> torch.optim.Optimizer:
    """Return AdamW with a rate for the layers and one for what is new."""
    fresh: list[torch.Tensor] = []
    rest: list[torch.Tensor] = []
    for name, values in model.named_parameters():
        if values.requires_grad:
            (fresh if name.startswith(("evidence", "head", "reactions")) else rest).append(values)
    groups = [{"params": rest, "peak": asked.rate}, {"params": fresh, "peak": HEAD_RATE}]
    return torch.optim.AdamW(groups, lr=asked.rate, weight_decay=asked.decay, fused=True)


def train(asked: argparse.Namespace) -> None:
    """Train for a number of minutes: the rate falls with the time."""
    torch.manual_seed(asked.seed)
    random.seed(asked.seed)
    model = (shipped if asked.start else pretrained)(asked.dropout, asked.blank).train()
    if asked.start and asked.start != SHIPPED:
        model.load_state_dict(torch.load(asked.start), strict=False)
    model.to(asked.device)
    used, mean = copy.deepcopy(model), copy.deepcopy(model).requires_grad_(False)
    used.layers.bfloat16()  # half the memory to move; the numbers that are learned keep their precision
    learned = [
        pair for pair in zip(model.parameters(), used.parameters(), strict=True) if pair[0].requires_grad
    ]
    steps, lost = optimiser(model, asked), 0.0
    began = looked = time.monotonic()
    batches = DataLoader(
        Batches(asked), None, num_workers=asked.workers, prefetch_factor=6 if asked.workers else None
    )
    for count, given in enumerate(batches, 1):
        done = (time.monotonic() - began) / (60 * asked.minutes)
        if done >= 1:
            break
        for group in steps.param_groups:
            group["lr"] = group["peak"] * min(
                1, (done + 1e-3) / WARM, 0.5 + 0.5 * math.cos(math.pi * done) + 0.01
            )
        value = loss(used, moved(given, asked.device), asked) / (12 * asked.batch)
        value.backward()
        for own, copied in learned:
            own.grad, copied.grad = copied.grad.float(), None
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        steps.step()
        with torch.no_grad():
            for own, copied in learned:
                copied.copy_(own)
            share = min(MEAN, (1 + count) / (10 + count))
            torch._foreach_lerp_(list(mean.parameters()), list(model.parameters()), 1 - share)
        if count % 50 == 0:
            lost = 0.8 * lost + 0.2 * float(value.detach())
        if time.monotonic() - looked > EVERY:
            looked = time.monotonic()
            torch.save(weights(mean), asked.out / f"detector-{asked.name}.pt")
            print(f"{asked.name}: {count} steps, {done:.0%}, loss {lost:.3f}", flush=True)
    torch.save(weights(mean), asked.out / f"detector-{asked.name}.pt")


def weights(model: Detector) -> dict[str, torch.Tensor]:
    """Return the model's numbers by name, halved in size, without the table of words."""
    return {
        name: values.half().cpu()
        for name, values in model.state_dict().items()
        if not name.startswith("words.")
    }


def main() -> None:
    """Read the options and train."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--corpus", type=Path, nargs="+", required=True)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--name", default="0")
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--workers", type=int, default=1, help="processes that prepare conversations")
    parser.add_argument("--start", help=f"a trained detector to go on from, or {SHIPPED!r}")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--minutes", type=float, default=60)
    parser.add_argument("--batch", type=int, default=2)
    parser.add_argument("--rate", type=float, default=2e-4)
    parser.add_argument("--decay", type=float, default=0.01)
    parser.add_argument("--dropout", type=float, default=0.1)
    parser.add_argument(
        "--blank", type=float, default=0.0, help="the share of word pieces that are blanked out"
    )
    parser.add_argument(
        "--pairs", type=float, default=0.0, help="the weight of the order of a faulty and a good reply"
    )
    parser.add_argument("--talk", type=float, default=0.5)
    parser.add_argument(
        "--disguised",
        type=float,
        default=0.0,
        help="the share of conversations that get other names and amounts",
    )
    parser.add_argument(
        "--exchanged", type=int, default=1, help="replies of other conversations in each tree"
    )
    parser.add_argument("--easy", type=Path, help="replies to read seldom, by research.detector.easy")
    parser.add_argument("--relations", type=int, default=3)
    parser.add_argument(
        "--comparisons", type=int, default=1, help="how often an epoch reads each block of comparisons"
    )
    train(parser.parse_args())


if __name__ == "__main__":
    main()
