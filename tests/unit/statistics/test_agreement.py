"""The table over ratings: every kind of figure on small sets that can be checked by hand."""

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
import pytest
from scipy import stats

from service.errors import InvalidRequest
from service.statistics.agreement import measure
from service.statistics.bootstrap import Resamples
from service.statistics.ratings import PEOPLE, RaterKind, Rating, Ratings
from service.statistics.rows import StatRow
from service.statistics.sheets import sort_ratings
from tests.factories import known

J, H = RaterKind.JUDGE, RaterKind.HUMAN


def judged(
    scores: Iterable[float], rater: str = "judge", factor: str = "overall", **fields: Any
) -> list[Rating]:
    return [rating(i, score, rater, J, factor, **fields) for i, score in enumerate(scores)]


def said(
    scores: Iterable[float], rater: str = "anna", factor: str = "overall", **fields: Any
) -> list[Rating]:
    return [rating(i, score, rater, H, factor, **fields) for i, score in enumerate(scores)]


def rating(
    number: int, score: float, rater: str, kind: RaterKind, factor: str, systems: str = "", **fields: Any
) -> Rating:
    system = systems[number % len(systems)] if systems else None
    return Rating(
        conversation=f"c{number:03}",
        factor=factor,
        rater=rater,
        kind=kind,
        score=score,
        system=system,
        **fields,
    )


def rows(ratings: Iterable[Rating], *statistics: str, draws: int = 0, **wanted: Any) -> list[StatRow]:
    table = measure(ratings, statistics=statistics or None, draws=draws).rows
    return [row for row in table if all(getattr(row, name) == value for name, value in wanted.items())]


def value(ratings: Iterable[Rating], statistic: str, **wanted: Any) -> float:
    (row,) = rows(ratings, statistic, **wanted)
    assert row.undefined is None
    return known(row.value)


SYSTEMS = "ab"
JUDGE = [1.0, 5, 2, 7, 3, 6]
PERSON = [1.0, 4, 3, 6, 2, 5]


def test_people_are_averaged_and_so_are_repeats() -> None:
    ratings = (
        said([1, 2, 3]) + said([3, 2, 5], "bela") + judged([1, 2, 4], repeat=0) + judged([3, 2, 4], repeat=1)
    )
    (sheet,) = sort_ratings(Ratings.from_objects(ratings)).sheets
    assert sheet.mean_of_people.score.tolist() == [2, 2, 4]
    assert sheet.judges["judge"].score.tolist() == [2, 2, 4]
    assert value(ratings, "pearson", other=PEOPLE) == 1


def test_a_system_need_be_named_once_a_conversation() -> None:
    ratings = judged(JUDGE) + said(PERSON, systems=SYSTEMS)
    both = judged(JUDGE, systems=SYSTEMS) + said(PERSON, systems=SYSTEMS)
    assert value(ratings, "pearson", over="within_system") == value(both, "pearson", over="within_system")
    units = sort_ratings(Ratings.from_objects(ratings)).units
    assert [units.systems[code] for code in units.system] == ["a", "b"] * 3


def test_pooled_within_and_system_means_tell_different_stories() -> None:
    """The judge knows which system talks and nothing else: pooled it does well, within not at all."""
    ratings = judged([1, 5, 2, 6, 3, 7], systems=SYSTEMS) + said([3, 9, 2, 8, 1, 7], systems=SYSTEMS)
    assert value(ratings, "pearson", over="pooled") > 0.6
    assert value(ratings, "pearson", over="within_system") == -1
    assert value(ratings, "pearson", over="system", system="a") == -1
    assert value(ratings, "pearson", over="system_mean") == pytest.approx(3 / np.sqrt(9 + 2 / 3))


