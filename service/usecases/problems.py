"""Errors as the members of a problem (RFC 9457)."""

from ..errors import CrsEvalError
from .wire.problem import Problem, ProblemError


def problem(error: CrsEvalError, request_id: str) -> dict[str, object]:
    """The problem's members, with those of work done before the error."""
    body = Problem(
        type=f"/problems/{error.slug}",
        title=error.title,
        status=error.status,
        detail=error.detail,
        request_id=request_id,
        retryable=error.retryable,
        errors=[ProblemError.of(one) for one in error.errors],
    )
    return {**body.model_dump(), **error.partial}
