"""Client of crs-eval. `CrsEval` and `AsyncCrsEval` are the way in; `generated` is the contract."""

from .easy import parts
from .easy.aio import AsyncCrsEval
from .easy.connection import Attempt
from .easy.driver import Session
from .easy.problems import (
    AuthenticationError,
    BudgetError,
    CrsEvalError,
    InvalidRequestError,
    MalformedRequestError,
    NotFoundError,
    PermissionDeniedError,
    RateLimitError,
    ServiceError,
    TimedOutError,
    UnreachableError,
)
from .easy.results import Event, Result, Scored
from .easy.retries import Retries
from .generated.models import (
    DebateAnswer,
    EvaluateAnswer,
    ItemLayout,
    Log,
    Message,
    Part,
    ScoreAnswer,
    ShownItem,
    SimulateAnswer,
    Verdict,
)
from .generated.sync import CrsEval

__all__ = [
    "AsyncCrsEval",
    "Attempt",
    "AuthenticationError",
    "BudgetError",
    "CrsEval",
    "CrsEvalError",
    "DebateAnswer",
    "EvaluateAnswer",
    "Event",
    "InvalidRequestError",
    "ItemLayout",
    "Log",
    "MalformedRequestError",
    "Message",
    "NotFoundError",
    "Part",
    "PermissionDeniedError",
    "RateLimitError",
    "Result",
    "Retries",
    "ScoreAnswer",
    "Scored",
    "ServiceError",
    "Session",
    "ShownItem",
    "SimulateAnswer",
    "TimedOutError",
    "UnreachableError",
    "Verdict",
    "parts",
]
