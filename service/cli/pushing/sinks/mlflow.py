"""MLflow: `POST /api/3.0/mlflow/traces/{trace_id}/assessments`. The server names assessments, so that each arrival is one more.
https://mlflow.org/docs/latest/genai/assessments/feedback/"""

from collections.abc import Sequence
from urllib.parse import quote

from . import Settings, Sink, SinkRequest, TraceScore, bearer


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
    addresses=("MLFLOW_TRACKING_URI",),
    default="http://localhost:5000",
    required=(),
    secrets=("MLFLOW_TRACKING_TOKEN",),
    headers=lambda settings: bearer(settings.get("MLFLOW_TRACKING_TOKEN")),
    make=_make,
    replaces=False,
)
