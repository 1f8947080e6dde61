"""List the replies that a detector knows already, so that training reads few of them.

    python -m research.detector.easy --corpus FILE... --data FOLDER --model FILE --out FILE

A faulty reply is easy if its fault gets most of the probability, and clearly more than the good reply in its place gets. A good
reply is easy if it is called good. `research.detector.train --easy FILE` reads the list."""
# mypy: disable-error-code="misc, no-any-return"

import json

import torch  # type: ignore[import-not-found]

from research.options import read_paths

from .export import arrays_of
from .network import Detector, loaded, pack
from .train import partner, trees
from .trees import GOOD, Tree

#: Probabilities from which a faulty and a good reply are easy, and the log odds by which the faulty one must be ahead.
FAULTY, FINE, AHEAD = 0.7, 0.6, 2.0


def easy(model: Detector, tree: Tree) -> list[int]:
    """Return the numbers of the tree's easy replies."""
    chances = model(pack([tree]))[0].float().log_softmax(-1)
    odds = chances[:, 1:].logsumexp(1) - chances[:, GOOD]
    good, found = partner(tree), []
    for n, node in enumerate(tree.nodes):
        if not node.classes:
            continue
        right = float(chances[n, sorted(node.classes)].logsumexp(0).exp())
        if GOOD in node.classes:
            is_easy = right > FINE
        else:
            is_easy = right > FAULTY and (
                node.message not in good or float(odds[n] - odds[good[node.message]]) > AHEAD
            )
        if is_easy:
            found.append(n)
    return found


def main() -> None:
    """Read the options and write the list."""
    asked = read_paths(__doc__, "corpus", "data", "model", "out")
    torch.set_num_threads(1)
    model = loaded(Detector(), arrays_of(torch.load(asked.model))).eval()
    with torch.inference_mode(), torch.autocast("cpu", dtype=torch.bfloat16):
        found = {tree.key: easy(model, tree) for tree in trees(asked.corpus, asked.data)[0]}
    asked.out.write_text(json.dumps(found), encoding="utf-8")


if __name__ == "__main__":
    main()
