"""Vectors of the shipped encoder."""

import json
import os
import subprocess
import sys
import zlib
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

from service.encoder.encoder import FOLDER, PASS, Encoder, strategies

ROOT = Path(__file__).parents[3]
GOLDEN = Path(__file__).parent / "vectors.json"
TEXTS = [
    "How about The Quiet Harbour? It is a calm drama by the sea.",
    "what kind of movies do you like",
    "No.",
    "",
    "Ich mag ruhige Filme, 電影 😀",
    "It was directed by a Dane and won a prize for its music. " * 12,
]
NUMBERS = 8
"""Numbers of a vector that the golden file keeps."""


@pytest.fixture(scope="module")
def encoder() -> Encoder:
    return strategies()


def test_vectors_are_those_on_file(encoder: Encoder) -> None:
    found = encoder.encode(TEXTS)[:, :NUMBERS]
    if os.environ.get("UPDATE_GOLDEN"):
        GOLDEN.write_text(json.dumps(np.round(found, 5).tolist()) + "\n", encoding="utf-8")
    assert found == pytest.approx(np.array(json.loads(GOLDEN.read_text("utf-8"))), abs=1e-3)


@pytest.mark.slow
def test_a_text_has_one_vector_whatever_stands_beside_it(encoder: Encoder) -> None:
    texts = [*TEXTS, *(f"Have you seen number {n}? It plays in a harbour." for n in range(PASS // 4))]
    together = encoder.encode(texts)
    assert together.dtype == np.float32
    assert together.shape == (len(texts), 384)
    alone = np.vstack([encoder.encode([text]) for text in texts])
    assert together == pytest.approx(alone, abs=1e-4)


def test_no_text_is_no_vector(encoder: Encoder) -> None:
    assert encoder.encode([]).shape == (0, 384)


@pytest.mark.parametrize("text", ["", " ", "\x00", "\ud800", "😀" * 400, "x" * 500_000, "a film " * 100_000])
def test_any_text_has_a_vector(encoder: Encoder, text: str) -> None:
    assert np.isfinite(encoder.encode([text])).all()


def test_a_long_text_is_read_in_stretches(encoder: Encoder) -> None:
    first, second = "a calm film by the sea " * 10, "two angry robots fight in space " * 10
    one, both = encoder.encode([first + second], stretches=1), encoder.encode([first + second])
    assert np.abs(one - both).max() > 0.1
    # The first stretch is cut where 62 pieces are reached, so that its mean is not quite that of the first half.
    assert np.corrcoef(one[0], encoder.encode([first], stretches=1)[0])[0, 1] > 0.95


def test_threads_give_the_same_vectors() -> None:
    shared, alone = Encoder("strategies"), Encoder("strategies").encode(TEXTS)
    with ThreadPoolExecutor(4) as pool:
        assert all((found == alone).all() for found in pool.map(shared.encode, [TEXTS] * 4))


def run(script: str, **environment: str) -> bytes:
    """Return what a script prints in a process of its own."""
    command = [sys.executable, "-c", script]
    done = subprocess.run(
        command, cwd=ROOT, env={**os.environ, **environment}, capture_output=True, check=True
    )
    return done.stdout


@pytest.mark.slow
def test_kinds_of_processor_agree() -> None:
    script = (
        "import sys; from service.encoder.encoder import strategies; from tests.unit.encoder.test_encoder import TEXTS;"
        "sys.stdout.buffer.write(strategies().encode(TEXTS).tobytes())"
    )
    first, *others = (
        np.frombuffer(run(script, OPENBLAS_CORETYPE=kind), np.float32)
        for kind in ("Haswell", "SandyBridge", "Nehalem")
    )
    for other in others:
        assert first == pytest.approx(other, abs=1e-4)


def test_a_process_that_reads_takes_under_a_hundred_megabytes_more() -> None:
    script = (
        "import resource; from service.encoder.encoder import strategies; size = lambda: resource.getrusage(0)[2];"
        "before = size(); strategies().encode(['what kind of films do you like'] * 50); print(size() - before)"
    )
    assert int(run(script)) < 100_000


@pytest.mark.slow
def test_nothing_is_read_before_it_is_needed() -> None:
    script = (
        "import service.app; from service.encoder.detector import detector; from service.encoder.encoder import strategies;"
        "print(detector.cache_info().currsize, strategies.cache_info().currsize)"
    )
    assert run(script) == b"0 0\n"


def test_importing_the_package_sets_nothing() -> None:
    script = "import os; before = dict(os.environ); import service.__main__, service.live_main; print(before == dict(os.environ))"
    assert run(script) == b"True\n"


@pytest.mark.slow
def test_the_files_are_small_and_their_licences_lie_beside_them() -> None:
    packed = sum(len(zlib.compress(path.read_bytes(), 6)) for path in FOLDER.iterdir())
    assert packed <= 30_000_000
    notice = (FOLDER / "NOTICE").read_text("utf-8")
    assert "all-MiniLM-L6-v2" in notice
    assert "MIT License" in notice
    assert "Apache License" in (FOLDER / "LICENSE").read_text("utf-8")
    named = {path.name for path in FOLDER.iterdir()} - {"LICENSE", "NOTICE"}
    assert all(name in notice for name in named)
