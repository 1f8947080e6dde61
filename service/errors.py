"""The errors that reach a caller. Each knows its status and the problem type it becomes.

CrsEvalError
├── InvalidRequest        422  a payload that names what is wrong and how to fix it
├── NothingToDebate       422  a sound payload about a log of which no factor could be assessed
├── MalformedBody         400  not JSON at all
├── MalformedRequest      400  not HTTP at all
├── Unauthorized          401  no key, or none of ours
├── Forbidden             403  a key that does not open this route
├── ForeignOrigin         403  a page of another origin had a browser send it
├── NotFound              404
├── MethodNotAllowed      405
├── RequestTimeout        408  a body, or headers, that did not arrive
├── BodyTooLarge          413
├── TooCostly             413  takes more CPU time than one request may
├── UnsupportedMediaType  415
├── Misdirected           421  a host that this service is not
├── HeadersTooLarge       431  in bytes, or in number
├── BudgetExceeded        402
├── TooManyRequests       429
├── CallerGone            499  nobody reads what this becomes
├── Internal              500
├── UpstreamFailed        502  an LLM or CRS answered nothing usable
│   └── UpstreamRefused        for reasons that a retry does not fix: the key, the model
├── Overloaded            503
└── DeadlineExceeded      504
ConfigurationError             the service does not start
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

MOST_ERRORS = 20
"""Wrong fields that are reported of one request."""


@dataclass(frozen=True, slots=True)
class FieldError:
    """One thing wrong with a payload: a JSON pointer, what is wrong, what to do."""

    pointer: str
    detail: str
    fix: str


class ConfigurationError(Exception):
    """The service cannot start as configured; the message says what to change."""


class CrsEvalError(Exception):
    """An error that a caller gets as `application/problem+json` (RFC 9457). `partial` holds
    members beside the standard ones: work that was done before the error."""

    status: ClassVar[int] = 500
    slug: ClassVar[str] = "internal-error"
    title: ClassVar[str] = "The service failed"
    retryable: ClassVar[bool] = False

    def __init__(
        self,
        detail: str,
        *,
        errors: Sequence[FieldError] = (),
        partial: Mapping[str, object] | None = None,
        retry_after: float | None = None,
    ) -> None:
        super().__init__(detail)
        self.detail = detail
        self.errors = tuple(errors)
        self.partial: dict[str, Any] = dict(partial or {})
        self.retry_after = retry_after


class InvalidRequest(CrsEvalError):
    status = 422
    slug = "invalid-request"
    title = "The request does not fit the contract"

    @classmethod
    def of(cls, errors: Sequence[FieldError]) -> "InvalidRequest":
        """Build the error of several wrong fields; the first twenty are reported."""
        first = errors[0]
        more = f" ({len(errors) - 1} more)" if len(errors) > 1 else ""
        detail = f"{first.pointer or 'The body'}: {first.detail}; {first.fix}{more}"
        return cls(detail, errors=errors[:MOST_ERRORS])

    @classmethod
    def at(cls, pointer: str, detail: str, fix: str) -> "InvalidRequest":
        """A single wrong field."""
        return cls.of([FieldError(pointer, detail, fix)])


class NothingToDebate(CrsEvalError):
    """A debate whose roles have not one score to argue about. `errors` says why, a reason each."""

    status = 422
    slug = "nothing-to-debate"
    title = "No factor of the roles could be scored, so there is nothing to debate"


class MalformedBody(CrsEvalError):
    status = 400
    slug = "malformed-body"
    title = "The body is not readable JSON"


class MalformedRequest(CrsEvalError):
    status = 400
    slug = "malformed-request"
    title = "The request is not readable HTTP"


class Unauthorized(CrsEvalError):
    status = 401
    slug = "unauthorized"
    title = "A key is needed"


class Forbidden(CrsEvalError):
    status = 403
    slug = "forbidden"
    title = "The key does not open this"


class ForeignOrigin(CrsEvalError):
    status = 403
    slug = "foreign-origin"
    title = "Pages of this origin may not call the service"


class NotFound(CrsEvalError):
    status = 404
    slug = "not-found"
    title = "There is nothing here"


class MethodNotAllowed(CrsEvalError):
    status = 405
    slug = "method-not-allowed"
    title = "This path does not take that method"


class RequestTimeout(CrsEvalError):
    status = 408
    slug = "request-timeout"
    title = "The request did not arrive in time"
    retryable = True


class BodyTooLarge(CrsEvalError):
    status = 413
    slug = "body-too-large"
    title = "The body is too large"


class TooCostly(CrsEvalError):
    status = 413
    slug = "too-costly"
    title = "The request takes too much CPU time"


class UnsupportedMediaType(CrsEvalError):
    status = 415
    slug = "unsupported-media-type"
    title = "The body's type or encoding is not one that this route reads"


class Misdirected(CrsEvalError):
    status = 421
    slug = "misdirected-request"
    title = "The service does not answer for this host"


class HeadersTooLarge(CrsEvalError):
    status = 431
    slug = "headers-too-large"
    title = "The headers are too large"


class BudgetExceeded(CrsEvalError):
    status = 402
    slug = "budget-exceeded"
    title = "The budget of this request is spent"


class TooManyRequests(CrsEvalError):
    status = 429
    slug = "too-many-requests"
    title = "Too many requests"
    retryable = True


class CallerGone(CrsEvalError):
    status = 499
    slug = "caller-gone"
    title = "The caller left before its answer"
    retryable = True


class Internal(CrsEvalError):
    """A defect of the service. Does not reveal the cause; search the log for the request id."""


class UpstreamFailed(CrsEvalError):
    status = 502
    slug = "upstream-failed"
    title = "An upstream service gave no usable answer"
    retryable = True


class UpstreamRefused(UpstreamFailed):
    slug = "upstream-refused"
    title = "An upstream service does not serve these requests"
    retryable = False


class Overloaded(CrsEvalError):
    status = 503
    slug = "overloaded"
    title = "The service has no room for this request now"
    retryable = True


class DeadlineExceeded(CrsEvalError):
    status = 504
    slug = "deadline-exceeded"
    title = "The answer did not come in time"
    retryable = True
