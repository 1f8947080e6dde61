"""Factors of the caller's own, checked and made harmless, beside those of the service."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from pydantic import ValidationError

from ...domain.rubric import Factor
from ...errors import InvalidRequest
from ...factors.document import CustomDocument
from ...prompts.hostile import neutralise
from ..deployment import Deployment
from ..wire.rubric import Rubric

LARGEST = 20_000
"""Characters of all rubrics of a request: each is part of every prompt for its factor."""


def with_rubrics(rubrics: Sequence[Rubric] | None, deployment: Deployment) -> Deployment:
    """Return the deployment with the factors that a request brings. Their text is a stranger's: it enters prompts as a
    log's does, unable to forge a tag or a line of the rubric. Raises InvalidRequest with the place of what is wrong."""
    if not rubrics:
        return deployment
    own: dict[str, Factor] = {}
    size = 0
    for index, rubric in enumerate(rubrics):
        given = rubric.model_dump(exclude_none=True)
        size += len(str(given))
        if size > LARGEST:
            raise InvalidRequest.at(
                f"/rubrics/{index}",
                "the rubrics are too long together",
                f"keep them under {LARGEST} characters",
            )
        if rubric.slug in own:
            raise InvalidRequest.at(
                f"/rubrics/{index}/slug", "two rubrics have this slug", "give each a different slug"
            )
        own[rubric.slug] = _factor(given, index)
    return replace(deployment, factors=deployment.factors.joined(own.values()))


def _factor(given: dict[str, Any], index: int) -> Factor:
    try:
        return CustomDocument.model_validate(_harmless(given)).factor()
    except ValidationError as error:
        first = error.errors()[0]
        place = "".join(f"/{part}" for part in first["loc"] if part != "[key]")
        detail = first["msg"].removeprefix("Value error, ")
        fix = "write it as a factor file is written; GET /factors shows the form"
        raise InvalidRequest.at(f"/rubrics/{index}{place}", detail, fix) from None


def _harmless(value: Any) -> Any:
    if isinstance(value, str):
        return " ".join(neutralise(value).split())
    if isinstance(value, list):
        return [_harmless(one) for one in value]
    if isinstance(value, dict):
        return {key: _harmless(one) for key, one in value.items()}
    return value
