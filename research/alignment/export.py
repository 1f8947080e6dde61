"""The trained student as the file that the service runs: ONNX, 8-bit weights, one text at a time.

One text at a time, because 8-bit activations are scaled over a whole batch: in a batch the same
reply would get a slightly different answer beside other replies."""
# mypy: disable-error-code="misc, no-any-return"

import tempfile
import warnings
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import onnxruntime
import torch  # type: ignore[import-not-found]
from numpy.typing import NDArray
from onnxruntime.quantization import QuantType, quantize_dynamic
from torch import nn
from torch.nn import functional  # type: ignore[import-not-found]

from .encoder import OUTPUTS, Classifier, Layer
from .recipe import HEADS, HIDDEN

OPSET = 17


class ServedLayer(nn.Module):
    """A layer with its three projections in one, their scale folded in."""

    def __init__(self, layer: Layer) -> None:
        super().__init__()
        scale = (HIDDEN // HEADS) ** -0.5
        parts = ((layer.query, scale), (layer.key, 1.0), (layer.value, 1.0))
        self.projections = nn.Linear(HIDDEN, 3 * HIDDEN)
        self.projections.weight = nn.Parameter(torch.cat([part.weight * s for part, s in parts]))
        self.projections.bias = nn.Parameter(torch.cat([part.bias * s for part, s in parts]))
        self.joined, self.attended = layer.joined, layer.attended
        self.wide, self.narrow, self.settled = layer.wide, layer.narrow, layer.settled

    def forward(self, states: torch.Tensor) -> torch.Tensor:
        """States of the next layer, (words, HIDDEN)."""
        split = self.projections(states).view(-1, 3, HEADS, HIDDEN // HEADS).permute(1, 2, 0, 3)
        q, k, v = split[0], split[1], split[2]
        mixed = ((q @ k.transpose(-1, -2)).softmax(-1) @ v).permute(1, 0, 2).reshape(-1, HIDDEN)
        states = self.attended(states + self.joined(mixed))
        return self.settled(states + self.narrow(functional.gelu(self.wide(states))))


class Served(nn.Module):
    """The classifier for one text: word piece ids in, OUTPUTS logits out."""

    def __init__(self, model: Classifier) -> None:
        super().__init__()
        self.words, self.norm, self.head = model.words, model.norm, model.head
        self.places = nn.Parameter(model.places.weight.detach()[:64].clone())
        self.layers = nn.ModuleList(ServedLayer(layer) for layer in model.layers)

    def forward(self, ids: torch.Tensor) -> torch.Tensor:
        """Logits of the text with these ids."""
        states = self.norm(self.words(ids) + self.places[: ids.shape[0]])
        for layer in self.layers:
            states = layer(states)
        return self.head(states.mean(0))


def save(model: Classifier, path: Path) -> None:
    """Write the model in 8 bits. Weights keep 7 of them: without VNNI two products of 8 overflow."""
    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        whole = Path(folder) / "whole.onnx"
        torch.onnx.export(
            Served(model).eval(),
            (torch.arange(12),),
            str(whole),
            input_names=["ids"],
            output_names=["logits"],
            dynamic_axes={"ids": {0: "words"}},
            opset_version=OPSET,
            dynamo=False,
        )
        quantize_dynamic(
            str(whole), str(path), weight_type=QuantType.QInt8, per_channel=True, reduce_range=True
        )


def served_logits(path: Path, ids: Sequence[Sequence[int]]) -> NDArray[np.float64]:
    """Logits of the written file, text by text, as the service asks it."""
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    session = onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
    found = np.zeros((len(ids), OUTPUTS))
    for row, one in enumerate(ids):
        found[row] = session.run(None, {"ids": np.array(one, dtype=np.int64)})[0]
    return found
