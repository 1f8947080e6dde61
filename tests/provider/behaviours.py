"""Behaviours of the local provider server: well, or in one of the ways that providers fail."""

import math
import random
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

Payload = dict[str, Any]
Author = Callable[[Payload], str]


@dataclass(frozen=True)
class Latency:
    """Seconds before the first byte: fixed, or lognormal around a median with a spread `sigma`."""

    median: float = 0.0
    sigma: float = 0.0

    def draw(self, source: random.Random) -> float:
        if not self.sigma or not self.median:
            return self.median
        return source.lognormvariate(math.log(self.median), self.sigma)


@dataclass(frozen=True)
class Answer:
    """A usable answer. `text` is what the model says, or a function of the request; None makes one
    up that fits the schema. `finish` is the OpenAI finish reason; `cached` input tokens were read
    from the provider's prompt cache, `read` in all (None: those of the prompt); `model` is reported instead of the one asked for; `spent` are the tokens of the answer,
    None for as many as its text has, or as were allowed where it was cut off."""

    text: str | Author | None = None
    finish: str = "stop"
    content: bool = True
    refusal: str | None = None
    cached: int = 0
    read: int | None = None
    model: str | None = None
    latency: Latency | None = None
    spent: int | None = None


@dataclass(frozen=True)
class Declined(Answer):
    """The model declines: `content` is null, and the refusal says why."""

    content: bool = False
    refusal: str | None = "I can't help with that."


@dataclass(frozen=True)
class Truncated(Answer):
    """The answer stops at the token limit."""

    text: str | Author | None = '{"rationale": "The assistant first'
    finish: str = "length"


@dataclass(frozen=True)
class FullContext(Truncated):
    """The answer stops because prompt and answer fill the context: before the token limit."""

    spent: int | None = 37


@dataclass(frozen=True)
class Looping(Truncated):
    """The answer says one thing again and again until the token limit."""

    text: str | Author | None = '{"rationale": "' + "The reply is good, and the reply is short. " * 60


@dataclass(frozen=True)
class Status:
    """An HTTP error with the provider's error body. `code` and `parameter` name the cause."""

    status: int
    message: str = "The server had an error"
    code: str | None = None
    parameter: object = None
    retry_after: float | str | None = None
    latency: Latency | None = None


@dataclass(frozen=True)
class Body:
    """Status 200 with these bytes, whatever they are."""

    data: bytes
    content_type: str = "application/json"
    latency: Latency | None = None


@dataclass(frozen=True)
class Hang:
    """The request is read and never answered."""


@dataclass(frozen=True)
class Reset:
    """The connection is reset: before any byte, or (`amid`) inside the body."""

    amid: bool = False


@dataclass(frozen=True)
class Garbled:
    """These bytes in place of an HTTP answer; then the connection is closed."""

    data: bytes = b"I am no web server.\r\n\r\n"


@dataclass(frozen=True)
class CutJSON:
    """A whole HTTP answer whose JSON ends half-way."""


@dataclass(frozen=True)
class Drip:
    """A good answer, one byte every `pause` seconds."""

    pause: float = 0.05
    answer: Answer = field(default_factory=Answer)


@dataclass(frozen=True)
class Held:
    """A good answer, as soon as `gate` is set."""

    gate: threading.Event
    answer: Answer = field(default_factory=Answer)


Behaviour = Answer | Status | Body | Hang | Reset | Garbled | CutJSON | Drip | Held

HTML = b"<!doctype html><html><body><h1>Bad gateway</h1></body></html>"


def rate_limited(retry_after: float | str | None = 0.01) -> Status:
    """429 with Retry-After."""
    return Status(429, "Rate limit reached", "rate_limit_exceeded", retry_after=retry_after)


def context_too_long() -> Status:
    """400 as a provider words it when the prompt does not fit."""
    message = "This model's maximum context length is 8192 tokens. However, your messages have 9000 tokens."
    return Status(400, message, "context_length_exceeded", "messages")


def unsupported(parameter: str) -> Status:
    """400 that names a parameter which the model does not take."""
    message = f"Unsupported parameter: '{parameter}' is not supported with this model."
    return Status(400, message, "unsupported_parameter", parameter)


def unknown_model(model: str = "gone-1") -> Status:
    """404 for a model that is retired or was never there."""
    return Status(404, f"The model `{model}` does not exist or has been deprecated", "model_not_found")


def huge() -> Body:
    """A body far larger than any verdict."""
    return Body(b'{"choices": "' + b"x" * 10_000_000 + b'"}')
