"""Translate providers' errors into our failures. The words differ, the causes are the same."""

import contextlib
import email.utils
import math
import re
import time
from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace

from .capability import OWN_PARAMETERS, PREFIX_PARAMETER, SCHEMA_PARAMETER, TOOL_PARAMETER
from .context import stated_context
from .failures import (
    ContextTooLong,
    OverBudget,
    ProviderError,
    RateLimited,
    Refused,
    Rejected,
    Unauthorised,
    Unavailable,
    UnknownModel,
    UnreadableCompletion,
    UnsupportedParameter,
)

LONGEST_DETAIL = 200
LONGEST_WAIT = 31 * 86_400.0
"""Most seconds that a provider may ask to wait; callers get the wish as a header."""

# Each alternative is how a provider says it; `tests/unit/llm/test_repair.py` has their sentences.
_TOO_LONG = re.compile(
    r"context.{0,20}(length|window|size)|context limit|(prompt|input) is too long|too many (input )?tokens|\b(prompt|input)\b.{0,40}exceed"
    r"|exceed.{0,20}token limit|maximum (prompt|model) length|maximum.{0,20}tokens.{0,40}prompt|range of input length"
    r"|`inputs` (tokens|must have less)|max_tokens must be at least 1, got -|max_model_len",
    re.IGNORECASE,
)
_TOO_LARGE_A_MINUTE = re.compile(
    r"request too large\b.{0,200}\bper (minute|min|day)\b", re.IGNORECASE | re.DOTALL
)
# Their paths hold words such as `context-window`, whatever the error is.
_ADDRESS = re.compile(r"https?://\S+")
_UNPAID = re.compile(r"credit balance|billing hard limit", re.IGNORECASE)
_GONE = re.compile(
    r"model.{0,120}(not (be )?found|not exist|no longer|deprecat|decommission|retired|not supported|unknown)"
    r"|(no such|unknown|invalid) model",
    re.IGNORECASE | re.DOTALL,
)
_FILTERED = re.compile(r"content.?(filter|policy|management)|safety system", re.IGNORECASE)
# Keys by the beginnings that providers give them, by what is said before them, and by their look.
_KEY = re.compile(
    r"\b(?:sk|pk|rk|xai|gsk|nvapi|pplx|hf|ghp|r8|key)[-_][\w*.…-]{4,}|\b(?:AIza|AKIA)[\w*-]{4,}"
    r"|(?<=key provided: )\S+|(?<=token: )\S+|(?<=api key: )\S+|(?<=key=)\S+|(?<=bearer )\S+|(?<=://)[^\s/@]+(?=@)"
    r"|\b(?=\w{0,64}\d)\w{32,}",
    re.IGNORECASE,
)
_READ = 4 * LONGEST_DETAIL
_ALIASES = {
    "response_format": SCHEMA_PARAMETER,
    "json_schema": SCHEMA_PARAMETER,
    "structured output": SCHEMA_PARAMETER,
    "structured outputs": SCHEMA_PARAMETER,
    "output_config": SCHEMA_PARAMETER,
    "output_format": SCHEMA_PARAMETER,
    "tool_choice": TOOL_PARAMETER,
    "tools": TOOL_PARAMETER,
    "tool": TOOL_PARAMETER,
    "function": TOOL_PARAMETER,
    "cache_control": PREFIX_PARAMETER,
}


@dataclass(frozen=True, slots=True)
class ErrorResponse:
    """An HTTP error of a provider. `words` is all that its body says, `sent` the parameters of the
    request by their names on the wire. Servers put what they like into `code` and `parameter`."""

    status: int
    words: str
    headers: Mapping[str, str]
    sent: Collection[str]
    code: object = None
    parameter: object = None


