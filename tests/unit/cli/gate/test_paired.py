"""The statistics of a comparison, against figures worked out by hand and against simulation."""

import numpy as np
import pytest

from service.cli.gate.paired import differences, holm


def test_holm_by_hand() -> None:
    assert holm([0.01, 0.04, 0.03]) == pytest.approx([0.03, 0.06, 0.06])
    assert holm([0.5, 0.9]) == [1, 1]
    assert holm([]) == []


def test_losses_are_over_pairs() -> None:
    before = {"f": {"a": 4.0, "b": 3.0, "c": 1.0}}
    after = {"f": {"a": 2.0, "b": 3.0, "d": 0.0}}
    (found,) = differences(before, after, ["f"], ["a", "b", "c", "d"], draws=1000, seed=0)
    assert (found.n, found.baseline, found.candidate, found.loss) == (2, 3.5, 2.5, 1.0)
    assert (found.low, found.high) == (0, 2)
    # A resample without `a` shows no loss, nor does one with neither pair: (3/4)^4 of them.
    assert found.p == pytest.approx(0.316, abs=0.05)


def test_a_factor_with_one_pair_is_left_out() -> None:
    assert differences({"f": {"a": 1.0}}, {"f": {"a": 0.0}}, ["f"], ["a"], draws=500, seed=0) == []


def test_equal_runs_show_nothing() -> None:
    scores = {"f": {str(i): float(i % 5) for i in range(50)}}
    (found,) = differences(scores, scores, ["f"], list(scores["f"]), draws=1000, seed=0)
    assert (found.loss, found.low, found.high, found.p, found.error) == (0, 0, 0, 1, 0)


def test_a_visible_drop_is_seen_in_four_of_five() -> None:
    chance = np.random.default_rng(3)
    names = [str(i) for i in range(100)]

    def found(drop: float, seed: int) -> bool:
        noise = np.random.default_rng(seed).normal(0, 1, 100)
        before = {"f": dict.fromkeys(names, 2.0)}
        after = {"f": {name: 2.0 - drop + float(noise[i]) for i, name in enumerate(names)}}
        (one,) = differences(before, after, ["f"], names, draws=1000, seed=seed)
        return one.loss > 0.1 and one.adjusted <= 0.05

    before = {"f": dict.fromkeys(names, 2.0)}
    after = {"f": {name: 2.0 + float(chance.normal()) for name in names}}
    (one,) = differences(before, after, ["f"], names, draws=1000, seed=0)
    drop = one.visible(0.05, 1, 0.1)
    assert 0.2 < drop < 0.35
    assert 0.65 < sum(found(drop, seed) for seed in range(100)) / 100 < 0.95
    assert sum(found(0.0, seed) for seed in range(100)) / 100 <= 0.1
