"""Phoenix: `POST /v1/trace_annotations` and `/v1/session_annotations`. Name, trace and identifier tell annotations apart.
https://arize.com/docs/phoenix/sdk-api-reference/rest-api/api-reference/traces/create-trace-annotations"""

from collections.abc import Sequence

from . import Settings, Sink, SinkRequest, TraceScore, bearer


def _make(scores: Sequence[TraceScore], _: Settings, session: bool) -> SinkRequest:
    kind = "session" if session else "trace"
    data = [
        {
            f"{kind}_id": score.target,
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
        for score in scores
    ]
    # Phoenix then answers 404 for an unknown trace, instead of dropping its annotation later.
    return SinkRequest("POST", f"/v1/{kind}_annotations?sync=true", {"data": data})


SINK = Sink(
    addresses=("PHOENIX_COLLECTOR_ENDPOINT", "PHOENIX_BASE_URL"),
    default="http://localhost:6006",
    required=(),
    secrets=("PHOENIX_API_KEY",),
    headers=lambda settings: bearer(settings.get("PHOENIX_API_KEY")),
    make=_make,
    sessions=True,
    most=100,
)
