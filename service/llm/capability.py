"""Parameters that a model takes, and those left when it refuses one."""

from dataclasses import dataclass, replace

from ..domain.completion import AnswerFormat

CHAT = "chat"
"""The protocol of OpenAI's Chat Completions, which every server of `UPSTREAM_<NAME>` speaks."""

SCHEMA_PARAMETER = "response schema"
TOOL_PARAMETER = "tool"
PREFIX_PARAMETER = "prefix"
"""Names for what the protocols spell differently; other parameters go by their own names."""

OWN_PARAMETERS = frozenset(
    {
        *("model", "messages", "system", "stream", "n", "temperature", "seed", "logprobs", "top_logprobs"),
        *("max_tokens", "max_completion_tokens", "response_format", "output_config", "tools", "tool_choice"),
    }
)
"""Parameters that a request sets by itself."""

_FALLBACKS = {
    AnswerFormat.SCHEMA: (SCHEMA_PARAMETER, AnswerFormat.TOOL),
    AnswerFormat.TOOL: (TOOL_PARAMETER, AnswerFormat.TEXT),
}
_OTHER_LIMIT = {"max_tokens": "max_completion_tokens"}


@dataclass(frozen=True, slots=True)
class Capability:
    """Parameters that one model takes. `limit` names the parameter that bounds an answer, None for none;
    `prefix_tokens` is the shortest prefix that its provider keeps, None where it keeps none; `logprobs`
    says whether it tells the probabilities of tokens; `context_tokens` is the size of its context, None where nobody knows.
    `extra` are parameters that the operator adds to every request, as (name, JSON text)."""

    temperature: bool = False
    seed: bool = False
    limit: str | None = None
    format: AnswerFormat = AnswerFormat.SCHEMA
    reasoning: bool = False
    prefix_tokens: int | None = None
    logprobs: bool = False
    context_tokens: int | None = None
    extra: tuple[tuple[str, str], ...] = ()

    def without(self, parameter: str) -> "Capability":
        """The same model without a parameter that it refused; unchanged if it was not sent."""
        steps = {
            "temperature": replace(self, temperature=False),
            "seed": replace(self, seed=False),
            "logprobs": replace(self, logprobs=False),
            "top_logprobs": replace(self, logprobs=False),
            PREFIX_PARAMETER: replace(self, prefix_tokens=None),
        }
        if self.format is not AnswerFormat.TEXT:
            sent, instead = _FALLBACKS[self.format]
            steps[sent] = replace(self, format=instead)
        if self.limit is not None:
            steps[self.limit] = replace(self, limit=_OTHER_LIMIT.get(self.limit))
        return steps.get(parameter, self)


LOCAL_PREFIX = 16
"""Block size, in tokens, of the prefix cache in servers of open models."""

UNKNOWN_MODEL = Capability(temperature=True, seed=True, prefix_tokens=LOCAL_PREFIX)
"""Capability of unknown models: sampling parameters are sent, and dropped if refused. A bound would truncate
reasoning models."""
