"""Scores by judges, each with what a calibration must know of it."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from ..inputs import Json
from ..records import Record, debaters_text, judge_text
from ..scores import DEBATE_SPAN, OVERALL


@dataclass(frozen=True)
class JudgedScore:
    """One score of a conversation. `factor` is that of a verdict, the protocol of a summary, or `overall` for a debate;
    `low` and `high` are the ends of its scale. Verdicts have a `revision`; summaries and debates compare by the answer's
    `key`."""

    record: Record
    factor: str
    judge: str
    score: float
    low: float
    high: float
    revision: str | None
    key: str | None


def judged_scores(records: Iterable[Record]) -> Iterator[JudgedScore]:
    """All scores of these records."""
    for record in records:
        for verdict in record.verdicts:
            if verdict["status"] == "scored":
                yield _score(
                    record, verdict["factor"], judge_text(verdict["judge"]), verdict["score"], verdict
                )
        yield from _summaries(record)
        if record.debate:
            judge, score = debaters_text(record.debate), float(record.debate["overall"])
            yield JudgedScore(record, OVERALL, judge, score, 0.0, DEBATE_SPAN, None, record.comparison_key)


def _summaries(record: Record) -> Iterator[JudgedScore]:
    answer = record.answer or {}
    judges = "+".join(sorted(judge_text(judge) for judge in answer.get("judges") or ()))
    for summary in answer.get("summaries") or ():
        if summary["mean"] is not None and judges:
            yield _score(record, summary["protocol"], judges, summary["mean"], summary)


def _score(record: Record, factor: str, judge: str, score: float, source: Json) -> JudgedScore:
    low, high = source["scale"]["min"], source["scale"]["max"]
    revision = source.get("evaluator_revision")
    key = None if revision is not None else record.comparison_key
    return JudgedScore(record, factor, judge, float(score), low, high, revision, key)
