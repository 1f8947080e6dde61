"""Hashes of everything that the shipped encoder was made from: a test compares them with the code as it
is."""

import hashlib
from pathlib import Path

from tools.judge_revision import meaning_of

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
    """SHA-256 over the code that decides the weights, comments and docstrings left out."""
    digest = hashlib.sha256()
    for name in CODE:
        text = (ROOT / name).read_text(encoding="utf-8")
        code = meaning_of(text) if name.endswith(".py") else text
        digest.update(f"{name}\0{code}\0".encode())
    return digest.hexdigest()


def file_hash(path: Path) -> str:
    """SHA-256 of a file."""
    return hashlib.sha256(path.read_bytes()).hexdigest()
