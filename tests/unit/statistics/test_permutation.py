"""Permutation tests against cases that are counted by hand, and Holm's correction against its definition."""

from math import comb

import pytest

from service.statistics.permutation import holm, paired_p, unpaired_p


def test_sign_flips_are_counted_by_hand() -> None:
    # Of the eight signs of (1, 2, 3) only +++ and --- are as far from 0.
    assert paired_p([1, 2, 3]) == 2 / 8
    # |1 - 1| = 0: everything is as far.
    assert paired_p([1, -1]) == 1.0
    # (3, 1): +- gives 2, which is less than 4.
    assert paired_p([3, 1]) == 2 / 4


def test_divisions_are_counted_by_hand() -> None:
    # Of the six ways to choose two of (1, 2, 3, 4), {1, 2} and {3, 4} are as far apart.
    assert unpaired_p([1, 2], [3, 4]) == 2 / 6
    assert unpaired_p([1.0], [1.0]) == 1.0


def test_many_values_are_drawn_and_the_same_each_time() -> None:
    apart = [0.3] * 12 + [-0.1] * 8
    assert paired_p(apart) == paired_p(apart)
    # With i of the .3 and j of the -.1 turned round, the sum is .3 (12 - 2i) - .1 (8 - 2j); so many reach 2.8:
    far = sum(
        comb(12, i) * comb(8, j) for i in range(13) for j in range(9) if abs(2.8 - 0.6 * i + 0.2 * j) > 2.79
    )
    assert paired_p(apart) == pytest.approx(far / 2**20, abs=0.003)
    first, second = [0.0] * 15 + [1.0], [1.0] * 15 + [0.0]
    assert unpaired_p(first, second) == 1 / 10_000
    assert unpaired_p([float(n % 3) for n in range(30)], [float(n % 3) for n in range(30)]) == 1.0


def test_holm_by_hand() -> None:
    # Sorted .01, .02, .03, .5: times 4, 3, 2, 1, and none under the one before.
    assert holm([0.5, 0.01, 0.03, 0.02]) == pytest.approx([0.5, 0.04, 0.06, 0.06])
    assert holm([0.9, 0.8]) == [1.0, 1.0]
    assert holm([]) == []
