"""`GET /factors` and `GET /factors/{slug}`."""

from fastapi import APIRouter
from pydantic_core import to_json
from starlette.responses import Response

from ..openapi_parts import problems
from ..services import Here
from ..wire.factor import FactorInfo, FactorsAnswer
from .score import Slug, no_such_factor

router = APIRouter(tags=["factors"])


@router.get("/factors", summary="List the factors", response_model=FactorsAnswer, responses=problems(500))
async def list_factors(here: Here) -> Response:
    """Every factor with its whole rubric, protocol by protocol."""
    answer = FactorsAnswer(factors=[FactorInfo.of(factor) for factor in here.factors.values()])
    return Response(to_json(answer), media_type="application/json")


@router.get(
    "/factors/{slug}", summary="Read one factor", response_model=FactorInfo, responses=problems(404, 500)
)
async def get_factor(slug: Slug, here: Here) -> Response:
    """One factor with its whole rubric."""
    if slug not in here.factors:
        raise no_such_factor(slug, here)
    return Response(to_json(FactorInfo.of(here.factors[slug])), media_type="application/json")
