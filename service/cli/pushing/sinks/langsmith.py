"""LangSmith: `POST /api/v1/feedback`, one score a request. Its documentation does not say what feedback with a known id does.
https://docs.langchain.com/langsmith/smith-api/feedback/create-feedback"""

from collections.abc import Sequence
from functools import partial

from . import Settings, Sink, SinkRequest, TraceScore, present


def _make(scores: Sequence[TraceScore], settings: Settings, _: bool) -> SinkRequest:
    [score] = scores
    project = settings.get("LANGSMITH_PROJECT_ID")
    source = {
        "type": "model" if score.by_model else "api",
        "metadata": {**score.metadata, "judge": score.judge},
    }
    body = {
        "id": score.id,
        "run_id": score.target,
        "trace_id": score.target,
        "key": score.name,
        "score": score.value,
        "comment": score.comment,
        "feedback_source": source,
        **({"session_id": project} if project else {}),
    }
    return SinkRequest("POST", "/api/v1/feedback", body)


SINK = Sink(
    addresses=("LANGSMITH_ENDPOINT",),
    default="https://api.smith.langchain.com",
    required=("LANGSMITH_API_KEY",),
    secrets=("LANGSMITH_API_KEY",),
    headers=partial(
        present, headers={"X-Api-Key": "LANGSMITH_API_KEY", "X-Tenant-Id": "LANGSMITH_WORKSPACE_ID"}
    ),
    make=_make,
    replaces=False,
)
