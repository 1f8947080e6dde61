"""Write the sentence encoder that the judge may read with: all-MiniLM-L6-v2 up to its third layer, in 8 bits.

    pip install --require-hashes -r requirements/training.txt
    python -m research.train_judge.encoder

The acts are trained anew afterwards (`python -m research.train_judge --acts`), since they and the heads learn from its states."""
# mypy: disable-error-code="misc, no-any-return"

import tempfile
import warnings
from pathlib import Path

import torch  # type: ignore[import-not-found]
from crs_eval_encoder import MODEL
from onnxruntime.quantization import QuantType, quantize_dynamic  # type: ignore[import-untyped]
from torch import nn

from research.alignment.encoder import Classifier, pretrained
from research.alignment.export import OPSET, ServedLayer
from service.judges.embedded.observations.encoder import TOKENS

LAYERS = 3


class Served(nn.Module):
    """The lower layers for one text: word piece ids in, the mean of the last of their states out."""

    def __init__(self, model: Classifier) -> None:
        super().__init__()
        self.words, self.norm = model.words, model.norm
        self.places = nn.Parameter(model.places.weight.detach()[:TOKENS].clone())
        self.layers = nn.ModuleList(ServedLayer(layer) for layer in model.layers[:LAYERS])

    def forward(self, ids: torch.Tensor) -> torch.Tensor:
        """The state of the text with these ids, (HIDDEN,)."""
        states = self.norm(self.words(ids) + self.places[: ids.shape[0]])
        for layer in self.layers:
            states = layer(states)
        return states.mean(0)


def main() -> None:
    """Write the encoder. Weights keep 7 bits: without VNNI two products of 8 overflow."""
    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        whole = Path(folder) / "whole.onnx"
        torch.onnx.export(
            Served(pretrained()).eval(),
            (torch.arange(12),),
            str(whole),
            input_names=["ids"],
            output_names=["state"],
            dynamic_axes={"ids": {0: "words"}},
            opset_version=OPSET,
            dynamo=False,
        )
        quantize_dynamic(
            str(whole), str(MODEL), weight_type=QuantType.QInt8, per_channel=True, reduce_range=True
        )
    print(f"{MODEL.stat().st_size / 1e6:.1f} MB in {MODEL}")


if __name__ == "__main__":
    main()
