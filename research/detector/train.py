"""Train the detector.

    python -m research.detector.train --corpus FILE... --data FOLDER --out FOLDER [--seed N]

One step reads a few conversations with all their variants. Leaves `detector-SEED.pt` in the folder. Needs
requirements/training.txt."""
# mypy: disable-error-code="misc, no-any-return"

import argparse
import json
import random
import time
from collections import Counter
from pathlib import Path

import torch  # type: ignore[import-not-found]

from service.encoder.detector import PIECES

from .network import Detector, pack, pretrained
from .split import Split
from .spoilt import Stock, spoilt
from .trees import Tree, corpus, exchanged, longest, planted, real

#: The weight of a label by its origin.
WEIGHTS = {
    "original": 0.7,
    "none": 1.5,
    "swap": 1.0,
    "context": 1.5,
    "exchanged": 1.0,
    "real": 1.0,
    "rated": 1.0,
}
GOODISH = 0.15
#: The share of the time in which the rate rises.
WARM = 0.08
REACTING = 0.1
#: The share of trees that are moved, so that all places are known.
MOVED = 0.3


def trees(files: list[Path], data: Path, split: Split) -> tuple[list[Tree], list[Tree], list[Tree]]:
    """Return planted trees to learn from, those held out, and real ones to learn from."""
    learned: list[Tree] = []
    held: list[Tree] = []
    for source, row in corpus(files):
        tree = planted(source, row)
        (held if split.holds(source, row) else learned).append(tree)
    talk = []
    for name in ("crsarena_eval.dev", "iard"):
        for line in (data / f"{name}.jsonl").read_text(encoding="utf-8").splitlines():
            row = json.loads(line)
            if name == "iard" or not split.holds_real(row):
                talk += real(name, row, GOODISH)
    return learned, held, talk


def loss(
    model: Detector, part: list[Tree], shifts: list[int], smoothing: float
) -> tuple[torch.Tensor, float]:
    """Return the summed loss of the trees' labelled nodes, and their weight."""
    logits, reactions = model(pack(part, shifts))
    chances = logits.log_softmax(-1)
    total, weight = logits.new_zeros(()), 0.0
    smooth = chances.mean(-1)
    for number, node in enumerate(node for tree in part for node in tree.nodes):
        if node.classes is not None:
            counts = node.weight * WEIGHTS[node.kind]
            if len(node.classes) > 1:
                given = chances[number, sorted(node.classes)].logsumexp(0)
            else:
                given = (1 - smoothing) * chances[number, min(node.classes)] + smoothing * smooth[number]
            total, weight = total - counts * given, weight + counts
        if node.reaction is not None:
            total = total - REACTING * reactions[number].log_softmax(-1)[node.reaction]
    return total, weight


def varied(
    tree: Tree, replies: list[list[int]], stock: Stock, chance: random.Random, asked: argparse.Namespace
) -> Tree:
    """Return the tree with an exchanged reply and variants made by rule, where they fit."""
    found = spoilt(exchanged(tree, replies, chance, 1), chance, stock, asked.relations, asked.surfaces)
    return found if longest(found) <= PIECES else tree


def optimiser(model: Detector, asked: argparse.Namespace) -> torch.optim.Optimizer:
    """Return AdamW with a rate for the layers and one for what is new."""
    fresh: list[torch.Tensor] = []
    rest: list[torch.Tensor] = []
    for name, values in model.named_parameters():
        if values.requires_grad:
            (fresh if name.startswith(("evidence", "head", "reactions")) else rest).append(values)
    groups = [{"params": rest, "peak": asked.rate}, {"params": fresh, "peak": asked.head_rate}]
    return torch.optim.AdamW(groups, lr=asked.rate, weight_decay=0.01)


