"""Langfuse: `POST /api/public/scores`, one score a request. A score with a known id replaces it.
https://api.reference.langfuse.com"""

import base64
from collections.abc import Mapping, Sequence

from . import Settings, Sink, SinkRequest, TraceScore


def _headers(settings: Settings) -> Mapping[str, str]:
    pair = f"{settings['LANGFUSE_PUBLIC_KEY']}:{settings['LANGFUSE_SECRET_KEY']}"
    return {"Authorization": f"Basic {base64.b64encode(pair.encode()).decode()}"}


def _make(scores: Sequence[TraceScore], _: Settings, session: bool) -> SinkRequest:
    [score] = scores
    body = {
        "id": score.id,
        "sessionId" if session else "traceId": score.target,
        "name": score.name,
        "value": score.value,
        "dataType": "BOOLEAN" if score.fault else "NUMERIC",
        "comment": score.comment,
        "metadata": {**score.metadata, "judge": score.judge},
    }
    return SinkRequest("POST", "/api/public/scores", body)


SINK = Sink(
    addresses=("LANGFUSE_BASE_URL", "LANGFUSE_HOST"),
    default="https://cloud.langfuse.com",
    required=("LANGFUSE_PUBLIC_KEY", "LANGFUSE_SECRET_KEY"),
    secrets=("LANGFUSE_PUBLIC_KEY", "LANGFUSE_SECRET_KEY"),
    headers=_headers,
    make=_make,
    sessions=True,
)
