"""The sentence encoder that crs-eval's embedded judge may read with: where its files lie."""

from pathlib import Path

#: ONNX: `ids`, int64 (word pieces,), in; `state`, float32 (384,), out.
MODEL = Path(__file__).parent / "encoder.onnx"
#: What states mean, by side: labels, weights and bias of linear models, and the mean of the states.
HEADS = Path(__file__).parent / "heads.npz"
