"""A methods paragraph tells the temperature that was sent, not the one that was wanted."""

from typing import Any

from service.cli.records import Record
from service.cli.studies.sampling import sampling

BARE = [{"code": "temperature_not_taken"}]


def _record(name: str, model: str | None, requested: int, flags: list[Any]) -> Record:
    judge = {"name": name, "model": model}
    verdict = {"judge": judge, "status": "scored", "flags": flags, "samples": {"requested": requested}}
    return Record("c", "s", "/score", "r", {"verdicts": [verdict]}, None)


def test_each_model_has_its_own_sentence() -> None:
    records = [
        _record("builtin", None, 1, []),
        _record("vllm", "ours", 1, []),
        _record("vllm", "thinker", 10, BARE),
        _record("vllm", "turned", 10, []),
        _record("vllm", "turned", 10, BARE),
    ]
    ours, thinker, turned = sampling(records)
    assert "temperature 0" in ours
    assert "temperature 1" not in thinker
    assert "temperature 1" in turned
    assert "1 of 2" in turned
