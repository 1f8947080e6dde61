"""What can go wrong, as exceptions."""

import json
from typing import Any


class CrsEvalError(Exception):
    """The service answered with a problem (RFC 9457). `problem` is the whole document."""

    def __init__(self, status: int, problem: dict[str, Any]) -> None:
        self.status = status
        self.problem = problem
        self.errors: list[dict[str, Any]] = problem.get("errors") or []
        self.retryable: bool = problem.get("retryable") is not False
        super().__init__(f"{status} {self._said()}")

    def _said(self) -> str:
        """Title and errors; where no errors are listed, the detail, which else repeats the first of them."""
        title, detail = self.problem.get("title") or "", self.problem.get("detail")
        told = (f"{e.get('pointer') or 'the body'}: {e.get('detail')}; {e.get('fix')}" for e in self.errors)
        return "\n  ".join((title, *told)) if self.errors else detail or title

    @classmethod
    def of(cls, status: int, body: bytes) -> "CrsEvalError":
        """The error that a body tells; a proxy's page counts as a problem without a type."""
        try:
            problem = json.loads(body)
        except ValueError:
            problem = None
        if not isinstance(problem, dict):
            problem = {"title": body[:200].decode(errors="replace"), "status": status}
        return cls(status, problem)


class UnreachableError(Exception):
    """No answer came, however often it was tried."""


class CutShortError(UnreachableError):
    """A batch ended before all of its lines were answered."""
