"""Means and intervals of ppi-python 0.2.3, reached from ours by its own quantile and divisor.

Each case has its input. `ppi_mean_ci(people, judge, rest, alpha=1 - level, lam=weight)` gave `low` and `high`, and
`ppi_mean_pointestimate` the mean."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import stats

from service.calibration.estimates.means import calibrated_mean
from service.calibration.estimates.sample import Ends, Sample, Target

CASES = json.loads(Path(__file__).with_name("ppi_means.json").read_text())["cases"]


@pytest.mark.parametrize("case", CASES)
def test_a_fixed_weight_gives_what_ppi_python_gives(case: dict[str, Any]) -> None:
    people, judge, rest = (np.array(case[name]) for name in ("people", "judge", "rest"))
    found = calibrated_mean(
        Sample.of(people, judge, rest), Ends(-100, 100), Target.FUTURE, weight=np.array(case["weight"])
    )
    assert found.mean == pytest.approx(case["mean"], abs=1e-9)
    # Ours divides by n - 1, theirs by n, and theirs takes the normal quantile without pseudo-labels.
    left = people - case["weight"] * judge
    variance = found.spread.raw - left.var(ddof=1) / len(left) + left.var() / len(left)
    half = stats.norm.ppf((1 + case["level"]) / 2) * np.sqrt(variance)
    assert found.mean - half == pytest.approx(case["low"], abs=1e-9)
    assert found.mean + half == pytest.approx(case["high"], abs=1e-9)
