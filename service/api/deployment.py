"""The deployment of a request."""

from dataclasses import replace
from typing import Annotated

from fastapi import Depends, Request

from ..usecases.deployment import Deployment


async def _deployment(request: Request) -> Deployment:
    deployment: Deployment = request.state.deployment
    state = request.scope["state"]
    if "seconds" in state:  # what a request that waited for a worker has left
        deployment = replace(deployment, limits=replace(deployment.limits, seconds=state["seconds"]))
    key = state.get("api_key")
    return deployment if key is None else replace(deployment, caller=key)


CurrentDeployment = Annotated[Deployment, Depends(_deployment)]
