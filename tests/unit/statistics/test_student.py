"""Student's t against scipy."""

import pytest
from scipy import stats

from service.statistics.student import t_quantile, t_tail


@pytest.mark.parametrize("degrees", [1, 2, 2.5, 7, 19, 119, 1e4, 1e6])
@pytest.mark.parametrize("level", [0.5, 0.8, 0.95, 0.975, 0.9995])
def test_quantiles_and_tails_are_scipys(level: float, degrees: float) -> None:
    quantile = t_quantile(level, degrees)
    assert quantile == pytest.approx(stats.t.ppf(level, degrees), rel=1e-8, abs=1e-9)
    assert t_quantile(1 - level, degrees) == pytest.approx(-quantile, rel=1e-9, abs=1e-9)
    assert t_tail(quantile, degrees) == pytest.approx(1 - level, rel=1e-8)
    assert t_tail(-1.5, degrees) == pytest.approx(stats.t.sf(-1.5, degrees), rel=1e-9)


@pytest.mark.parametrize(("level", "degrees"), [(0, 5), (1, 5), (0.9, 0), (float("nan"), 5)])
def test_what_is_no_level_is_refused(level: float, degrees: float) -> None:
    with pytest.raises(ValueError, match="a level inside 0 to 1"):
        t_quantile(level, degrees)
