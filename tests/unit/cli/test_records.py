"""Results files: what stands is kept, a torn line is not, and anything else is refused."""

from pathlib import Path

import pytest

from service.cli.exits import CommandError
from service.cli.records import digest, stored_records, write_records
from tests.unit.cli.making import record


def test_records_come_back(tmp_path: Path) -> None:
    path = tmp_path / "results.jsonl"
    written = [record("a", {"coherence": 3}), record("b", {"coherence": None})]
    write_records(path, written)
    assert list(stored_records(path).values()) == written


def test_a_torn_last_line_is_left_out(tmp_path: Path) -> None:
    path = tmp_path / "results.jsonl"
    line = record("a", {"coherence": 3}).line()
    path.write_text(line + line[: len(line) // 2].replace('"a"', '"b"'))
    assert list(stored_records(path)) == ["digest-a"]


def test_another_file_is_not_overwritten(tmp_path: Path) -> None:
    path = tmp_path / "logs.jsonl"
    path.write_text('{"messages": []}\n')
    with pytest.raises(CommandError, match=r"logs.jsonl:1 is no result"):
        stored_records(path)


def test_a_digest_knows_content_and_not_order() -> None:
    assert digest("/score", {"a": 1, "b": [2]}) == digest("/score", {"b": [2], "a": 1})
    assert digest("/score", {"a": 1}) != digest("/debate", {"a": 1})
    assert digest("/score", {"a": "\ud800"}) != digest("/score", {"a": "?"})


def test_failures_are_asked_for_again() -> None:
    assert record("a", {"coherence": 3, "novelty": None}).settled
    assert not record("a", {"coherence": "timeout"}).settled
