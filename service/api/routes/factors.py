"""`GET /factors`, `GET /factors/{slug}` and `GET /faults`."""

from fastapi import APIRouter
from starlette.responses import Response

from ...faults import load_faults
from ...faults.measured import load_measurements
from ...usecases.choices import factors_of
from ...usecases.wire.factor import FactorInfo, FactorsAnswer, FaultInfo, FaultsAnswer
from ..answers import json_response
from ..deployment import CurrentDeployment
from ..openapi_parts import problems
from .score import Slug, no_such_factor

router = APIRouter(tags=["factors"])


@router.get(
    "/factors", summary="List the factors", response_model=FactorsAnswer, responses=problems(422, 500)
)
async def list_factors(deployment: CurrentDeployment) -> Response:
    """Every factor with its whole rubric, protocol by protocol."""
    return json_response(factors_of(deployment))


@router.get(
    "/factors/{slug}", summary="Read one factor", response_model=FactorInfo, responses=problems(404, 500)
)
async def get_factor(slug: Slug, deployment: CurrentDeployment) -> Response:
    """One factor with its whole rubric."""
    if slug not in deployment.factors:
        raise no_such_factor(slug, deployment)
    return json_response(FactorInfo.of(deployment.factors[slug]))


@router.get("/faults", summary="List the faults", response_model=FaultsAnswer, responses=problems(422, 500))
async def list_faults() -> Response:
    """Every fault with its costs, its definition, an example, and how well the embedded judge finds it."""
    faults, measured = load_faults(), load_measurements()
    listed = [FaultInfo.of(fault, measured=measured.get(fault.slug, [])) for fault in faults.values()]
    return json_response(FaultsAnswer(faults=listed, revision=faults.revision))
