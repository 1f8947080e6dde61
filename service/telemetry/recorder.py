"""Measurements of the service itself: requests, calls of models, verdicts.

Verdicts are counted in plain dictionaries that the exporters read when they collect: a recorded
histogram costs some microseconds, and a cached answer has twelve verdicts. Nothing here takes a
message, a prompt, a key or an exception's text."""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from threading import Lock
from types import MappingProxyType
from typing import Any

from opentelemetry.metrics import CallbackOptions, Meter, Observation
from opentelemetry.trace import Tracer

from ..domain.completion import Usage
from ..domain.verdict import Failed, NotAssessable, Scored, Verdict
from . import names

OTHER = "other"
CUSTOM = "custom"
"""The label of all factors that callers send with a request."""
LONGEST = 64
"""Characters of a label that are kept."""


class BoundedLabels:
    """Gives the first `most` distinct values a label of their own, and all later ones `other`.
    A value that is missing has the empty label, which Prometheus reads as none."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._known: dict[str, str] = {}

    def of(self, value: str | None) -> str:
        if not value:
            return ""
        label = self._known.get(value)
        if label is None:
            if len(self._known) >= self._most:
                return OTHER
            printable = "".join(mark if mark.isprintable() else " " for mark in value[:LONGEST])
            label = self._known[value] = printable.strip() or OTHER
        return label


SYSTEMS = 50
JUDGES = 20
MODELS = 20
MOST_SERIES = 20_000
"""Of verdicts: what comes beyond is counted under the system `other`."""

SECONDS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120)
TOKENS = (64, 256, 1024, 4096, 16384, 65536, 262144)

_VERDICT_LABELS = (names.FACTOR, names.SYSTEM, names.JUDGE, names.COMPLETE, names.STATUS, names.LEVEL)
_VerdictKey = tuple[str, str, str, str, str, str]
_ScoreKey = tuple[str, str, str, str]
"""The labels that sums of scores have: the first four."""

_FAULT_LABELS = (names.SYSTEM, names.FAULT, names.CERTAIN)
_FaultKey = tuple[str, str, str]
Attributes = Mapping[str, str | float | bool | Sequence[str]]


@dataclass(frozen=True, slots=True)
class VerdictCounts:
    """Verdicts as they are counted: their series, what is added to the sums of scores, and their faults."""

    keys: tuple[_VerdictKey, ...]
    scores: tuple[tuple[_ScoreKey, float], ...]
    faults: tuple[_FaultKey, ...]
    events: tuple[Attributes, ...]


class Recorder:
    """The instruments of one process. `tracer`, where given, makes spans of requests and of what they call;
    `tell` takes the attributes of an event for each verdict. `homes` maps each fault to its home factor, with whose verdict it is counted."""

    def __init__(
        self,
        meter: Meter,
        tracer: Tracer | None = None,
        tell: Callable[[Attributes], None] | None = None,
        systems: int = SYSTEMS,
        homes: Mapping[str, str] | None = None,
    ) -> None:
        self._homes = homes or {}
        self.tracer = tracer
        self.active = 0
        self._tell_event = tell
        self.systems, self._judges, self._models = map(BoundedLabels, (systems, JUDGES, MODELS))
        self._verdicts: Counter[_VerdictKey] = Counter()
        self._scores: Counter[_ScoreKey] = Counter()
        self._faults: Counter[_FaultKey] = Counter()
        self._counting = Lock()
        self._requests = meter.create_histogram(
            names.HTTP_DURATION,
            "s",
            "Time until a request was answered.",
            explicit_bucket_boundaries_advisory=SECONDS,
        )
        self._calls = meter.create_histogram(
            names.CALL_DURATION,
            "s",
            "Time that one call of a model took.",
            explicit_bucket_boundaries_advisory=SECONDS,
        )
        self._tokens = meter.create_histogram(
            names.TOKEN_USAGE, "{token}", "Tokens of a call.", explicit_bucket_boundaries_advisory=TOKENS
        )
        self._cost = meter.create_counter(
            names.COST, description="Cost of calls in the currency of the configured prices."
        )
        meter.create_observable_counter(
            names.VERDICTS,
            [self._observe(self._verdicts, _VERDICT_LABELS)],
            description="Verdicts, scored ones by level.",
        )
        meter.create_observable_counter(
            names.SCORE_SUM,
            [self._observe(self._scores, _VERDICT_LABELS[:4])],
            description="Sum of the scores of scored verdicts.",
        )
        meter.create_observable_counter(
            names.FAULTS,
            [self._observe(self._faults, _FAULT_LABELS)],
            description="Replies with a fault, in conversations that are over.",
        )
        meter.create_observable_up_down_counter(
            names.HTTP_ACTIVE,
            [lambda _: [Observation(self.active)]],
            description="Requests that are being answered.",
        )

    def request(self, method: str, route: str, status: int, seconds: float) -> None:
        """A request was answered; `route` is the template, empty for a path that there is not."""
        self._requests.record(
            seconds, {names.HTTP_METHOD: method, names.HTTP_ROUTE: route, names.HTTP_STATUS: status}
        )

    def call(
        self,
        provider: str,
        model: str,
        seconds: float,
        *,
        usage: Usage,
        cost: float | None,
        error: str | None,
    ) -> None:
        """A call of a model ended; `error` is the code of its failure."""
        labels = {
            names.OPERATION: names.CHAT,
            names.PROVIDER: provider,
            names.REQUEST_MODEL: self._models.of(model),
        }
        self._calls.record(seconds, labels | {names.ERROR_TYPE: error or ""})
        for kind, number in (("input", usage.input_tokens), ("output", usage.output_tokens)):
            if number:
                self._tokens.record(number, labels | {names.TOKEN_TYPE: kind})
        if cost:
            self._cost.add(cost, {names.PROVIDER: provider, names.REQUEST_MODEL: labels[names.REQUEST_MODEL]})

    def verdict(
        self, verdict: Verdict, system: str | None, complete: bool = True, about: Attributes | None = None
    ) -> None:
        """Count a verdict on a conversation with `system`, which is over (`complete`) or still goes on. Its event also says what
        `about` holds."""
        self.again(self.tally((verdict,), system, complete=complete), about or {})

    def tally(
        self, verdicts: Sequence[Verdict], system: str | None, *, complete: bool = True
    ) -> VerdictCounts:
        """Return the counts of these verdicts, for callers that count the same ones often."""
        label = self.systems.of(system)
        keys = tuple(self._key(verdict, label, complete=complete) for verdict in verdicts)
        scores = tuple(
            ((key[0], key[1], key[2], key[3]), verdict.score)
            for key, verdict in zip(keys, verdicts, strict=True)
            if isinstance(verdict, Scored)
        )
        faults = tuple(self._fault_keys(verdicts, label)) if complete else ()
        if self._tell_event is None:
            return VerdictCounts(keys, scores, faults, ())
        events = (
            _attributes(verdict, key[1], key[4], complete=complete)
            for key, verdict in zip(keys, verdicts, strict=True)
        )
        return VerdictCounts(keys, scores, faults, tuple(events))

    def _fault_keys(self, verdicts: Sequence[Verdict], system: str) -> Iterator[_FaultKey]:
        """Yield each fault of each reply once: the verdicts of other factors repeat it."""
        for verdict in verdicts:
            for found in verdict.faults:
                if self._homes.get(found.fault) == verdict.factor:
                    yield system, found.fault, "true" if found.certain else "false"

    def again(self, tally: VerdictCounts, about: Attributes = MappingProxyType({})) -> None:
        """Count verdicts, and tell of each as an event where somebody listens; events also say what `about` holds."""
        with self._counting:
            self._verdicts.update(tally.keys)
            self._faults.update(tally.faults)
            for group, score in tally.scores:
                # A counter of floats: `Counter` is typed for whole numbers, and adds any.
                self._scores[group] += score  # type: ignore[assignment]
        if self._tell_event is not None:
            for event in tally.events:
                self._tell_event({**event, **about})

    def _key(self, verdict: Verdict, system: str, *, complete: bool) -> _VerdictKey:
        level = str(verdict.level) if isinstance(verdict, Scored) else ""
        # A conversation that is posted after each message has a verdict at every post, one when it is over.
        over = "true" if complete else "false"
        factor = CUSTOM if verdict.factor.startswith("custom-") else verdict.factor
        key = (factor, system, self._judges.of(str(verdict.judge)), over, _STATUS[type(verdict)], level)
        if key not in self._verdicts and len(self._verdicts) >= MOST_SERIES:
            return (key[0], OTHER, *key[2:])
        return key

    def _observe(
        self, counted: Counter[Any], labels: Sequence[str]
    ) -> Callable[[CallbackOptions], Iterator[Observation]]:
        def observe(_: CallbackOptions) -> Iterator[Observation]:
            with self._counting:
                found = list(counted.items())
            for key, number in found:
                yield Observation(number, dict(zip(labels, key, strict=True)))

        return observe


_STATUS = {Scored: "scored", NotAssessable: "not_assessable", Failed: "failed"}


def _attributes(verdict: Verdict, system: str, status: str, *, complete: bool) -> Attributes:
    """Return what the evaluation event of the GenAI conventions says, without its explanation: rationales
    quote logs."""
    attributes: dict[str, str | float | bool | Sequence[str]] = {
        names.EVALUATION_NAME: verdict.factor,
        names.VERDICT_STATUS: status,
        names.SYSTEM: system,
        names.JUDGE: str(verdict.judge),
        names.REVISION: verdict.evaluator_revision,
        names.CACHED: verdict.cached,
        names.COMPLETE_LOG: complete,
    }
    if verdict.faults:
        attributes[names.FAULT_LIST] = sorted({one.fault for one in verdict.faults})
    if isinstance(verdict, Scored):
        attributes |= {names.EVALUATION_SCORE: verdict.score, names.EVALUATION_LABEL: str(verdict.level)}
    if isinstance(verdict, Failed):
        attributes[names.ERROR_TYPE] = verdict.code
    return attributes
