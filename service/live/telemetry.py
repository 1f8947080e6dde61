"""Metrics of `crs-eval live`. Conversations that are over count once; those in progress count apart."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from opentelemetry import context as contexts
from opentelemetry.metrics import CallbackOptions, Meter, Observation
from opentelemetry.trace import NonRecordingSpan, SpanContext, TraceFlags, set_span_in_context

from ..store.conversations.protocol import ClaimedConversation, Level, merged
from ..telemetry import names
from ..telemetry.recorder import Attributes, Recorder
from .conversation import Ended
from .drift.watch import Change
from .sampling import Outcome
from .verdicts import Judgement
from .worker import Hooks

CHANGE = "change"
ENDED = "ended"
OUTCOME = "outcome"
REVISED = "revised"
STAGE = "stage"
OUTPUT = "output"


class LiveTelemetry:
    """Counts what a worker did, as Prometheus and OTLP read it, and tells verdicts as events on the conversation's trace."""

    def __init__(self, meter: Meter, recorder: Recorder) -> None:
        self._recorder = recorder
        self._systems = recorder.systems
        self._level = Level(0, 0, 0, 0, 0, 0.0)
        self._judged = meter.create_counter(
            "crs_eval.live.conversations", description="Conversations that were judged."
        )
        self._refused = meter.create_counter(
            "crs_eval.live.refused", description="What was moved to the dead letters."
        )
        self._sampled = meter.create_counter(
            "crs_eval.live.model", description="Conversations that are over, by what came of asking a model."
        )
        self._alarms = meter.create_counter(
            "crs_eval.live.alarms", description="Changes of a system's scores or faults that were noticed."
        )
        meter.create_observable_up_down_counter(
            "crs_eval.live.waiting", [self._observe], description="Conversations, posts and events that wait."
        )
        meter.create_observable_gauge(
            "crs_eval.live.dead_letters",
            [lambda _: [Observation(self._level.dead_letters)]],
            description="Dead letters that are kept.",
        )
        meter.create_observable_gauge(
            "crs_eval.live.oldest_due",
            [lambda _: [Observation(self._level.oldest_due)]],
            "s",
            "Time since the oldest due conversation became due.",
        )
        self._begin_at_zero()

    def _begin_at_zero(self) -> None:
        """Make the series whose labels are known: Prometheus sees no increase in one that begins with 1."""
        for ended in Ended:
            for revised in ("true", "false"):
                self._judged.add(0, {names.SYSTEM: "", ENDED: ended.value, REVISED: revised})
        for outcome in Outcome:
            self._sampled.add(0, {names.SYSTEM: "", OUTCOME: outcome.value})
        for change in Change:
            self._alarms.add(0, {names.SYSTEM: "", names.FACTOR: "", names.FAULT: "", CHANGE: change.value})

    def hooks(self, outputs: Sequence[str] = ()) -> Hooks:
        for output in ("entry", "judging", *outputs):
            self._refused.add(0, {OUTPUT: output})
        return Hooks(self.judged, self.level, lambda output: self._refused.add(1, {OUTPUT: output}))

    def judged(self, due: ClaimedConversation, judgement: Judgement) -> None:
        result = judgement.result
        labels = {names.SYSTEM: self._systems.of(result.system or None), ENDED: result.ended.value}
        self._judged.add(1, {**labels, REVISED: "true" if result.revision > 1 else "false"})
        if result.model:
            self._sampled.add(1, {names.SYSTEM: labels[names.SYSTEM], OUTCOME: result.model})
        token = contexts.attach(_trace_of(due))
        try:
            over = result.ended is not Ended.IN_PROGRESS
            for verdict, live in zip(judgement.verdicts, result.verdicts, strict=True):
                about: Attributes = {
                    names.CONVERSATION: result.conversation,
                    names.CONVERSATION_REVISION: result.revision,
                    names.SCALE_MIN: live.scale_min,
                    names.SCALE_MAX: live.scale_max,
                }
                self._recorder.verdict(verdict, result.system or None, over, about)
        finally:
            contexts.detach(token)

    def noticed(self, alarm: Mapping[str, Any]) -> None:
        system, factor = self._systems.of(alarm["system"] or None), alarm["factor"]
        labels = {names.SYSTEM: system, names.FACTOR: factor, names.FAULT: alarm.get("fault") or ""}
        self._alarms.add(1, {**labels, CHANGE: alarm["change"]})

    def level(self, level: Level) -> None:
        self._level = level

    def _observe(self, _: CallbackOptions) -> Iterable[Observation]:
        for stage in ("open", "due", "queued", "undelivered"):
            yield Observation(getattr(self._level, stage), {STAGE: stage})


def _trace_of(due: ClaimedConversation) -> contexts.Context:
    """The context in which an event belongs to the conversation's own trace; the present one where none is known."""
    trace = merged(due.facts).get("trace")
    if not trace:
        return contexts.get_current()
    span = SpanContext(
        int(trace["trace_id"], 16), int(trace["span_id"], 16), True, TraceFlags(TraceFlags.SAMPLED)
    )
    return set_span_in_context(NonRecordingSpan(span))
