"""`POST /exam`."""

import asyncio
from collections.abc import Sequence
from dataclasses import replace

from fastapi import APIRouter, Request
from starlette.responses import Response

from ...domain.conversation import ConversationLog
from ...domain.verdict import NotAssessable, Verdict
from ...exam.estimate import estimate
from ...exam.pair import Exam
from ...exam.report import report
from ...exam.run import sit
from ...faults import load_faults
from ...scoring.score import in_order
from ..answers import json_response
from ..body import read, unless_gone
from ..openapi_parts import posted
from ..plans.exam import plan_exam, plan_questions, with_log
from ..plans.scoring import ScoringPlan
from ..services import Here
from ..wire.exam import ExamAnswer, ExamReport, ExamRequest
from .score import cache_status, raise_if_upstream_failed

router = APIRouter(tags=["exam"])


@router.post(
    "/exam",
    summary="Examine a judge",
    **posted(ExamRequest, ExamAnswer, 502, 504),
)
async def examine_judge(request: Request, here: Here) -> Response:
    """Has a judge take an exam: pairs of a good conversation and the same with one fault. Reports how often the judge sees
    each fault, how often other factors move, and how often it reports faults in good conversations. With `estimate: true`,
    says how many calls and tokens the exam takes, without asking the judge.

    The deadline of a request holds for the whole exam. Send a model's exam in parts, by `ids`, and put the `outcomes` together."""
    body = await read(request, ExamRequest, here.limits)
    exam, plan = await asyncio.to_thread(plan_exam, body, here), plan_questions(body, here)
    expected = estimate(exam, plan.inquiry, plan.routes)
    verdicts: Sequence[Verdict] = ()
    found = None
    if not body.estimate:
        found, verdicts = await unless_gone(request.receive, examined(exam, plan))
    answer = ExamAnswer(estimate=expected, report=found)
    return json_response(answer, cache_status(verdicts))


async def examined(exam: Exam, plan: ScoringPlan) -> tuple[ExamReport, Sequence[Verdict]]:
    """Have the judge take the exam. Raises CrsEvalError where it could not be reached."""

    async def ask(log: ConversationLog) -> Sequence[Verdict]:
        inquiry = with_log(plan, log)
        found = [one async for one in replace(plan, inquiry=inquiry).verdicts()]
        return in_order(found, inquiry.factors)

    sitting, verdicts = await sit(exam, ask, plan.factors)
    # Factors that a log gives no occasion for are no sign that the judge can be reached.
    asked = [one for one in verdicts if not isinstance(one, NotAssessable)]
    raise_if_upstream_failed(asked, plan.factors)
    faults = load_faults()
    found = await asyncio.to_thread(report, sitting, faults, faults.revision)
    return ExamReport.of(found), verdicts
