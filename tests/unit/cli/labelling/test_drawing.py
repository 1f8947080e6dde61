"""Samples for people: sizes, probabilities, and means that they estimate without bias."""

import random
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest

from service.cli.exits import CommandError
from service.cli.labelling.judged import DrawnConversation, JudgedConversation, draw, judged_records
from service.cli.records import Record, write_records
from tests.unit.cli.making import record


def units(count: int = 400) -> list[JudgedConversation]:
    """Four in five near the top, as ratings of real recommenders are."""
    source = random.Random(3)
    return [
        JudgedConversation(
            "ab"[index % 4 == 0], 0.9 + source.random() / 10 if index % 5 else source.random() * 0.9
        )
        for index in range(count)
    ]


def test_a_random_sample_says_no_probability_and_repeats_by_its_seed() -> None:
    first, again, other = (draw(units(), 60, "random", seed) for seed in (1, 1, 2))
    assert first == again
    assert first != other
    assert len({one.place for one in first}) == 60
    assert {(one.probability, one.stratum) for one in first} == {(None, None)}


def test_weighing_by_probability_gives_the_mean_of_all() -> None:
    given = units()
    truth = sum(unit.score for unit in given) / len(given)

    def estimate(drawn: list[DrawnConversation]) -> float:
        weights = [1 / (one.probability or 1) for one in drawn]
        return sum(w * given[one.place].score for w, one in zip(weights, drawn, strict=True)) / sum(weights)

    estimates = [estimate(draw(given, 40, "system", seed)) for seed in range(400)]
    error = (sum((one - truth) ** 2 for one in estimates) / len(estimates)) ** 0.5
    assert abs(sum(estimates) / len(estimates) - truth) < 4 * error / len(estimates) ** 0.5


def test_a_small_stratum_is_drawn_whole_and_the_rest_goes_to_the_others() -> None:
    given = [JudgedConversation("small", 0.1)] * 3 + [JudgedConversation("large", 0.9)] * 97
    drawn = draw(given, 40, "system", 0)
    assert Counter(one.stratum for one in drawn) == {"small": 3, "large": 37}
    assert {one.probability for one in drawn if one.stratum == "small"} == {1.0}
    assert len(draw(given, 1000, "system", 0)) == 100


def test_too_few_for_the_strata_and_results_without_systems_are_refused() -> None:
    with pytest.raises(CommandError, match="3 strata take 6 conversations or more: a, b, c"):
        draw([JudgedConversation(name, 0.5) for name in "abc" * 4], 5, "system", 0)
    with pytest.raises(CommandError, match="name no system"):
        draw([JudgedConversation(None, 0.5)] * 4, 4, "system", 0)


def results(path: Path, system: str | None, score: float, n: int = 3) -> str:
    made = [record(f"c{i}", {"coherence": score}) for i in range(n)]
    write_records(path, [replace(one, system=system, digest=f"{score}-{one.conversation}") for one in made])
    return str(path)


@pytest.mark.parametrize("system", ["shop", None])
def test_two_runs_of_one_system_are_two_systems(tmp_path: Path, system: str | None) -> None:
    paths = [results(tmp_path / f"{score}.jsonl", system, score) for score in (2, 3)]
    found = judged_records(paths)
    assert len(found) == 6
    systems = {one.system for one in found}
    assert len(systems) == 2
    assert all(any(path in str(name) for name in systems) for path in paths)


def test_a_conversation_twice_in_one_file_is_refused(tmp_path: Path) -> None:
    made: list[Record] = [record("c1", {"coherence": score}) for score in (1, 2)]
    write_records(tmp_path / "twice.jsonl", made)
    with pytest.raises(CommandError, match="c1"):
        judged_records([str(tmp_path / "twice.jsonl")])