def test_intervals_of_systems_agree_with_resampling_by_hand() -> None:
    draw = np.random.default_rng(0)
    judge, people = np.round(draw.normal(size=(2, 40)) + np.arange(40) % 4 / 2)
    ratings = judged(judge, systems="abcd") + said(people, systems="abcd")
    system = np.arange(40) % 4
    references: dict[str, Callable[[Any, Any], float]] = {
        "pearson": lambda x, y: stats.pearsonr(x, y).statistic,
        "spearman": lambda x, y: stats.spearmanr(x, y).statistic,
        "kendall_tau_b": lambda x, y: stats.kendalltau(x, y).statistic,
    }
    (resamples,) = Resamples(150).blocks(40)
    for name, reference in references.items():
        by_hand = []
        for counts in resamples:
            sizes = np.bincount(system, counts, 4)
            x, y = (np.round(np.bincount(system, counts * side, 4) / sizes, 12) for side in (judge, people))
            by_hand.append(reference(x, y))
        (row,) = rows(ratings, name, over="systems", draws=150)
        low, high = np.quantile(by_hand, [0.025, 0.975])
        interval = known(row.interval)
        assert (interval.low, interval.high) == pytest.approx((low, high))


def test_preference_of_two_systems_over_all_pairs() -> None:
    # a: 1, 3 and b: 2, 4 by the judge; people a: 1, 2 and b: 2, 3.
    ratings = judged([1, 2, 3, 4], systems=SYSTEMS) + said([1, 2, 2, 3], systems=SYSTEMS)
    # Judge: a<b for 1-2, 1-4, 3-4; a>b for 3-2. People: a<b for 1-2, 1-3, 2-3; a tie for 2-2.
    assert value(ratings, "preference_share", rater="judge") == pytest.approx(1 / 4)
    assert value(ratings, "preference_share", rater=PEOPLE) == pytest.approx(0.5 / 4)
    chance = 3 / 4 * 3 / 4
    assert value(ratings, "preference_kappa", system="a") == pytest.approx((3 / 4 - chance) / (1 - chance))
    assert value(ratings, "preference_kappa", over="pooled") == pytest.approx((3 / 4 - chance) / (1 - chance))


def test_preference_in_the_same_situations_compares_these_alone() -> None:
    def met(scores: dict[tuple[str, str], float], rater: str, kind: RaterKind) -> list[Rating]:
        return [
            Rating(
                conversation=situation, factor="overall", rater=rater, kind=kind, score=score, system=system
            )
            for (situation, system), score in scores.items()
        ]

    judge = {("x", "a"): 1.0, ("x", "b"): 2, ("y", "a"): 9, ("y", "b"): 5}
    people = {("x", "a"): 1.0, ("x", "b"): 3, ("y", "a"): 4, ("y", "b"): 2}
    ratings = met(judge, "judge", J) + met(people, "anna", H)
    (row,) = rows(ratings, "preference_kappa", over="system", draws=50)
    assert (row.value, row.n, row.conversations) == (1, 2, 2)
    (share,) = rows(ratings, "preference_share", rater="judge")
    assert share.value == 0.5


def test_coupling_is_tau_b_between_a_raters_factors() -> None:
    ratings = (
        judged([1, 2, 3, 4], factor="x") + judged([4, 3, 2, 1], factor="y") + judged([1, 2, 4, 3], factor="z")
    )
    table = {(row.factor, row.other_factor): row.value for row in rows(ratings, "coupling")}
    assert table == {("x", "y"): -1, ("x", "z"): pytest.approx(4 / 6), ("y", "z"): pytest.approx(-4 / 6)}
    (mean,) = rows(ratings, "mean_coupling", draws=100)
    assert mean.value == pytest.approx((1 + 4 / 6 + 4 / 6) / 3)
    assert mean.n == 3
    assert mean.interval is not None


def test_spread_over_repeats_by_factor_and_of_their_sum() -> None:
    ratings = [
        Rating(conversation=conversation, factor=factor, rater="judge", kind=J, score=score, repeat=repeat)
        for conversation, factor, scores in (
            ("c1", "x", (1, 3)),
            ("c1", "y", (1, 3)),
            ("c2", "x", (2, 2)),
            ("c2", "y", (0, 1)),
        )
        for repeat, score in enumerate(scores)
    ]
    deviation = 2**0.5  # of 1 and 3
    assert value(ratings, "repeat_spread", factor="x") == pytest.approx(deviation / 2)
    assert value(ratings, "repeat_spread", factor="y") == pytest.approx((deviation + 0.5**0.5) / 2)
    assert value(ratings, "repeat_spread", factor=None) == pytest.approx((2 * deviation + 0.5**0.5) / 2)


