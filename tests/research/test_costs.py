"""Costs of faults, fitted to readers' points."""

import json

import numpy as np
import pytest

from research.fit_costs import RATINGS, costs, fitted
from service.faults import load_faults

CATALOGUE = load_faults()


def test_the_files_have_the_costs_that_the_points_give() -> None:
    assert {fault: dict(CATALOGUE[fault].costs) for fault in costs()} == costs()


def test_readers_agree_on_every_factor() -> None:
    replies = json.loads(RATINGS.read_text(encoding="utf-8"))["replies"]
    first, second = (np.array([reply[reader] for reply in replies]).T for reader in ("first", "second"))
    assert min(np.corrcoef(one, other)[0, 1] for one, other in zip(first, second, strict=True)) > 0.85


@pytest.mark.parametrize(
    ("starting", "losses", "expected"),
    [
        ({"coherence": 2}, {"coherence": 3.9}, {"coherence": 3}),  # by one at most
        ({"coherence": 3}, {"coherence": 1.0}, {"coherence": 3}),  # the home factor never falls
        ({"coherence": 3, "naturalness": 2}, {"naturalness": 0.1}, {"coherence": 3, "naturalness": 1}),
        ({"coherence": 2, "naturalness": 2}, {"coherence": 2, "naturalness": 4}, {"coherence": 2, "naturalness": 2}),
        ({"coherence": 3, "diversity": 2}, {"coherence": 3}, {"coherence": 3, "diversity": 2}),  # nobody rated it
    ],
)  # fmt: skip
def test_costs_follow_the_points_within_bounds(starting, losses, expected) -> None:  # type: ignore[no-untyped-def]
    assert fitted(starting, losses) == expected
