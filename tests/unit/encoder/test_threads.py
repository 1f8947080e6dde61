"""Reading texts takes one thread of numpy's, and leaves the setting of its host."""

import pytest

from tests.unit.encoder.test_encoder import run

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
