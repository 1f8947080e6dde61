"""Scores for a platform, made of results and sent over HTTP. What may pass is sent again, what has arrived is not."""

import time
import uuid
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from http import HTTPStatus
from pathlib import Path

import httpx2

from ...domain.plurals import counted
from ..exits import CommandError, Exit
from ..inputs import Json, entries, grouped, json_digest, read_logs
from ..records import Record, judge_text
from ..scores import faults_of
from .sinks import Settings, Sink, SinkRequest, TraceScore

_NAMES = uuid.uuid5(uuid.NAMESPACE_URL, "crs-eval:push")
ATTEMPTS = 5
FIRST_WAIT = 0.5
LONGEST_WAIT = 60.0
SECONDS = 30.0
_ENDS_ALL = (HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN, HTTPStatus.METHOD_NOT_ALLOWED)
_MOST_SHOWN = 300


def live_records(path: str) -> list[Record] | None:
    """Return the last judgement of each conversation in a file that `crs-eval live` wrote; None for any other file."""
    found: dict[str, Record] = {}
    for entry in entries([path], []):
        match entry.value:
            case {
                "kind": "conversation.judged",
                "event": {"conversation": str(name), "verdicts": list()} as event,
            }:
                found[name] = _live_record(name, event)
            case {"kind": "conversation.deleted", "event": {"conversation": name}}:
                found.pop(name, None)
            case {"kind": str(), "number": int()}:  # an alarm
                pass
            case _:
                return None
    return list(found.values())


def _live_record(name: str, event: Json) -> Record:
    # Live results hold no probabilities: all faults are given as certain, so that no comment names one.
    faults = [
        {"fault": one["fault"], "message": message, "probability": 1.0, "certain": True}
        for one in event.get("faults", ())  # none in results of earlier releases
        for message in one["messages"] or [None]
    ]
    verdicts = [
        {
            **one,
            "scale": {"min": one["scale_min"], "max": one["scale_max"]},
            "judge": dict(zip(("name", "model"), (*one["judge"].split(":", 1), None), strict=False)),
            "faults": [] if place else faults,
        }
        for place, one in enumerate(event["verdicts"])
    ]
    return Record(name, event["system"], "/score", "", {"verdicts": verdicts}, None)


def trace_ids(records: Sequence[Record], logs: Sequence[str], field: str | None) -> dict[int, str]:
    """Return the trace id of each record that has one, by the record's place: the log's id, or what `field` of its metadata
    says. Raises CommandError where `field` and `logs` do not come together."""
    if bool(logs) != bool(field):
        raise CommandError(
            "--trace-field and --logs require each other: results do not contain the metadata of logs."
        )
    if field is None:
        return {place: record.conversation for place, record in enumerate(records) if record.position is None}
    sources, _ = read_logs(logs, repeats=True)
    found = {source.digest: _text(source.log.get("metadata"), field) for source in sources}
    found |= {source.conversation: _text(source.log.get("metadata"), field) for source in sources}
    return {
        place: name
        for place, record in enumerate(records)
        if (name := found.get(record.digest or "") or found.get(record.conversation))
    }


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
            note = verdict["rationale"] if comments else None
            yield _score(target, verdict["factor"], verdict["score"], note, judge=verdict["judge"], more=more)
    for slug, lines in grouped((fault.fault, fault.text) for fault in faults_of(record)).items():
        judge = next(
            verdict["judge"]
            for verdict in record.verdicts
            if any(one["fault"] == slug for one in verdict.get("faults") or ())
        )
        note = "\n".join(lines) if comments else None
        yield _score(target, f"fault-{slug}", 1, note, judge=judge, more={}, fault=True)


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
    rater = judge_text(judge)
    own = str(uuid.uuid5(_NAMES, "\n".join((target, name, rater))))
    return TraceScore(own, target, name, value, comment, rater, bool(judge["model"]), fault, more)


@dataclass
class Sender:
    """Sends scores to one platform. `sent` is the file with the digests of scores that have arrived, a line each, and `known` what
    it held before. `refused` holds a line for each score that the platform does not take."""

    name: str
    sink: Sink
    address: str
    settings: Settings
    session: bool
    sent: Path
    known: set[str] = field(init=False)
    arrived: list[TraceScore] = field(default_factory=list)
    refused: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.known = set(self.sent.read_text(encoding="utf-8").split()) if self.sent.is_file() else set()

    def digest(self, score: TraceScore) -> str:
        """16 hex digits over a score and its destination."""
        kind = "_sessions" if self.session else "_traces"
        return json_digest([self.name, self.address, kind, asdict(score)])

    def send(self, scores: Sequence[TraceScore]) -> None:
        """Send the scores. Raises CommandError where the platform takes none: a wrong key, no answer after several attempts."""
        with httpx2.Client(headers=self.sink.headers(self.settings), timeout=SECONDS) as client:
            for start in range(0, len(scores), self.sink.most):
                self._send_batch(client, scores[start : start + self.sink.most])

    def _send_batch(self, client: httpx2.Client, scores: Sequence[TraceScore]) -> None:
        answer = self._answer(client, self.sink.make(scores, self.settings, self.session))
        if answer.is_success:
            # At once, so that a run that is stopped does not send them again.
            with self.sent.open("a", encoding="utf-8") as file:
                file.writelines(f"{self.digest(score)}\n" for score in scores)
            self.arrived += scores
        elif answer.is_redirect or answer.status_code in _ENDS_ALL:
            raise self._end(self._detail_of(answer))
        elif len(scores) == 1:
            self.refused.append(f"{scores[0].target} {scores[0].name}: {self._detail_of(answer)}")
        else:  # one bad score spoils a batch: halves find it
            half = len(scores) // 2
            self._send_batch(client, scores[:half])
            self._send_batch(client, scores[half:])

    def _answer(self, client: httpx2.Client, request: SinkRequest) -> httpx2.Response:
        for attempt in range(ATTEMPTS):
            try:
                answer = client.request(request.method, f"{self.address}{request.path}", json=request.body)
            except (httpx2.TransportError, httpx2.InvalidURL) as error:
                detail, asked = f"{type(error).__name__}: {error}", None
                unread = isinstance(error, httpx2.ConnectError)
            else:
                if answer.status_code != HTTPStatus.TOO_MANY_REQUESTS and not answer.is_server_error:
                    return answer
                detail, asked = self._detail_of(answer), answer.headers.get("Retry-After", "")
                unread = answer.status_code == HTTPStatus.TOO_MANY_REQUESTS
            if not (self.sink.replaces or unread):
                raise self._end(f"{detail}. A score may have arrived; it is not sent again in this run")
            if attempt < ATTEMPTS - 1:
                longer = float(asked) if asked and asked.isdigit() else FIRST_WAIT * 2**attempt
                time.sleep(min(longer, LONGEST_WAIT))
        raise self._end(detail)

    def _detail_of(self, answer: httpx2.Response) -> str:
        text = "".join(one if one.isprintable() else " " for one in answer.text)
        return self.masked(f"{answer.status_code} {' '.join(text.split())}".strip())[:_MOST_SHOWN]

    def _end(self, detail: str) -> CommandError:
        later = f"Arrived: {counted(len(self.arrived), 'score')}. The same command sends the others."
        return CommandError(self.masked(f"{self.name} at {self.address}: {detail}. {later}"), Exit.FAILED)

    def masked(self, text: str) -> str:
        """Return the text without keys, as they are and as headers hold them: an answer may repeat both."""
        keys = [self.settings.get(name) for name in self.sink.secrets]
        for key in (*self.sink.headers(self.settings).values(), *keys):
            text = text.replace(key, "***") if key else text
        return text
