"""Teach three layers to give the vectors of six.

    python -m research.encoder.distil --data FOLDER --work FOLDER

The three are the first, third and last of all-MiniLM-L6-v2, over the table of words as it ships. They learn the mean
of the last states from texts alone: single messages and whole turns of half of the texts at hand, no labels, no pairs
of texts. Leaves `meaning.npz` in the work folder, for `research.encoder.pack`, and `wanted.npy`, what the six layers
give, which a second run reads again. About ten minutes on one idle core that multiplies bfloat16.
Needs requirements/training.txt."""
# mypy: disable-error-code="misc, no-any-return"

import argparse
import random
from collections.abc import Iterator, Sequence
from itertools import groupby
from pathlib import Path

import numpy as np
import torch  # type: ignore[import-not-found]
from torch.nn import functional  # type: ignore[import-not-found]

from research.alignment.encoder import Classifier, load_tokenizer, padded, pretrained, tokens
from service.encoder.encoder import Floats

from .conversations import conversations
from .pack import pretrained_words, unpacked_words

KEPT = (0, 2, 5)
EPOCHS, BATCH, RATE = 2, 48, 3e-4
#: Texts learned from, texts held out to measure on, and the longest, in pieces.
LEARNED, HELD, LONGEST = 23_000, 1_500, 64
#: Batches whose texts are sorted by length together, and steps of warming up.
POOL, WARM = 40, 150


def texts(folder: Path) -> list[str]:
    """All messages, and all turns of several messages."""
    found = {""}
    for talk in conversations(folder):
        for _, part in groupby(talk.spoken, key=lambda each: each[0]):
            said = [text.strip() for _, text in part]
            found.update([*said, " ".join(said)])
    return sorted(found)


def student() -> Classifier:
    """The layers that are kept, over the table that ships. Its head is not used."""
    model = pretrained()
    model.words.weight.data = torch.from_numpy(unpacked_words(pretrained_words()))
    model.layers = torch.nn.ModuleList(model.layers[number] for number in KEPT)
    return model


def means(model: Classifier, ids: Sequence[Sequence[int]]) -> torch.Tensor:
    """The mean of the last states of each text."""
    given, mask = padded(ids)
    last = model.states(given, mask)[-1]
    weights = mask[:, :, None].to(last.dtype)
    return (last * weights).sum(1) / weights.sum(1)


def wanted(ids: Sequence[Sequence[int]], kept: Path) -> torch.Tensor:
    """Return what the six layers give for each text; read from the file `kept` where it stands."""
    if kept.exists():
        return torch.from_numpy(np.load(kept))
    model = pretrained().eval()
    order = sorted(range(len(ids)), key=lambda i: len(ids[i]))
    found = torch.zeros(len(ids), 384)
    with torch.inference_mode():
        for start in range(0, len(order), BATCH):
            part = order[start : start + BATCH]
            with torch.autocast("cpu", dtype=torch.bfloat16):
                found[part] = means(model, [ids[i] for i in part]).float()
    np.save(kept, found.numpy())
    return found.clone()


def batches(learned: list[int], ids: Sequence[Sequence[int]], chance: random.Random) -> Iterator[list[int]]:
    """One epoch: texts of a batch are of about one length."""
    chance.shuffle(learned)
    found = []
    for start in range(0, len(learned), BATCH * POOL):
        pool = sorted(learned[start : start + BATCH * POOL], key=lambda i: len(ids[i]))
        found += [pool[at : at + BATCH] for at in range(0, len(pool), BATCH)]
    chance.shuffle(found)
    yield from found


def loss(given: torch.Tensor, target: torch.Tensor, middle: torch.Tensor) -> torch.Tensor:
    """Directions, the likeness of a batch's texts to each other, and the plain distance."""
    one, other = (functional.normalize(rows - middle, dim=-1) for rows in (given, target))
    alike = ((one @ one.T - other @ other.T) ** 2).mean()
    return (
        (1 - (one * other).sum(-1)).mean() + 2 * alike + 0.5 * ((given - target) ** 2).mean() / target.var()
    )


def distil(ids: Sequence[Sequence[int]], target: torch.Tensor) -> tuple[Classifier, float]:
    """The taught layers, and their mean cosine with the six on texts held out; `target` is what the six give."""
    chance = random.Random(0)
    order = [i for i in range(len(ids)) if len(ids[i]) > 2]
    chance.shuffle(order)
    held, learned = order[:HELD], order[HELD : HELD + LEARNED]
    model, middle = student().train(), target.mean(0)
    optimiser = torch.optim.AdamW([p for p in model.parameters() if p.requires_grad], lr=RATE)
    steps, step = EPOCHS * (len(learned) // BATCH + 1), 0
    for epoch in range(EPOCHS):
        for part in batches(learned, ids, chance):
            for group in optimiser.param_groups:
                group["lr"] = RATE * min(1, (step + 1) / WARM) * max(0.02, 1 - step / steps)
            with torch.autocast("cpu", dtype=torch.bfloat16):
                given = means(model, [ids[i] for i in part]).float()
            error = loss(given, target[part], middle)
            optimiser.zero_grad(set_to_none=True)
            error.backward()
            optimiser.step()
            step += 1
        print(f"epoch {epoch + 1} of {EPOCHS}, last loss {float(error.detach()):.3f}", flush=True)
    model.eval()
    with torch.inference_mode():
        told = means(model, [ids[i] for i in held])
    return model, float(functional.cosine_similarity(told, target[held]).mean())


def weights(model: Classifier) -> dict[str, Floats]:
    """The model's numbers by name, without the table of words, the head, and places that no text reaches."""
    return {
        name: values.detach().numpy()[: LONGEST if name == "places.weight" else None]
        for name, values in model.state_dict().items()
        if not name.startswith(("words.", "head."))
    }


def main() -> None:
    """Teach, say how near it came, and store."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--work", type=Path, required=True)
    asked = parser.parse_args()
    torch.set_num_threads(1)
    torch.manual_seed(0)
    found = tokens(load_tokenizer(), texts(asked.data))
    ids = [each for each in found if len(each) < LONGEST]
    model, near = distil(ids, wanted(ids, asked.work / "wanted.npy"))
    print(f"mean cosine with the six layers, {HELD} texts held out: {near:.3f}")
    np.savez(asked.work / "meaning.npz", allow_pickle=False, **weights(model))


if __name__ == "__main__":
    main()
