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
        fixes = "".join(f"\n  {e.get('pointer')}: {e.get('detail')}; {e.get('fix')}" for e in self.errors)
        super().__init__(f"{status} {problem.get('detail') or problem.get('title') or ''}{fixes}")

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
