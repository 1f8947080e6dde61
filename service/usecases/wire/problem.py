"""RFC 9457 problems: what every error is on the wire."""

from pydantic import ConfigDict, Field

from ...errors import CrsEvalError
from . import examples
from .model import Outgoing
from .verdict import Verdict


class ProblemError(Outgoing):
    """One thing wrong with the request."""

    pointer: str = Field(examples=["/log/messages/0/role"])
    """JSON pointer into the body; empty for the body itself."""
    detail: str
    fix: str = Field(description="Input to send instead.")


class Problem(Outgoing):
    """An error. Some carry more members: work that was done before the error."""

    model_config = ConfigDict(extra="allow", json_schema_extra={"examples": [examples.PROBLEM]})

    type: str = Field(examples=["/problems/invalid-request"])
    title: str
    status: int
    detail: str
    request_id: str = Field(description="Also in the `X-Request-ID` header and in the service's log.")
    retryable: bool = Field(description="True where the same request may succeed later.")
    errors: list[ProblemError]


class ScoreProblem(Problem):
    """An error after which some verdicts, failed ones, are at hand."""

    # The example of a problem lacks the members below.
    model_config = ConfigDict(json_schema_extra={})

    verdicts: list[Verdict]


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
