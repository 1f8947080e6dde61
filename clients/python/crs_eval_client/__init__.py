"""Client of crs-eval. `CrsEval` and `AsyncCrsEval` are the way in; `generated` is the contract."""

from .easy.aio import AsyncCrsEval
from .easy.driver import Session
from .easy.lines import Event
from .easy.problems import CrsEvalError, UnreachableError
from .easy.sync import CrsEval, Scored

__all__ = ["AsyncCrsEval", "CrsEval", "CrsEvalError", "Event", "Scored", "Session", "UnreachableError"]
