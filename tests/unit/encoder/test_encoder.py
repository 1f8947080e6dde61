"""Vectors of the shipped encoder."""

import json
import os
import subprocess
import sys
import zlib
from pathlib import Path

import numpy as np
import pytest

from service.encoder.encoder import FOLDER, PASS, strategies

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


def test_vectors_are_those_on_file() -> None:
    found = strategies().encode(TEXTS)[:, :NUMBERS]
    if os.environ.get("UPDATE_GOLDEN"):
        GOLDEN.write_text(json.dumps(np.round(found, 5).tolist()) + "\n", encoding="utf-8")
    assert found == pytest.approx(np.array(json.loads(GOLDEN.read_text("utf-8"))), abs=1e-3)


@pytest.mark.slow
def test_a_text_has_one_vector_whatever_stands_beside_it() -> None:
    encoder = strategies()
    texts = [*TEXTS, *(f"Have you seen number {n}? It plays in a harbour." for n in range(PASS // 4))]
    together = encoder.encode(texts)
    assert together.dtype == np.float32
    assert together.shape == (len(texts), 384)
    alone = np.vstack([encoder.encode([text]) for text in texts])
    assert together == pytest.approx(alone, abs=1e-4)


def run(script: str, **environment: str) -> bytes:
    """Return what a script prints in its own process."""
    command = [sys.executable, "-c", script]
    done = subprocess.run(
        command, cwd=ROOT, env={**os.environ, **environment}, capture_output=True, check=True
    )
    return done.stdout


def test_a_process_that_reads_takes_under_a_hundred_megabytes_more() -> None:
    script = (
        "import resource; from service.encoder.encoder import strategies; size = lambda: resource.getrusage(0)[2];"
        "before = size(); strategies().encode(['what kind of films do you like'] * 50); print(size() - before)"
    )
    assert int(run(script)) < 100_000


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


SCRIPT = """
from concurrent.futures import ThreadPoolExecutor
from time import sleep
import numpy
from threadpoolctl import ThreadpoolController
from service.encoder.encoder import strategies

controller = ThreadpoolController()
def threads():
    return {one["num_threads"] for one in controller.info() if one["user_api"] == "blas"}

before = threads()
strategies().encode(["a calm film"])  # the main thread first: threadpoolctl would listen to no other one after it
seen = set()
with ThreadPoolExecutor(3) as pool:
    # Of different length, so that some leave while others are inside.
    reading = [pool.submit(strategies().encode, ["a calm film by the sea " * 9] * size) for size in (9, 3, 1)]
    while not any(one.done() for one in reading):
        seen |= threads()
        sleep(0.005)
    while not all(one.done() for one in reading[1:]):
        sleep(0.005)
    left = threads() if not reading[0].done() else {1}
print(before, {min(seen)}, left, threads())
"""


@pytest.mark.slow
def test_readers_take_one_thread_each_and_the_host_keeps_its_own_number() -> None:
    before, *during, after = run(SCRIPT, OPENBLAS_NUM_THREADS="2").decode().split()
    assert during == ["{1}", "{1}"]
    assert after == before
