"""`GET /faults`."""

from fastapi import APIRouter
from pydantic_core import to_json
from starlette.responses import Response

from ...faults import load_faults
from ...faults.measured import load_measurements
from ..openapi_parts import problems
from ..wire.faults import FaultInfo, FaultsAnswer

router = APIRouter(tags=["factors"])


@router.get("/faults", summary="List the faults", response_model=FaultsAnswer, responses=problems(500))
async def list_faults() -> Response:
    """Every fault with its costs, its definition, an example, and how well the embedded judge finds it."""
    faults, measured = load_faults(), load_measurements()
    answer = FaultsAnswer(
        faults=[FaultInfo.of(fault, measured.get(fault.slug, [])) for fault in faults.values()],
        revision=faults.revision,
    )
    return Response(to_json(answer), media_type="application/json")
