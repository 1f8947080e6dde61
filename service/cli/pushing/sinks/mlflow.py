"""MLflow: `POST /api/3.0/mlflow/traces/{trace_id}/assessments`. The server names assessments, so that each arrival is one more."""

from collections.abc import Mapping, Sequence
from urllib.parse import quote

from ..sink import Settings, Sink, SinkRequest, TraceScore


def _headers(settings: Settings) -> Mapping[str, str]:
    token = settings.get("MLFLOW_TRACKING_TOKEN")
    return {"Authorization": f"Bearer {token}"} if token else {}


def _make(scores: Sequence[TraceScore], _: Settings, __: bool) -> SinkRequest:
    [score] = scores
    assessment = {
        "assessment_name": score.name,
        "trace_id": score.target,
        "source": {"source_type": "LLM_JUDGE" if score.by_model else "CODE", "source_id": score.judge},
        "feedback": {"value": bool(score.value) if score.fault else score.value},
        "metadata": {**score.metadata, "crs_eval_id": score.id},
        **({"rationale": score.comment} if score.comment else {}),
    }
    path = f"/api/3.0/mlflow/traces/{quote(score.target, safe='')}/assessments"
    return SinkRequest("POST", path, {"assessment": assessment})


SINK = Sink(
    described="https://mlflow.org/docs/latest/genai/assessments/feedback/",
    addresses=("MLFLOW_TRACKING_URI",),
    default="http://localhost:5000",
    required=(),
    secrets=("MLFLOW_TRACKING_TOKEN",),
    headers=_headers,
    make=_make,
    replaces=False,
)
