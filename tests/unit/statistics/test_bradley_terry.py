"""Ratings from preferences, against another computation, and where nothing differs."""

import numpy as np
import pytest
from scipy.optimize import minimize

from service.statistics.preference import CENTRE, PRIOR, SCALE, PairChoice, elo_ratings

RNG_SEED = 7


def drawn(truth: list[float], conversations: int, rng: np.random.Generator) -> list[PairChoice]:
    """Three choices in each conversation, a fifth of them ties."""
    found = []
    for conversation in range(conversations):
        for _ in range(3):
            first, second = rng.choice(len(truth), 2, replace=False)
            won = rng.random() < 1 / (1 + np.exp(truth[second] - truth[first]))
            share = 0.5 if rng.random() < 0.2 else float(won)
            found.append(PairChoice(f"c{conversation}", f"s{first}", f"s{second}", share))
    return found


@pytest.mark.parametrize("truth", [[0.0, 1.0], [0.0, 0.5, -2.0, 3.0], [0.0, 9.0, 0.1]])
def test_ratings_are_those_that_a_general_optimiser_finds(truth: list[float]) -> None:
    choices = drawn(truth, 40, np.random.default_rng(RNG_SEED))
    wins = np.zeros((len(truth), len(truth)))
    for one in choices:
        first, second = int(one.first[1:]), int(one.second[1:])
        wins[first, second] += one.share
        wins[second, first] += 1 - one.share
    wins += PRIOR * (wins + wins.T > 0)

    def loss(strengths: np.ndarray) -> float:
        odds = strengths[None, :] - strengths[:, None]
        return float((wins * np.log1p(np.exp(odds))).sum() + strengths.mean() ** 2)

    expected = minimize(loss, np.zeros(len(truth)), options={"gtol": 1e-9}).x
    found = {one.system: one for one in elo_ratings(choices, draws=0)}
    for place, strength in enumerate(expected):
        rating = found[f"s{place}"].rating
        assert rating == pytest.approx(CENTRE + SCALE * strength, abs=0.01)


def test_two_systems_by_hand() -> None:
    choices = [PairChoice(f"c{n}", *pair) for n, pair in enumerate([("a", "b", 1.0)] * 8 + [("b", "a", 0.5)])]
    best, other = elo_ratings(choices)
    assert (best.system, best.wins, best.n) == ("a", 8.5, 9)
    assert best.rating - other.rating == pytest.approx(400 * np.log10(9 / 1))  # half a win more for each
    assert best.interval is not None
    assert best.interval.low > CENTRE
    only = elo_ratings(choices[:1])
    assert [one.interval for one in only] == [None, None]
    assert np.isfinite([one.rating for one in only]).all()


def test_systems_that_nothing_connects_have_no_ratings() -> None:
    apart = [PairChoice("c", "a", "b", 1.0), PairChoice("c", "x", "y", 0.0)]
    with pytest.raises(ValueError, match="not all systems"):
        elo_ratings(apart)
    assert len(elo_ratings([*apart, PairChoice("d", "b", "x", 0.5)], draws=20)) == 4
