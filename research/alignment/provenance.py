"""The report's words on the artefact: which it is, and whether training twice gives it twice."""

import json
from pathlib import Path

from service.alignment.implicit import FOLDER
from service.encoder.encoder import FOLDER as WEIGHTS

from .fingerprint import file_hash
from .ship import ENCODER


def ships() -> str:
    """The section on the artefact."""
    manifest = json.loads((FOLDER / "manifest.json").read_text("utf-8"))
    size = (WEIGHTS / "strategies.npz").stat().st_size / 1e6
    numbers = manifest["calibration"]
    return f"""
## What ships

Revision `{manifest["revision"]}` is the student of all dialogues, {size:.1f} MB of layers over the shared table of words. It is calibrated on the held-out utterances of all folds
and seeds (prior power {numbers["prior_power"]:g}, temperature {numbers["temperature"]:g}). It has seen every dialogue of the data, so nothing
can be measured on it there. The figures above are those of the folds' students, made the same way from
two thirds of the dialogues. `python -m benchmarks.alignment` measures its speed.

The service computes in float32, with the 8-bit weights of the student and a finer table of words (a scale for each word).
On the 3,624 utterances the likeliest strategy is that of the 8-bit ONNX file in 98.8 %, and having any strategy in
99.8 %. The figures above, of full precision and of 8 bits (the same accuracy), hold for it."""


def twice(work: Path, again: Path | None) -> str:
    """The section on whether a second run, whose folder is `again`, left the same. Links there stand for
    steps that were not gone through again."""
    if again is None:
        return "## The same weights again\n\nNot measured in this run: no second work folder was given."
    kinds = {"*.npy": "logits", "*.onnx": "8-bit students"}
    found = {kind: _compared(work, again, pattern) for pattern, kind in kinds.items()}
    told = ", ".join(f"{same} of {count} files of {kind}" for kind, (same, count) in found.items())
    encoder = file_hash(again / ENCODER) if (again / ENCODER).exists() else "not made"
    shipped = json.loads((FOLDER / "manifest.json").read_text("utf-8"))["student"]
    return f"""
## The same weights again

The same code ran a second time, on one thread of the same kind of processor. Each step began from the files of the
steps before it. Byte for byte the same: {told}. The file that the service's was packed from has the SHA-256
`{shipped}`; that of the second run
{"is the same" if encoder == shipped else f"is `{encoder}`"}. Another kind of processor may round otherwise. `manifest.json` holds the
hash of the code that made the encoder, and a test compares it with the code as it is."""


def _compared(work: Path, again: Path, pattern: str) -> tuple[int, int]:
    made = [path for path in sorted(again.glob(pattern)) if not path.is_symlink()]
    both = [(work / path.name, path) for path in made if (work / path.name).exists()]
    return sum(file_hash(one) == file_hash(other) for one, other in both), len(both)
