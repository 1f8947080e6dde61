"""What the shipped encoder was made from, as hashes: a test compares them with the code as it is."""

import hashlib
from pathlib import Path

ROOT = Path(__file__).parent.parent.parent
CODE = (
    "research/alignment/recipe.py",
    "research/alignment/corpus.py",
    "research/alignment/encoder.py",
    "research/alignment/tuning.py",
    "research/alignment/frozen.py",
    "research/alignment/train.py",
    "research/alignment/export.py",
    "research/alignment/requirements.in",
    "service/alignment/utterance.py",
)
"""Everything that decides the weights, save the data and the pretrained encoder."""


def code_hash() -> str:
    """SHA-256 over the code that decides the weights."""
    digest = hashlib.sha256()
    for name in CODE:
        digest.update(name.encode() + b"\0" + (ROOT / name).read_bytes() + b"\0")
    return digest.hexdigest()


def file_hash(path: Path) -> str:
    """SHA-256 of a file."""
    return hashlib.sha256(path.read_bytes()).hexdigest()
