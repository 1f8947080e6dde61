"""Judges' scores, and people's labels beside the conversations that they are about."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from ...domain.plurals import counted
from ..exits import CommandError
from ..inputs import Json, grouped
from ..labelling.labels import ConversationLabel
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

    @property
    def rating(self) -> Json:
        """The score as a rating of `/agreement` and `/calibrate`."""
        named = {"conversation": self.record.conversation, "system": self.record.system}
        return {**named, "factor": self.factor, "rater": self.judge, "kind": "judge", "score": self.score}


def judged_scores(records: Iterable[Record]) -> Iterator[JudgedScore]:
    """All scores of these records."""
    for record in records:
        for verdict in record.verdicts:
            if verdict["status"] == "scored":
                yield _judged_score(
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
            yield _judged_score(record, summary["protocol"], judges, summary["mean"], summary)


def _judged_score(record: Record, factor: str, judge: str, score: float, source: Json) -> JudgedScore:
    low, high = source["scale"]["min"], source["scale"]["max"]
    revision = source.get("evaluator_revision")
    key = None if revision is not None else record.comparison_key
    return JudgedScore(record, factor, judge, float(score), low, high, revision, key)


@dataclass(frozen=True)
class MatchedLabel:
    """A label and the record of its conversation."""

    label: ConversationLabel
    record: Record


@dataclass(frozen=True)
class MatchedLabels:
    """Labels that belong to judged conversations. `first` holds one label for each rater, factor and conversation; `again`
    what the same rater said when the conversation came a second time. The rest is counted: labels of conversations that were not
    judged, of logs that differ from the judged ones, and labels that the same rater replaced later."""

    first: Sequence[MatchedLabel]
    again: Sequence[MatchedLabel]
    unknown: int
    changed: int
    replaced: int

    def remarks(self) -> Iterator[str]:
        if self.unknown:
            yield f"{counted(self.unknown, 'label')} left out: the results do not have their conversations."
        if self.changed:
            yield f"{counted(self.changed, 'label')} left out: their logs have changed since they were read."
        if self.replaced:
            yield f"{counted(self.replaced, 'label')} left out: the same annotator gave another one later."


def matched(labels: Sequence[ConversationLabel], records: Sequence[Record]) -> MatchedLabels:
    """Find each label's conversation: by system or content, else by a name that one system has. Raises CommandError if none is found."""
    by_content: dict[tuple[str, str | None], Record] = {
        (record.conversation, record.digest): record for record in records if record.digest
    }
    by_system = {(record.conversation, record.system): record for record in records}
    names = Counter(record.conversation for record in records)
    alone = {record.conversation: record for record in records if names[record.conversation] == 1}
    found: dict[tuple[str, str | None, str, str, int], MatchedLabel] = {}
    unknown = changed = replaced = 0
    for label in labels:
        record = by_system.get((label.conversation, label.system)) or by_content.get(
            (label.conversation, label.digest)
        )
        if record is None and label.system is None:
            record = alone.get(label.conversation)
        if record is None:
            unknown += 1
        elif None not in (label.digest, record.digest) and label.digest != record.digest:
            changed += 1
        else:
            name = (record.conversation, record.system, label.factor, label.rater, label.repeat)
            replaced += name in found and found[name].label.score != label.score
            found[name] = MatchedLabel(label, record)
    if not found:
        why = (
            "their logs have changed since" if changed else "the results contain none of their conversations"
        )
        raise CommandError(f"None of the {counted(len(labels), 'label')} can be used: {why}.")
    first = [one for one in found.values() if not one.label.repeat]
    again = [one for one in found.values() if one.label.repeat]
    return MatchedLabels(first, again, unknown, changed, replaced)


def consistency(matched: MatchedLabels) -> Iterator[str]:
    """Yield a sentence for each label that somebody gave a second time to the same conversation."""

    def name(one: MatchedLabel) -> tuple[str, str | None, str, str]:
        return one.record.conversation, one.record.system, one.label.factor, one.label.rater

    first = {name(one): one.label.score for one in matched.first}
    again = [(one.label, first[name(one)]) for one in matched.again if name(one) in first]
    found = grouped((label.factor, abs(label.score - score)) for label, score in again)
    for label, gaps in found.items():
        same = f"{sum(gap == 0 for gap in gaps)} of {len(gaps)} conversations that appeared twice"
        apart = f"the answers differ by {sum(gaps) / len(gaps):.2g} on average"
        yield f"{label}: annotators gave the same answer again for {same}; {apart}."