def translate(response: ErrorResponse) -> ProviderError:
    """Translate an error response into a failure."""
    status = response.status
    # It goes into verdicts, which are shown and kept.
    detail = f"the provider answered {status}: {_shortened(response.words)}".removesuffix(": ")
    response = replace(response, words=_ADDRESS.sub("", response.words))
    if status == 429 or (status == 413 and _TOO_LARGE_A_MINUTE.search(response.words)):
        return _limited(response, detail)
    unpaid = status == 402 or (status == 400 and _UNPAID.search(response.words))
    if unpaid or status in {401, 403}:
        # Providers repeat part of the key in what they say here.
        cause = "it asks for payment" if unpaid else "check the key and what it may use"
        return Unauthorised(f"the provider answered {status}: {cause}")
    if status in {404, 410}:
        return UnknownModel(detail)
    if status == 413 or response.code == "context_length_exceeded" or _TOO_LONG.search(response.words):
        return ContextTooLong(detail, context=stated_context(response.words[:_READ]))
    if status >= 500 or status in {408, 409, 425}:
        return Unavailable(detail, retry_after=retry_after(response.headers))
    return _wrong_request(response, detail)


def _limited(response: ErrorResponse, detail: str) -> ProviderError:
    if _TOO_LARGE_A_MINUTE.search(response.words):
        return OverBudget(detail)
    used_up = response.code == "insufficient_quota"
    return RateLimited(detail, retryable=not used_up, retry_after=retry_after(response.headers))


def stated_failure(error: object) -> ProviderError:
    """Return the failure that an `error` inside an answer with status 200 stands for. Routers to several providers send it, with
    the status of the provider behind them as its `code`."""
    parts = error if isinstance(error, dict) else {}
    words, status = str(parts.get("message") or error), parts.get("code")
    if isinstance(status, int) and 400 <= status < 600:
        return translate(ErrorResponse(status, words, {}, ()))
    return UnreadableCompletion(f"status 200 with an error: {_shortened(words)}")


def _wrong_request(response: ErrorResponse, detail: str) -> ProviderError:
    if response.status < 400:
        return Rejected(f"the provider answered {response.status}: set the address that it redirects to")
    if response.code == "content_filter" or (_FILTERED.search(response.words) and not response.parameter):
        return Refused(detail)
    if response.code == "model_not_found":
        return UnknownModel(detail)
    if (parameter := refused_parameter(response)) is not None:
        return UnsupportedParameter(detail, parameter=parameter)
    if _GONE.search(response.words):
        return UnknownModel(detail)
    return Rejected(detail)


def refused_parameter(response: ErrorResponse) -> str | None:
    """The parameter that an error names, among those that were sent; by our names for what the
    protocols spell differently."""
    sent = {_ALIASES.get(name, name) for name in response.sent}
    named = str(response.parameter or "").partition(".")[0]
    if _ALIASES.get(named, named) in sent:
        return _ALIASES.get(named, named)
    places = [
        (word not in {*OWN_PARAMETERS, *_ALIASES}, found.start(), _ALIASES.get(word, word))
        for word in (*_ALIASES, *response.sent)
        if (found := re.search(rf"(?<![\w-]){re.escape(word)}(?![\w-])", response.words, re.IGNORECASE))
    ]
    # An error may name the operator's parameter beside one that we set and that clashes with it: only the second can go.
    return next((name for *_, name in sorted(places) if name in sent), None)


def retry_after(headers: Mapping[str, str]) -> float | None:
    """Seconds that a provider asks to wait: `retry-after-ms`, else `Retry-After` as seconds or date."""
    for name, unit in (("retry-after-ms", 0.001), ("retry-after", 1.0)):
        try:
            seconds = float(headers.get(name, "")) * unit
        except ValueError:
            continue
        return _wait(seconds) if math.isfinite(seconds) else None
    with contextlib.suppress(ValueError, OverflowError):  # a year that no calendar has
        if (date := email.utils.parsedate_tz(headers.get("retry-after", ""))) is not None:
            return _wait(email.utils.mktime_tz(date) - time.time())
    return None


def _wait(seconds: float) -> float:
    return min(max(0.0, seconds), LONGEST_WAIT)


def _shortened(text: str) -> str:
    """Return what a provider said, short and without keys."""
    words = _KEY.sub("[removed]", " ".join(text[:_READ].split()))
    return words if len(words) <= LONGEST_DETAIL else f"{words[:LONGEST_DETAIL]}…"
