"""The reason why a provider gave no usable answer. Values, not exceptions: one failure never sinks its batch.

ProviderError
├── RateLimited            429; quota that is used up is not worth a retry
├── Unavailable            5xx, a connection that broke or never came about
├── BudgetSpent            our own budget of calls and tokens a minute has no room in time
├── OverBudget             one call is more than that whole budget, or than the provider's
├── TimedOut               no answer before the deadline
├── Unauthorised           401, 402, 403: the key, or what it may do
├── UnknownModel           404, 410: retired, renamed, or never there
├── ContextTooLong         the prompt does not fit the model
├── UnsupportedParameter   the model does not take a parameter that was sent
├── Rejected               any other 4xx
├── Refused                the model declined, or a content filter did
├── TruncatedCompletion    the answer stopped at the token limit
├── LoopingCompletion      the answer repeated itself until it was cut off
├── UnreadableCompletion   status 200 without a usable answer
├── BatchFailed            a provider's batch ended without an answer to this prompt
└── CacheMiss              `cache: only`, and the cache did not know
"""

# ruff: noqa: N818 - these are values; the suffix would make exceptions of them

from collections.abc import Iterable
from dataclasses import dataclass
from typing import ClassVar

from ..domain.completion import NO_USAGE, Completion, Usage


@dataclass(frozen=True, slots=True)
class ProviderError:
    """A call that ended without an answer. `retry_after` is in seconds, as the provider asked;
    `usage` is what the failed call, or all failed attempts together, cost; `model` is the name that the provider reported, where
    it answered at all."""

    code: ClassVar[str] = "upstream_failed"
    detail: str
    retryable: bool = False
    retry_after: float | None = None
    usage: Usage = NO_USAGE
    model: str | None = None

    @property
    def spent(self) -> Usage:
        """Return what all attempts cost, as a completion tells it."""
        return self.usage


@dataclass(frozen=True, slots=True)
class RateLimited(ProviderError):
    """The provider wants fewer requests."""

    code = "upstream_rate_limited"
    retryable: bool = True


@dataclass(frozen=True, slots=True)
class BudgetSpent(ProviderError):
    """The operator's budget for this upstream has no room before the deadline."""

    code = "upstream_budget_spent"
    retryable: bool = True


class OverBudget(ProviderError):
    """The call needs more tokens than the whole budget of a minute: the operator's, or the provider's."""

    code = "upstream_over_budget"


@dataclass(frozen=True, slots=True)
class Unavailable(ProviderError):
    """The provider failed, or could not be reached."""

    code = "upstream_unavailable"
    retryable: bool = True


@dataclass(frozen=True, slots=True)
class TimedOut(ProviderError):
    """No answer came in time."""

    code = "upstream_timeout"
    retryable: bool = True


class Unauthorised(ProviderError):
    """The provider does not accept the key, or does not let it use this model."""

    code = "upstream_unauthorized"


class UnknownModel(ProviderError):
    """The provider has no such model, or has it no longer."""

    code = "unknown_model"


@dataclass(frozen=True, slots=True)
class ContextTooLong(ProviderError):
    """The prompt does not fit the model's context, or leaves no room for the answer. `context` is that context's size in
    tokens, where the server states it."""

    code = "context_too_long"
    context: int | None = None


@dataclass(frozen=True, slots=True)
class UnsupportedParameter(ProviderError):
    """The model does not take `parameter`; the same request without it may succeed."""

    code = "unsupported_parameter"
    parameter: str = ""


class Rejected(ProviderError):
    """The provider finds the request wrong, for a reason that we do not know."""

    code = "upstream_rejected"


class Refused(ProviderError):
    """The model, or a filter beside it, declined to answer."""

    code = "refused"


class TruncatedCompletion(ProviderError):
    """The answer was cut off at the token limit."""

    code = "truncated"


class LoopingCompletion(ProviderError):
    """The answer repeats itself at its end. Asking again would cost the same and bring the same."""

    code = "looping"


@dataclass(frozen=True, slots=True)
class UnreadableCompletion(ProviderError):
    """Something came with status 200 that is no answer: HTML, cut JSON, null, nothing at all."""

    code = "unreadable"
    retryable: bool = True


class BatchFailed(ProviderError):
    """The provider's batch expired, was cancelled or failed before it came to this prompt."""

    code = "batch_failed"


class CacheMiss(ProviderError):
    """The caller wanted a cached answer or none."""

    code = "cache_miss"


Answer = Completion | ProviderError


def soonest(waits: Iterable[float | None]) -> float | None:
    """Return the least of these seconds; None where none are known."""
    return min((wait for wait in waits if wait is not None), default=None)


BUDGET_CODES = frozenset({BudgetSpent.code})
"""Codes of failures because budget is missing: later there is some again."""

TIMEOUT_CODES = frozenset({TimedOut.code})
"""Codes of failures because time is missing."""

CONFIGURATION_CODES = frozenset(
    {Unauthorised.code, UnknownModel.code, UnsupportedParameter.code, Rejected.code, OverBudget.code}
)
"""Codes of failures that last until somebody changes a key, a model's name or a parameter."""

UPSTREAM_CODES = TIMEOUT_CODES | BUDGET_CODES | CONFIGURATION_CODES | {RateLimited.code, Unavailable.code}
"""Codes of failures that lie with the upstream, or with how it is configured, not with an answer."""
