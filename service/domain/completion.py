"""Requests to a language model and their answers."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from enum import StrEnum

from .rounding import Figure, Whole


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens and cost. `input_tokens` includes cached input; `saved_tokens` is what cache hits did not spend."""

    input_tokens: Whole = 0
    output_tokens: Whole = 0
    cached_input_tokens: Whole = 0
    cost: Figure | None = None
    """Null where no price is configured."""
    saved_tokens: Whole = 0

    def __add__(self, other: "Usage") -> "Usage":
        spent = [
            one.cost for one in (self, other) if one.cost is not None or one.input_tokens or one.output_tokens
        ]
        costs = [cost for cost in spent if cost is not None]
        return Usage(
            input_tokens=self.input_tokens + other.input_tokens,
            output_tokens=self.output_tokens + other.output_tokens,
            cached_input_tokens=self.cached_input_tokens + other.cached_input_tokens,
            # A sum without one of the prices would look like the whole.
            cost=sum(costs) if costs and len(costs) == len(spent) else None,
            saved_tokens=self.saved_tokens + other.saved_tokens,
        )

    @property
    def saved(self) -> "Usage":
        """Usage of an answer from the cache: no new tokens, and the tokens that were saved."""
        return Usage(saved_tokens=self.input_tokens + self.output_tokens + self.saved_tokens)


NO_USAGE = Usage()


@dataclass(frozen=True, slots=True)
class ChatMessage:
    """One message of a prompt; `role` is system, user or assistant. `prefix_ends` marks the end of
    a prefix that other requests share, where a provider has to know what to keep."""

    role: str
    content: str
    prefix_ends: bool = False


class AnswerFormat(StrEnum):
    """The means by which a model is made to keep to the response schema: by the provider, by a tool that it is
    made to call, or only by the words of the prompt."""

    SCHEMA = "schema"
    TOOL = "tool"
    TEXT = "text"


@dataclass(frozen=True, slots=True)
class LLMRequest:
    """Everything that decides an answer; its canonical JSON is the cache key. `draw` numbers
    repeated samples so that each is asked, and cached, by itself. `schema` is the JSON text of
    the response schema; `logprobs` is how many alternatives of each token are wanted. None leaves a parameter off the wire; `limit_parameter` names the one
    that carries `max_tokens`. `extra` holds further parameters as (name, JSON text). `namespace` keeps the answers of
    callers apart that share none."""

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
    answer_format: AnswerFormat = AnswerFormat.SCHEMA
    limit_parameter: str = "max_tokens"
    namespace: str = ""
    logprobs: int | None = None


@dataclass(frozen=True, slots=True)
class TokenOdds:
    """Alternatives of a completion's text from `start` to before `stop`: tokens with the logarithms of
    their probabilities, the chosen one among them."""

    start: int
    stop: int
    alternatives: tuple[tuple[str, float], ...]


@dataclass(frozen=True, slots=True)
class Completion:
    """A usable answer of a provider. `model` is the name that the provider reported; `lost` is what
    failed attempts cost before this answer came, and is never cached. `odds` holds the alternatives of tokens with a
    digit, where they were asked for and given."""

    text: str
    model: str
    usage: Usage
    finish_reason: str = "stop"
    cached: bool = False
    lost: Usage = NO_USAGE
    odds: tuple[TokenOdds, ...] = ()

    @property
    def spent(self) -> Usage:
        """Return what the answer cost, with the failed attempts before it."""
        return self.usage + self.lost

    def as_hit(self) -> "Completion":
        """Return the same answer as a cache hit."""
        return replace(self, usage=self.usage.saved, cached=True, lost=NO_USAGE)


class CacheMode(StrEnum):
    """`use` reads and stores; `refresh` asks again and stores; `off` neither reads, stores nor
    shares a flight. `only` never asks: a miss is a failure with the reason `cache_miss`."""

    USE = "use"
    REFRESH = "refresh"
    OFF = "off"
    ONLY = "only"


Acceptance = Callable[[LLMRequest, Completion], bool]


@dataclass(frozen=True, slots=True)
class CacheEntry:
    """An entry of the cache that an answer was read from: its key, a fingerprint of what it held (of
    meaning in this process alone), and the tokens that it saved."""

    key: str
    fingerprint: int
    saved_tokens: int


@dataclass(frozen=True, slots=True)
class Call:
    """Terms of serving a request; no part of its identity. `deadline` is a reading of the event loop's
    clock (`asyncio.get_running_loop().time()`) in seconds, None for no limit. `accept` says whether an
    answer can be read: one that cannot is neither stored nor taken from the cache. `looked_up`: the cache
    was asked just now, and did not know. `entries`, where given, collects the entries of the cache that were
    read. `namespace` becomes that of the requests."""

    deadline: float | None = None
    cache: CacheMode = CacheMode.USE
    accept: Acceptance | None = None
    looked_up: bool = False
    entries: list[CacheEntry] | None = field(default=None, compare=False)
    namespace: str = ""
