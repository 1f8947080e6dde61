"""Answers in this process, by the path that the API has for them."""

from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from pydantic import BaseModel
from pydantic_core import from_json, to_json

from .alignment import align_pairs
from .audit import audit
from .choices import choices_of, factors_of
from .compare import compare_logs
from .debate import debate_one_log, evaluate_log
from .deployment import Deployment
from .exam import examine_judge
from .metrics import compute_metrics
from .parsing import checked, parse
from .ratings import agree, calibrate_judges
from .score import score_log
from .simulate import profile_of, simulate
from .wire.agreement import AgreementRequest
from .wire.alignment import AlignmentRequest
from .wire.audit import AuditRequest
from .wire.calibrate import CalibrateRequest
from .wire.compare import CompareRequest
from .wire.debate import DebateRequest, EvaluateRequest
from .wire.exam import ExamRequest
from .wire.metrics import MetricsRequest
from .wire.score import ScoreRequest
from .wire.simulate import ProfileRequest, SimulateRequest

POSTED: Mapping[str, tuple[type[BaseModel], Callable[[Any, Deployment], Awaitable[BaseModel]]]] = {
    "/score": (ScoreRequest, score_log),
    "/debate": (DebateRequest, debate_one_log),
    "/evaluate": (EvaluateRequest, evaluate_log),
    "/simulate": (SimulateRequest, simulate),
    "/simulate/profile": (ProfileRequest, profile_of),
    "/simulate/audit": (AuditRequest, audit),
    "/compare": (CompareRequest, compare_logs),
    "/behavior-alignment": (AlignmentRequest, align_pairs),
    "/computational-metrics": (MetricsRequest, compute_metrics),
    "/agreement": (AgreementRequest, agree),
    "/calibrate": (CalibrateRequest, calibrate_judges),
    "/exam": (ExamRequest, examine_judge),
}
LISTED: Mapping[str, Callable[[Deployment], BaseModel]] = {"/choices": choices_of, "/factors": factors_of}


async def answer_checked(path: str, values: Mapping[str, Any], deployment: Deployment) -> BaseModel:
    """Return the answer to a POST of these values. Raises CrsEvalError as the use case does."""
    model, work = POSTED[path]
    return await work(checked(model, values), deployment)


async def answer(path: str, body: Mapping[str, Any], deployment: Deployment) -> dict[str, Any]:
    """Return the answer to a POST as JSON values. Raises CrsEvalError as the use case does."""
    model, work = POSTED[path]
    return _values(await work(parse(model, to_json(body), deployment.limits.depth), deployment))


def listed(path: str, deployment: Deployment) -> dict[str, Any]:
    """Return the answer to a GET as JSON values."""
    return _values(LISTED[path](deployment))


def _values(answer: BaseModel) -> dict[str, Any]:
    found: dict[str, Any] = from_json(to_json(answer))
    return found
