"""`GET /metrics`: Prometheus text for scrapers of this process."""

from fastapi import APIRouter, Request
from starlette.responses import Response

from ...telemetry.telemetry import PROMETHEUS_TEXT, Telemetry

router = APIRouter(tags=["operations"])


@router.get(
    "/metrics",
    summary="Metrics as Prometheus text",
    response_class=Response,
    responses={
        200: {"description": "Prometheus text.", "content": {"text/plain": {"schema": {"type": "string"}}}}
    },
)
async def get_prometheus(request: Request) -> Response:
    """This process's own metrics: every replica is scraped by itself."""
    telemetry: Telemetry = request.state.telemetry
    return Response(telemetry.prometheus(), media_type=PROMETHEUS_TEXT)
