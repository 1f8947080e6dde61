"""Scores for a platform, made of the records of a results file."""

import uuid
from collections.abc import Iterator, Mapping, Sequence

from ..exits import CommandError
from ..found_faults import faults_of
from ..inputs import Json, read_logs
from ..records import Record, judge_text
from .sink import TraceScore

_NAMES = uuid.uuid5(uuid.NAMESPACE_URL, "crs-eval:push")


def trace_ids(records: Sequence[Record], logs: Sequence[str], field: str | None) -> dict[int, str]:
    """Return the trace id of each record that has one, by the record's place: the log's id, or what `field` of its metadata
    says. Raises CommandError where `field` and `logs` do not come together."""
    if bool(logs) != bool(field):
        raise CommandError("--trace-field and --logs go together: results do not hold the logs' metadata.")
    if field is None:
        return {place: record.conversation for place, record in enumerate(records) if record.position is None}
    sources, _ = read_logs(logs, repeats=True)
    found = {source.digest: _text(source.log.get("metadata"), field) for source in sources}
    found |= {source.conversation: _text(source.log.get("metadata"), field) for source in sources}
    named = {place: found.get(record.digest or "") for place, record in enumerate(records)}
    named |= {
        place: found.get(record.conversation) for place, record in enumerate(records) if not named[place]
    }
    return {place: name for place, name in named.items() if name}


def _text(metadata: object, field: str) -> str | None:
    value = metadata.get(field) if isinstance(metadata, dict) else None
    return str(value) if isinstance(value, str | int) and value != "" else None


def trace_scores(record: Record, target: str, *, comments: bool) -> Iterator[TraceScore]:
    """Yield the scores of a record's verdicts, then one for each kind of fault. Comments quote the log."""
    for verdict in record.verdicts:
        if verdict["status"] == "scored":
            scale = verdict["scale"]
            more = {
                "scale": f"{scale['min']:g} to {scale['max']:g}",
                "revision": str(verdict["evaluator_revision"]),
            }
            said = verdict["rationale"] if comments else None
            yield _score(target, verdict["factor"], verdict["score"], said, judge=verdict["judge"], more=more)
    texts: dict[str, list[str]] = {}
    for fault in faults_of(record):
        texts.setdefault(fault.fault, []).append(fault.text)
    for slug, told in texts.items():
        judge = next(
            verdict["judge"]
            for verdict in record.verdicts
            if any(one["fault"] == slug for one in verdict.get("faults") or ())
        )
        said = "\n".join(told) if comments else None
        yield _score(target, f"fault-{slug}", 1, said, judge=judge, more={}, fault=True)


def _score(
    target: str,
    name: str,
    value: float,
    comment: str | None,
    *,
    judge: Json,
    more: Mapping[str, str],
    fault: bool = False,
) -> TraceScore:
    said = judge_text(judge)
    own = str(uuid.uuid5(_NAMES, "\n".join((target, name, said))))
    return TraceScore(own, target, name, value, comment, said, bool(judge["model"]), fault, more)
