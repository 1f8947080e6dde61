"""`POST /compare`."""

from collections.abc import Sequence

from fastapi import APIRouter, Request
from starlette.responses import Response

from ...comparison.preference import Preference
from ...domain.completion import NO_USAGE
from ..answers import digest, hit_rate, json_response
from ..body import read, unless_gone
from ..openapi_parts import posted
from ..plans.comparison import ComparisonPlan, plan_comparison, preferences
from ..services import Here
from ..wire.compare import CompareAnswer, CompareRequest, PairPreference
from ..wire.score import Notice
from ..wire.verdict import JudgeRef

router = APIRouter(tags=["compare"])


@router.post(
    "/compare",
    summary="Compare two conversations",
    **posted(CompareRequest, CompareAnswer, 502, 504),
)
async def compare_logs(request: Request, here: Here) -> Response:
    """Says on each factor, and overall, which of two conversations is better. A model is asked in both orders, and a preference
    that turns with the order is a tie. The embedded judge compares its scores; small differences are ties."""
    plan = plan_comparison(await read(request, CompareRequest, here.limits), here)
    found = await unless_gone(request.receive, preferences(plan))
    return json_response(compare_answer(found, plan), _cache_status(found))


def compare_answer(found: Sequence[Preference], plan: ComparisonPlan) -> CompareAnswer:
    """The answer of `/compare`."""
    judges = dict.fromkeys(one.judge for one in found)
    return CompareAnswer(
        preferences=[PairPreference.of(one) for one in found[:-1]],
        overall=PairPreference.of(found[-1]),
        judges=[JudgeRef.of(judge) for judge in judges],
        comparison_key=_comparison_key(found, plan),
        usage=sum((one.usage for one in found), NO_USAGE),
        warnings=_warnings(found),
    )


def _comparison_key(found: Sequence[Preference], plan: ComparisonPlan) -> str:
    asked = sorted((one.factor, one.evaluator_revision, str(one.judge)) for one in found)
    return digest(asked, sorted(plan.options.items()))


def _warnings(found: Sequence[Preference]) -> list[Notice]:
    missing = sum(one.preferred is None for one in found)
    if not missing:
        return []
    detail = f"{missing} of {len(found)} questions have no preference; `reason` says why."
    return [Notice(code="no_preference", detail=detail)]


def _cache_status(found: Sequence[Preference]) -> dict[str, str]:
    orders = [order for one in found for order in one.orders]
    return hit_rate(sum(order.cached for order in orders), len(orders))
