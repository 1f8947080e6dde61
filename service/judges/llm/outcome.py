"""The reason why a draw gave no verdict."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Failure:
    """The reason why a draw gave no verdict, though its answer may have been read."""

    code: str
    detail: str
    retry_after: float | None = None
