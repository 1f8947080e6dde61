"""What goes to a language model and what comes back."""

from dataclasses import dataclass
from enum import StrEnum


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens. `input_tokens` is the total, cached input included; `cost` in the currency of the
    configured prices, None where none are; `saved_tokens` is what a cache hit did not spend."""

    input_tokens: int = 0
    output_tokens: int = 0
    cached_input_tokens: int = 0
    cost: float | None = None
    saved_tokens: int = 0

    def __add__(self, other: "Usage") -> "Usage":
        known = [cost for cost in (self.cost, other.cost) if cost is not None]
        return Usage(
            input_tokens=self.input_tokens + other.input_tokens,
            output_tokens=self.output_tokens + other.output_tokens,
            cached_input_tokens=self.cached_input_tokens + other.cached_input_tokens,
            cost=sum(known) if known else None,
            saved_tokens=self.saved_tokens + other.saved_tokens,
        )


NO_USAGE = Usage()


@dataclass(frozen=True, slots=True)
class ChatMessage:
    """One message of a prompt; `role` is system, user or assistant."""

    role: str
    content: str


@dataclass(frozen=True, slots=True)
class LLMRequest:
    """Everything that decides an answer; its canonical JSON is the cache key. `draw` numbers
    repeated samples so that each is asked, and cached, by itself. `schema` is the JSON text of
    the response schema. None leaves a parameter off the wire."""

    upstream: str
    base_url: str
    model: str
    messages: tuple[ChatMessage, ...]
    schema: str | None = None
    temperature: float | None = None
    seed: int | None = None
    max_tokens: int | None = None
    draw: int = 0
    extra: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class Completion:
    """A usable answer of a provider. `model` is the name that the provider reported."""

    text: str
    model: str
    usage: Usage
    finish_reason: str = "stop"
    cached: bool = False


class CacheMode(StrEnum):
    """`use` reads and stores; `refresh` asks anew and stores; `off` neither reads, stores nor
    shares a flight; `only` never asks: a miss is a failure with the reason `cache_miss`."""

    USE = "use"
    REFRESH = "refresh"
    OFF = "off"
    ONLY = "only"


@dataclass(frozen=True, slots=True)
class Call:
    """How a request is to be served; no part of its identity. `deadline` is a reading of the
    event loop's clock (`asyncio.get_running_loop().time()`) in seconds, None for no limit."""

    deadline: float | None = None
    cache: CacheMode = CacheMode.USE
