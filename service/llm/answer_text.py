"""The text of an answer, read without trust: its JSON objects, and the probabilities of its tokens."""

import json
import re
from collections.abc import Iterator
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, FiniteFloat, OnErrorOmit, TypeAdapter, ValidationError

from ..domain.completion import TokenOdds

LONGEST_READ = 100_000
"""Characters of an answer that are read, from its end: the last object counts."""

_THOUGHTS = re.compile(r"^\s*<think(?:ing)?>.*?</think(?:ing)?>", re.DOTALL | re.IGNORECASE)
#: The end of thoughts that the prompt opened, as DeepSeek-R1 answers. A quotation has no such tag: prompts defuse those of the log.
_THOUGHTS_END = re.compile(r"</think(?:ing)?>", re.IGNORECASE)
#: Braces in prose, as of a set: no object, nor what was meant to be one.
_PROSE = re.compile(r"\{ *[^{}\":\s][^{}\":\n]{0,199}\}")
_OPENING = re.compile(r"\{\s*(?=[\"'}\w]|$)")
_LONE_SURROGATE = re.compile("[\ud800-\udfff]")
_DECODER = json.JSONDecoder(strict=False)  # models leave raw line ends in strings


def objects_in(text: str) -> Iterator[dict[str, Any] | None]:
    """Yield the outermost JSON objects of an answer in order, ignoring fences, prose and thoughts around
    them. End with None at an unreadable object, which may have been meant to replace earlier ones. Its
    content is ignored, since it may quote the log. In thoughts it does not count."""
    text = _THOUGHTS.sub("", text[-LONGEST_READ:])
    closing = _THOUGHTS_END.search(text)
    thoughts = closing.end() if closing else 0
    at = _OPENING.search(text)
    while at is not None:
        if prose := _PROSE.match(text, at.start()):
            end = prose.end()
        else:
            try:
                value, end = _DECODER.raw_decode(text, at.start())
            except (ValueError, RecursionError):  # ValueError as well for a number of thousands of digits
                if at.start() >= thoughts:
                    yield None
                    return
                end = thoughts
            else:
                yield value
        at = _OPENING.search(text, end)


def printable(value: Any) -> Any:
    """`value` with U+FFFD for every lone surrogate in its texts: an escaped half of a pair is legal
    JSON, and cannot be sent on as UTF-8."""
    if isinstance(value, str):
        return _LONE_SURROGATE.sub("\ufffd", value)
    if isinstance(value, list):
        return [printable(one) for one in value]
    if isinstance(value, dict):
        return {key: printable(one) for key, one in value.items()}
    return value


MOST_ALTERNATIVES = 30


class _Token(BaseModel):
    """A token with its alternatives. Servers give its bytes, since it may end inside a character."""

    model_config = ConfigDict(strict=True)

    token: str
    logprob: FiniteFloat | None = None
    spelled: list[Annotated[int, Field(ge=0, lt=256)]] | None = Field(None, alias="bytes")
    top_logprobs: "list[OnErrorOmit[_Token]] | None" = None

    @property
    def written(self) -> bytes:
        return self.token.encode() if self.spelled is None else bytes(self.spelled)

    @property
    def alternatives(self) -> tuple[tuple[str, float], ...]:
        """The token and its alternatives that have a logarithm, each once."""
        known: dict[str, float] = {}
        for one in (self, *(self.top_logprobs or ())[:MOST_ALTERNATIVES]):
            if one.logprob is not None:
                known.setdefault(one.token, one.logprob)
        return tuple(known.items())


_TOKENS = TypeAdapter(list[_Token])


def read_odds(raw: Any, text: str) -> tuple[TokenOdds, ...]:
    """The alternatives of each token of `text` that holds a digit: `content[]` with `top_logprobs[]`, as OpenAI, vLLM and
    llama.cpp give them. None at all where the tokens are not those of the text. Tokens before it (a model's thoughts) are passed
    over."""
    try:
        tokens = _TOKENS.validate_python(raw.get("content") if isinstance(raw, dict) else None)
    except ValidationError:
        return ()
    whole = b"".join(token.written for token in tokens)
    at = whole.rfind(text.encode("utf-8", "surrogatepass")) if tokens else -1
    if at < 0:
        return ()
    found = []
    end, length = -at, len(whole) - at
    # Maps each byte of the text, and its end, to the index of its character.
    places = [at for at, letter in enumerate(text) for _ in letter.encode("utf-8", "surrogatepass")]
    places.append(len(text))
    for token in tokens:
        start, end = end, end + len(token.written)
        if (
            start >= 0
            and end <= min(length, len(places) - 1)
            and any(48 <= byte <= 57 for byte in token.written)
        ):
            found.append(TokenOdds(places[start], places[end], token.alternatives))
    return tuple(found)
