"""Phoenix: `POST /v1/trace_annotations` and `/v1/session_annotations`. Name, trace and identifier tell annotations apart."""

from collections.abc import Mapping, Sequence

from ...inputs import Json
from ..sink import Settings, Sink, SinkRequest, TraceScore


def _headers(settings: Settings) -> Mapping[str, str]:
    key = settings.get("PHOENIX_API_KEY")
    return {"Authorization": f"Bearer {key}"} if key else {}


def _annotation(target: str, score: TraceScore) -> Json:
    return {
        target: score.target,
        "name": score.name,
        "annotator_kind": "LLM" if score.by_model else "CODE",
        "identifier": f"crs-eval:{score.judge}",
        "result": {
            "score": score.value,
            "label": "found" if score.fault else None,
            "explanation": score.comment,
        },
        "metadata": dict(score.metadata),
    }


def _make(scores: Sequence[TraceScore], _: Settings, session: bool) -> SinkRequest:
    kind = "session" if session else "trace"
    data = [_annotation(f"{kind}_id", score) for score in scores]
    # Phoenix then answers 404 for an unknown trace, instead of dropping its annotation later.
    return SinkRequest("POST", f"/v1/{kind}_annotations?sync=true", {"data": data})


SINK = Sink(
    described="https://arize.com/docs/phoenix/sdk-api-reference/rest-api/api-reference/traces/create-trace-annotations",
    addresses=("PHOENIX_COLLECTOR_ENDPOINT", "PHOENIX_BASE_URL"),
    default="http://localhost:6006",
    required=(),
    secrets=("PHOENIX_API_KEY",),
    headers=_headers,
    make=_make,
    sessions=True,
    most=100,
)