def order(
    learned: list[Tree],
    talk: list[Tree],
    seen: Counter[str],
    asked: argparse.Namespace,
    chance: random.Random,
) -> list[Tree]:
    """Return the trees of one epoch. Conversations that came later are read twice until they caught up."""
    most = max(seen.values(), default=0)
    found = [tree for tree in learned for _ in range(1 if seen[tree.name] == most else 2)]
    seen.update(tree.name for tree in found)
    found += chance.sample(talk, min(int(asked.talk * len(learned)), len(talk)))
    chance.shuffle(found)
    return found


def step(
    model: Detector, steps: torch.optim.Optimizer, part: list[Tree], shifts: list[int], smoothing: float
) -> float:
    """Learn from some trees; return the mean loss."""
    with torch.autocast("cpu", dtype=torch.bfloat16):
        value, weight = loss(model, part, shifts, smoothing)
    (value / (12 * len(part))).backward()
    torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    steps.step()
    steps.zero_grad(set_to_none=True)
    return float(value.detach()) / max(weight, 1e-6)


def shifted(tree: Tree, chance: random.Random) -> int:
    """Return by how many places a tree is moved: most stay at the start."""
    return chance.randrange(PIECES - longest(tree) + 1) if chance.random() < MOVED else 0


def train(asked: argparse.Namespace) -> None:
    """Train one seed for a number of minutes: the rate falls with the time. The corpus is read again in every epoch."""
    torch.set_num_threads(asked.threads)
    torch.manual_seed(asked.seed)
    chance = random.Random(asked.seed)
    model = pretrained(asked.dropout).train()
    if asked.start:
        model.load_state_dict(torch.load(asked.start), strict=False)
    steps, seen, count = optimiser(model, asked), Counter[str](), 0
    began, epoch, done = time.monotonic(), 0, 0.0
    while done < 1:
        learned, _, talk = trees(asked.corpus, asked.data, Split(asked.split))
        stock = Stock(learned)
        replies = [n.pieces for t in learned + talk for n in t.nodes if n.kind in ("original", "real")]
        this = order(learned, talk, seen, asked, chance)
        lost: list[float] = []
        for start in range(0, len(this), asked.batch):
            done = (time.monotonic() - began) / (60 * asked.minutes)
            if done >= 1:
                break
            part = [varied(tree, replies, stock, chance, asked) for tree in this[start : start + asked.batch]]
            for group in steps.param_groups:
                group["lr"] = group["peak"] * min(1, (done + 1e-3) / WARM, (1 - done) / (1 - WARM) + 0.01)
            lost.append(step(model, steps, part, [shifted(tree, chance) for tree in part], asked.smoothing))
            count += 1
            if count % 10 == 0:
                model.dropout.renew()
            if count % 25 == 0:
                print(f"{count} steps, {done:.1%}: {sum(lost[-25:]) / len(lost[-25:]):.3f}", flush=True)
        epoch += 1
        print(f"epoch {epoch}: {len(learned)} conversations, loss {sum(lost) / len(lost):.3f}", flush=True)
        torch.save(weights(model), asked.out / f"detector-{asked.name}.pt")


def weights(model: Detector) -> dict[str, torch.Tensor]:
    """Return the model's numbers by name, without the table of words."""
    return {name: values for name, values in model.state_dict().items() if not name.startswith("words.")}


def main() -> None:
    """Read the options and train."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--corpus", type=Path, nargs="+", required=True)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--name", default="0")
    parser.add_argument("--start", type=Path, help="a trained detector to go on from")
    parser.add_argument("--split", default="final")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--minutes", type=float, default=60)
    parser.add_argument("--batch", type=int, default=2)
    parser.add_argument("--rate", type=float, default=2e-4)
    parser.add_argument("--head-rate", type=float, default=2e-3)
    parser.add_argument("--dropout", type=float, default=0.1)
    parser.add_argument("--smoothing", type=float, default=0.05)
    parser.add_argument("--talk", type=float, default=0.5)
    parser.add_argument("--relations", type=int, default=3)
    parser.add_argument("--surfaces", type=int, default=1)
    parser.add_argument("--threads", type=int, default=2)
    train(parser.parse_args())


if __name__ == "__main__":
    main()
