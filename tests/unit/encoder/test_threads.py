"""Reading texts takes one thread of numpy's, and leaves the setting of a program that imports the package."""

import os
import subprocess
import sys

import pytest

from tools.service_process import ROOT

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
    environment = {**os.environ, "OPENBLAS_NUM_THREADS": "2"}
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT], cwd=ROOT, env=environment, capture_output=True, text=True, check=True
    )
    before, *during, after = done.stdout.split()
    assert during == ["{1}", "{1}"]
    assert after == before


def test_importing_the_package_sets_nothing() -> None:
    script = "import os; before = dict(os.environ); import service.__main__, service.live_main; print(before == dict(os.environ))"
    done = subprocess.run(
        [sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "True"
