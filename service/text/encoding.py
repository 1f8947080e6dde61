"""Sentence encoders as the service runs them: ONNX, one text at a time, one thread.

One text at a time, because 8-bit activations are scaled over a whole batch: in a batch the same text would get a
slightly different answer beside other texts."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tokenizers import Tokenizer

#: The vocabulary of all-MiniLM-L6-v2, which every encoder here reads by.
TOKENIZER = Path(__file__).parents[1] / "alignment" / "model" / "tokenizer.json"


def load_encoder(model: Path, tokenizer: Path, tokens: int) -> "tuple[Any, Tokenizer]":
    """A session that takes `ids`, and the tokenizer that gives them, cut to so many word pieces."""
    # 50 ms and 30 MB that only who reads by an encoder needs.
    import onnxruntime
    from tokenizers import Tokenizer

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    session = onnxruntime.InferenceSession(str(model), options, providers=["CPUExecutionProvider"])
    pieces = Tokenizer.from_file(str(tokenizer))
    pieces.no_padding()
    pieces.enable_truncation(tokens)
    return session, pieces
