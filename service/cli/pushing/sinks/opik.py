"""Opik: `PUT /v1/private/traces/feedback-scores`, at most 1,000 a request. Trace and name tell scores apart."""

from collections.abc import Mapping, Sequence

from ...inputs import Json
from ..sink import Settings, Sink, SinkRequest, TraceScore


def _headers(settings: Settings) -> Mapping[str, str]:
    known = {
        "authorization": settings.get("OPIK_API_KEY"),
        "Comet-Workspace": settings.get("OPIK_WORKSPACE"),
    }
    return {name: value for name, value in known.items() if value}


def _score(target: str, score: TraceScore, settings: Settings) -> Json:
    project = settings.get("OPIK_PROJECT_NAME")
    return {
        target: score.target,
        "name": score.name,
        "value": score.value,
        "reason": score.comment,
        "source": "sdk",
        **({"project_name": project} if project else {}),
    }


def _traces(scores: Sequence[TraceScore], settings: Settings) -> SinkRequest:
    body = {"scores": [_score("id", score, settings) for score in scores]}
    return SinkRequest("PUT", "/v1/private/traces/feedback-scores", body)


def _sessions(scores: Sequence[TraceScore], settings: Settings) -> SinkRequest:
    body = {"scores": [_score("thread_id", score, settings) for score in scores]}
    return SinkRequest("PUT", "/v1/private/traces/threads/feedback-scores", body)


SINK = Sink(
    described="https://www.comet.com/docs/opik/reference/rest-api/overview",
    addresses=("OPIK_URL_OVERRIDE",),
    default="https://www.comet.com/opik/api",
    required=(),
    secrets=("OPIK_API_KEY",),
    headers=_headers,
    traces=_traces,
    sessions=_sessions,
    most=1000,
)
