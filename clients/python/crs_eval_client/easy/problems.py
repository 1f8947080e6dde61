"""Exceptions for everything that can go wrong."""

import json
from typing import Any


class CrsEvalError(Exception):
    """The service answered with a problem (RFC 9457). `problem` is the whole document, `request_id` what the service's
    log calls the request. A status of its own kind raises a subclass."""

    def __init__(self, status: int, problem: dict[str, Any]) -> None:
        self.status = status
        self.problem = problem
        self.errors: list[dict[str, Any]] = problem.get("errors") or []
        self.retryable: bool | None = problem.get("retryable")
        self.request_id: str | None = problem.get("request_id")
        super().__init__(f"{status} {self._said()}")

    def _said(self) -> str:
        """Title and errors; where no errors are listed, the detail, which else repeats the first of them."""
        title, detail = self.problem.get("title") or "", self.problem.get("detail")
        lines = (f"{e.get('pointer') or 'the body'}: {e.get('detail')}; {e.get('fix')}" for e in self.errors)
        return "\n  ".join((title, *lines)) if self.errors else detail or title

    @classmethod
    def of(cls, status: int, body: bytes) -> "CrsEvalError":
        """The error that a body tells; a proxy's page counts as a problem without a type."""
        try:
            problem = json.loads(body)
        except ValueError:
            problem = None
        if not isinstance(problem, dict):
            problem = {"title": body[:200].decode(errors="replace"), "status": status}
        return cls.of_problem(status, problem)

    @staticmethod
    def of_problem(status: int, problem: dict[str, Any]) -> "CrsEvalError":
        """The error of a problem, of the class that its status has."""
        kind = _KINDS.get(status, ServiceError if status >= 500 else CrsEvalError)
        return kind(status, problem)


class MalformedRequestError(CrsEvalError):
    """400: the body is not readable JSON."""


class AuthenticationError(CrsEvalError):
    """401: no key, or none that the service knows."""


class BudgetError(CrsEvalError):
    """402: the budget of this request is spent."""


class PermissionDeniedError(CrsEvalError):
    """403: the key does not open this route."""


class NotFoundError(CrsEvalError):
    """404: there is nothing under that name."""


class InvalidRequestError(CrsEvalError):
    """422: the request does not fit the contract; `errors` names each field and the fix."""


class RateLimitError(CrsEvalError):
    """429: too many requests."""


class ServiceError(CrsEvalError):
    """5xx: the service, or a model behind it, gave no answer."""


_KINDS: dict[int, type[CrsEvalError]] = {
    400: MalformedRequestError,
    401: AuthenticationError,
    402: BudgetError,
    403: PermissionDeniedError,
    404: NotFoundError,
    422: InvalidRequestError,
    429: RateLimitError,
}


class UnreachableError(Exception):
    """No answer came, however often it was tried."""


class TimedOutError(UnreachableError):
    """No answer came in time."""


class CutShortError(UnreachableError):
    """An answer broke off, or a batch ended before all of its lines were answered."""
