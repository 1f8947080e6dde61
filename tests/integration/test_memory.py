"""Memory that a body takes: at most 8 MB and twelve times its size, refused or answered; 12 MB more where the embedded judge
reads it."""

import json
import subprocess
import sys
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from service.encoder.detector import MEMORY
from service.usecases.parsing import MOST, allowance
from tools.service_process import ROOT

Probe = Callable[[str, int], list[dict[str, Any]]]
#: Logs of many short messages may take this much more while they become an answer.
IMPORTED = 1 << 20


@pytest.fixture(scope="module")
def probed() -> Iterator[Probe]:
    """Probes bodies of a kind and a size, each in a child of one process that is warm."""
    pipe = subprocess.PIPE
    command = [sys.executable, "-m", "tests.memory_probe"]
    with subprocess.Popen(command, cwd=ROOT, stdin=pipe, stdout=pipe, text=True) as process:
        assert process.stdin is not None
        stdout = process.stdout
        assert stdout is not None

        def probe(kind: str, size: int) -> list[dict[str, Any]]:
            print(kind, size, file=process.stdin, flush=True)
            found = [json.loads(line) for line in iter(stdout.readline, "\n")]
            assert found, "nothing was probed"
            return found

        yield probe


@pytest.mark.parametrize(
    ("kind", "sizes", "statuses", "more"),
    [
        ("hostile", [600_000], {400, 422}, 0),
        ("honest", [600_000], {200}, MEMORY),
        ("demanding", [200_000], {200}, MEMORY),  # answers over very many small parts
        ("bare", [120_000, 400_000], {200, 422}, MEMORY),  # items that are little but a title
        ("titles", [9_500_000], {200}, 0),  # was 411 MB
    ],
)
def test_a_body_takes_little_more_memory_than_it_has_bytes(
    probed: Probe, kind: str, sizes: list[int], statuses: set[int], more: int
) -> None:
    found = [one for size in sizes for one in probed(kind, size)]
    assert {one["status"] for one in found} == statuses
    assert [one for one in found if one["grown"] > allowance(one["size"]) + more] == []


def test_ratings_of_three_times_the_size_of_other_bodies_stay_under_it_too(probed: Probe) -> None:
    found = {one["name"]: one for one in probed("calibrations", 30_000_000)}
    assert {name: one["status"] for name, one in found.items()} == {
        "ratings": 200, "empty ratings": 422, "columns": 422,
    }  # fmt: skip
    assert max(one["grown"] for one in found.values()) < MOST


def test_what_is_imported_takes_little_more_memory_than_bytes(probed: Probe) -> None:
    found = probed("imports", 600_000)
    assert {one["status"] for one in found} <= {200, 422}
    assert [
        one["name"] for one in found if one["grown"] > allowance(one["size"]) + IMPORTED
    ] == []  # was a kilobyte a line