def test_correlation_with_length_stands_beside_the_peoples_own() -> None:
    ratings = [
        Rating(conversation=f"c{i}", factor="overall", rater=rater, kind=kind, score=score, length=length)
        for rater, kind, scores in (("judge", J, (1, 2, 3)), ("anna", H, (2, 3, 1)))
        for i, (score, length) in enumerate(zip(scores, (10, 20, 30), strict=True))
    ]
    assert value(ratings, "length_correlation", rater="judge") == 1
    assert value(ratings, "length_correlation", rater=PEOPLE) == -0.5


def debate(*rounds: tuple[int, ...], conversation: str = "c1") -> list[Rating]:
    return [
        Rating(
            conversation=conversation,
            factor="overall",
            rater=f"role{role}",
            kind=J,
            score=score,
            round=number,
        )
        for number, scores in enumerate(rounds, 1)
        for role, score in enumerate(scores)
    ]


def test_debates_by_round_ended_ones_keep_their_last() -> None:
    ratings = debate((50, 60, 70, 70), (60, 60, 60, 70), (60, 60, 60, 60))
    ratings += debate((80, 80, 80, 80), conversation="c2")
    by_round = {
        (row.statistic, row.round): (row.value, row.n)
        for row in rows(ratings, "debate_all_agree", "debate_major_agree", "debate_spread")
    }
    assert by_round == {
        ("debate_all_agree", 1): (0.5, 2),
        ("debate_all_agree", 2): (0.5, 2),
        ("debate_all_agree", 3): (1, 2),
        ("debate_major_agree", 1): (0.5, 2),
        ("debate_major_agree", 2): (1, 2),
        ("debate_major_agree", 3): (1, 2),
        ("debate_spread", 1): (10, 2),
        ("debate_spread", 2): (5, 2),
        ("debate_spread", 3): (0, 2),
    }


@pytest.mark.parametrize(
    ("ratings", "statistic", "why"),
    [
        (judged([1, 2, 3]), "spearman", "no_people"),
        (judged([1, 2]) + said([1, 2]), "pearson", "too_few_pairs"),
        (judged([1, 1, 1]) + said([1, 2, 3]), "kendall_tau_b", "one_value"),
        (judged([1, 1]) + said([1, 1]), "cohen_kappa", "one_value"),
        (judged([1, 1]) + said([1, 1]), "randolph_kappa", "one_level"),
        (judged([1, 2]), "repeat_spread", "no_repeats"),
        (judged([1, 2]), "length_correlation", "no_lengths"),
        (judged([1, 2]), "debate_all_agree", "no_rounds"),
        (judged([1, 2]), "coupling", "single_factor"),
        (judged([1, 2]) + said([1, 2]), "preference_kappa", "single_system"),
        (judged([1, 2, 3], factor="x") + said([1, 2, 3], factor="y"), "pearson", "no_pairs"),
    ],
)
def test_what_cannot_be_computed_says_why(ratings: list[Rating], statistic: str, why: str) -> None:
    (row,) = rows(ratings, statistic)
    assert (row.value, row.interval, row.undefined) == (None, None, why)


def test_ratings_said_twice_are_averaged_with_a_remark() -> None:
    report = measure(judged([1, 2, 3]) + judged([3, 2, 3]), statistics=["mean_score"], draws=0)
    assert report.rows[0].value == pytest.approx((2 + 2 + 3) / 3)
    assert [remark.code for remark in report.remarks] == ["duplicate_ratings"]


def test_nobody_may_be_called_people() -> None:
    with pytest.raises(InvalidRequest, match=r"^/ratings/0/rater: "):
        measure(said([1, 2, 3], PEOPLE))


def test_a_rater_is_a_judge_or_a_person() -> None:
    with pytest.raises(InvalidRequest, match=r"^/ratings/1/rater: "):
        measure([*said([1], "anna"), *judged([1], "anna")])
