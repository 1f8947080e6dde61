"""`GET /choices`: what a request may name in this deployment."""

from fastapi import APIRouter

from ...usecases.choices import Choices, choices_of
from ..deployment import CurrentDeployment
from ..openapi_parts import problems

router = APIRouter(tags=["factors"])


@router.get(
    "/choices", summary="List what requests may name", response_model=Choices, responses=problems(422, 500)
)
async def list_choices(deployment: CurrentDeployment) -> Choices:
    """The judges, roles, recommenders and catalogues that the operator lets callers name: what a form
    offers. The names of factors are those of `GET /factors`."""
    return choices_of(deployment)
