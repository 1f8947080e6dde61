"""Samples for people: sizes, probabilities, and means that they estimate without bias."""

from collections import Counter
from pathlib import Path

import pytest

from service.cli.exits import CommandError
from service.cli.labelling.judged import draw, judged_records
from service.cli.records import Record, write_records
from tests.unit.cli.making import record


def test_a_small_stratum_is_drawn_whole_and_the_rest_goes_to_the_others() -> None:
    given = ["small"] * 3 + ["large"] * 97
    drawn = draw(given, 40, "system", 0)
    assert Counter(one.stratum for one in drawn) == {"small": 3, "large": 37}
    assert {one.probability for one in drawn if one.stratum == "small"} == {1.0}
    assert len(draw(given, 1000, "system", 0)) == 100


def test_too_few_for_the_strata_and_results_without_systems_are_refused() -> None:
    with pytest.raises(CommandError, match="3 strata need at least 6 conversations: a, b, c"):
        draw(list("abc" * 4), 5, "system", 0)
    with pytest.raises(CommandError, match="name no system"):
        draw([None] * 4, 4, "system", 0)


def test_a_conversation_twice_in_one_file_is_refused(tmp_path: Path) -> None:
    made: list[Record] = [record("c1", {"coherence": score}) for score in (1, 2)]
    write_records(tmp_path / "twice.jsonl", made)
    with pytest.raises(CommandError, match="c1"):
        judged_records([str(tmp_path / "twice.jsonl")])
