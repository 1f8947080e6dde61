"""The public library: each function of `aio` as one that waits for its answer.

Call them as `crs_eval.score(log)`; in a coroutine, `await crs_eval.aio.score(log)`."""

from collections.abc import Callable, Coroutine
from functools import wraps
from typing import Any, ParamSpec, TypeVar

from . import aio
from .evaluator import close, evaluator

__all__ = [
    "behavior_alignment", "close", "compare", "debate", "evaluate",
    "exam", "metrics", "score", "simulate",
]  # fmt: skip
Arguments = ParamSpec("Arguments")
Answer = TypeVar("Answer")


def _blocking(asynchronous: Callable[Arguments, Coroutine[Any, Any, Answer]]) -> Callable[Arguments, Answer]:
    """Return the twin of a function that waits for the answer, also where an event loop runs (notebooks)."""

    @wraps(asynchronous)
    def blocking(*args: Arguments.args, **kwargs: Arguments.kwargs) -> Answer:
        settings: Any = kwargs.get("settings")
        answer = evaluator(settings).submit(asynchronous(*args, **kwargs))
        try:
            return answer.result()
        finally:
            answer.cancel()  # a caller who was interrupted pays for no more calls

    return blocking


score = _blocking(aio.score)
evaluate = _blocking(aio.evaluate)
debate = _blocking(aio.debate)
compare = _blocking(aio.compare)
behavior_alignment = _blocking(aio.behavior_alignment)
metrics = _blocking(aio.metrics)
exam = _blocking(aio.exam)
simulate = _blocking(aio.simulate)
