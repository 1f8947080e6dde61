"""Opik: `PUT /v1/private/traces/feedback-scores`, at most 1,000 a request. Trace and name tell scores apart.
https://www.comet.com/docs/opik/reference/rest-api/overview"""

from collections.abc import Sequence
from functools import partial

from . import Settings, Sink, SinkRequest, TraceScore, present


def _make(scores: Sequence[TraceScore], settings: Settings, session: bool) -> SinkRequest:
    project = settings.get("OPIK_PROJECT_NAME")
    rows = [
        {
            "thread_id" if session else "id": score.target,
            "name": score.name,
            "value": score.value,
            "reason": score.comment,
            "source": "sdk",
            **({"project_name": project} if project else {}),
        }
        for score in scores
    ]
    path = f"/v1/private/traces/{'threads/' if session else ''}feedback-scores"
    return SinkRequest("PUT", path, {"scores": rows})


SINK = Sink(
    addresses=("OPIK_URL_OVERRIDE",),
    default="https://www.comet.com/opik/api",
    required=(),
    secrets=("OPIK_API_KEY",),
    headers=partial(present, headers={"authorization": "OPIK_API_KEY", "Comet-Workspace": "OPIK_WORKSPACE"}),
    make=_make,
    sessions=True,
    most=1000,
)
