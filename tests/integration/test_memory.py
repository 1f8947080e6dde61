"""Memory that a body takes: at most 8 MB and twelve times its size, refused or answered."""

import json
import subprocess
import sys
from typing import Any

import pytest

from service.api.body import MOST, allowance
from tools.service_process import ROOT


def probed(kind: str, size: int) -> list[dict[str, Any]]:
    told = subprocess.run(
        [sys.executable, "-m", "tests.memory_probe", kind, str(size)],
        cwd=ROOT, capture_output=True, text=True, check=True, timeout=580,
    )  # fmt: skip
    return [json.loads(line) for line in told.stdout.splitlines()]


def test_a_body_that_is_refused_takes_little_more_memory_than_it_has_bytes() -> None:
    found = probed("hostile", 600_000)
    assert {one["status"] for one in found} == {400, 422}
    assert [one for one in found if one["grown"] > allowance(one["size"])] == []


def test_a_body_that_is_answered_takes_little_more_memory_than_it_has_bytes() -> None:
    found = probed("honest", 600_000)
    assert {one["status"] for one in found} == {200}
    assert [one for one in found if one["grown"] > allowance(one["size"])] == []


def test_answers_over_very_many_small_parts_take_no_more() -> None:
    found = probed("demanding", 600_000)
    assert {one["status"] for one in found} == {200}
    assert [one for one in found if one["grown"] > allowance(one["size"])] == []


def test_items_that_are_little_but_a_title_take_little_more_or_are_refused() -> None:
    found = [*probed("bare", 120_000), *probed("bare", 400_000)]
    assert {one["status"] for one in found} == {200, 422}
    assert [one for one in found if one["grown"] > allowance(one["size"])] == []


def test_titles_of_one_long_word_take_little_more_memory_than_bytes() -> None:
    found = probed("long words", 300_000)
    assert {one["status"] for one in found} == {200}
    assert [one for one in found if one["grown"] > allowance(one["size"])] == []  # was 515 MB


def test_ten_megabytes_of_empty_objects_take_no_gigabytes() -> None:
    found = probed("largest", 10_000_000)
    assert {one["status"] for one in found} == {422}
    assert [one for one in found if one["grown"] > allowance(one["size"])] == []


def test_ten_megabytes_of_titles_take_little_more_memory_than_bytes() -> None:
    found = probed("titles", 9_500_000)
    assert {one["status"] for one in found} == {200}
    assert [one for one in found if one["grown"] > allowance(one["size"])] == []  # was 411 MB


def test_ratings_of_three_times_the_size_of_other_bodies_stay_under_it_too() -> None:
    found = {one["name"]: one for one in probed("calibrations", 30_000_000)}
    assert {name: one["status"] for name, one in found.items()} == {
        "ratings": 200, "empty ratings": 422, "columns": 413,
    }  # fmt: skip
    assert max(one["grown"] for one in found.values()) < MOST


@pytest.mark.parametrize("size", [600_000, 6_000_000])
def test_what_is_imported_takes_little_more_memory_than_bytes(size: int) -> None:
    found = probed("imports", size)
    assert {one["status"] for one in found} <= {200, 422}
    assert [
        one["name"] for one in found if one["grown"] > allowance(one["size"])
    ] == []  # was a kilobyte a line
