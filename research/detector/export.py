"""Pack a trained detector for the service.

    python -m research.detector.export --model FILE --measured FILE

Writes `detector.npz` (layers as 8-bit numbers, as `research.pack` has it) and `detector.json` (calibration,
thresholds and figures by fault) into `service/encoder/weights/`. Needs requirements/training.txt."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import torch  # type: ignore[import-not-found]

from research.options import read_paths
from research.pack import LAYER_STEPS, Arrays, packed, save, stack_of_torch
from service.encoder.detector import ACTS
from service.encoder.encoder import FOLDER

from .network import Detector, loaded, pack
from .trees import real

ROOT = Path(__file__).parents[2]


def arrays_of(weights: dict[str, Any]) -> Arrays:
    """Return the arrays of `detector.npz` from a trained model's numbers by name."""
    given = {
        name: values.float().numpy() for name, values in weights.items() if not name.startswith("words.")
    }
    found = stack_of_torch(given)
    found["places"] = found["places"].astype(np.float16)
    found["sides"] = given["sides.weight"].astype(np.float32)
    for name in ("evidence", "head"):
        steps, scale = packed(given[f"{name}.weight"].T, LAYER_STEPS, 0)
        found |= {f"{name}.steps": steps, f"{name}.scale": scale, f"{name}.bias": given[f"{name}.bias"]}
    for side in ACTS if "user.weight" in given else ():
        found |= {f"{side}.weight": given[f"{side}.weight"].T, f"{side}.bias": given[f"{side}.bias"]}
    return {name: np.ascontiguousarray(values) for name, values in found.items()}


def described(measured: dict[str, Any]) -> dict[str, Any]:
    """Return `detector.json`: a row for each fault, in the order of the head."""

    def short(row: dict[str, Any]) -> dict[str, Any]:
        return {key: round(value, 5) if isinstance(value, float) else value for key, value in row.items()}

    some = {key: measured["any_fault"][key] for key in ("slope", "intercept")}
    return {"any": short(some), "faults": [short(row) for row in measured["shipped"]]}


#: Conversations whose log odds the tests keep, as torch computes them from the packed weights.
GOLDEN = ROOT / "tests/unit/encoder/detector_logits.json"
TALK = (
    (("user", "any calm film for tonight? no horror"), ("assistant", "Try The Quiet Harbour, a slow drama by the sea."),
     ("user", "seen it, something else?"), ("assistant", "The Quiet Harbour is great! It is a slow drama by the sea.")),
    (("assistant", "Hi! What do you need?"), ("user", "zelt für 2, bis 150 €"), ("assistant", "{{item_name}} costs 310 €.")),
    (("user", "a " * 90), *(("assistant", "It was directed by a Dane. " * 12), ("user", "and then? " * 20)) * 6, ("assistant", "No.")),
)  # fmt: skip


def logits(weights: dict[str, Any]) -> list[list[list[float]]]:
    """Return log odds of each fault against a good reply, for every reply of the conversations."""
    model = loaded(Detector(), arrays_of(weights)).eval()
    found = []
    for number, talk in enumerate(TALK):
        row = {"id": str(number), "messages": [{"role": role, "content": text} for role, text in talk]}
        replies: list[list[float]] = []
        for tree in real("golden", row, 1.0):
            rows = model(pack([tree]))[0].numpy()
            replies += [
                np.round(rows[n, 1:] - rows[n, 0], 4).tolist()
                for n, node in enumerate(tree.nodes)
                if node.classes
            ]
        found.append(replies)
    return found


def main() -> None:
    """Write both files, and what the tests compare them with."""
    asked = read_paths(__doc__, "model", "measured")
    weights = torch.load(asked.model)
    save(FOLDER / "detector.npz", arrays_of(weights))
    with torch.inference_mode():
        kept = [{"messages": talk, "odds": odds} for talk, odds in zip(TALK, logits(weights), strict=True)]
    GOLDEN.write_text(json.dumps(kept) + "\n", encoding="utf-8")
    text = json.dumps(described(json.loads(asked.measured.read_text("utf-8"))), indent=1)
    (FOLDER / "detector.json").write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
