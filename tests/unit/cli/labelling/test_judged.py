"""Results of several runs, to be labelled or calibrated together."""

from dataclasses import replace
from pathlib import Path

import pytest

from service.cli.exits import CommandError
from service.cli.labelling.judged import judged_records
from service.cli.records import Record, write_records
from tests.unit.cli.making import record


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


def test_other_systems_and_equal_records_keep_their_names(tmp_path: Path) -> None:
    paths = [results(tmp_path / "a.jsonl", "a", 2), results(tmp_path / "b.jsonl", "b", 3)]
    again = [*paths, results(tmp_path / "copy.jsonl", "a", 2)]
    assert {one.system for one in judged_records(again)} == {"a", "b"}


def test_a_conversation_twice_in_one_file_is_refused(tmp_path: Path) -> None:
    made: list[Record] = [record("c1", {"coherence": score}) for score in (1, 2)]
    write_records(tmp_path / "twice.jsonl", made)
    with pytest.raises(CommandError, match="c1"):
        judged_records([str(tmp_path / "twice.jsonl")])
