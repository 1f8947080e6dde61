"""The probabilities of tokens in an answer of Chat Completions, in the shapes that servers give them in."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from ..domain.completion import TokenOdds

MOST_ALTERNATIVES = 30


@dataclass(frozen=True, slots=True)
class _Token:
    """A token as bytes, since it may end inside a character, with its alternatives."""

    written: bytes
    alternatives: tuple[tuple[str, float], ...]


def read_odds(raw: Any, text: str) -> tuple[TokenOdds, ...]:
    """The alternatives of each token of `text` that holds a digit: `content[]` with `top_logprobs[]` as OpenAI, vLLM and
    llama.cpp give them, or the older `tokens[]`, `token_logprobs[]` and `top_logprobs[]`. None at all where the tokens are
    not those of the text. Tokens before it (a model's thoughts) are passed over."""
    tokens = list(_tokens(raw))
    whole = b"".join(token.written for token in tokens)
    at = whole.rfind(text.encode("utf-8", "surrogatepass")) if tokens else -1
    if at < 0:
        return ()
    found = []
    end, length = -at, len(whole) - at
    places = _characters(text)
    for token in tokens:
        start, end = end, end + len(token.written)
        if (
            start >= 0
            and end <= min(length, len(places) - 1)
            and any(48 <= byte <= 57 for byte in token.written)
        ):
            found.append(TokenOdds(places[start], places[end], token.alternatives))
    return tuple(found)


def _characters(text: str) -> Sequence[int]:
    """For each byte of the text, and for its end, the index of the character that it is of."""
    places = [
        index for index, character in enumerate(text) for _ in character.encode("utf-8", "surrogatepass")
    ]
    return [*places, len(text)]


def _tokens(raw: Any) -> Iterator[_Token]:
    if not isinstance(raw, dict):
        return
    if isinstance(raw.get("content"), list):
        for one in raw["content"]:
            if not isinstance(one, dict) or not isinstance(one.get("token"), str):
                return
            listed = one.get("top_logprobs")
            others = [_pair(other) for other in (listed if isinstance(listed, list) else ())]
            yield _Token(_written(one), _alternatives([_pair(one), *others]))
    elif isinstance(raw.get("tokens"), list):
        yield from _older(raw)


def _older(raw: dict[str, Any]) -> Iterator[_Token]:
    chosen, tops = raw.get("token_logprobs"), raw.get("top_logprobs")
    for index, token in enumerate(raw["tokens"]):
        if not isinstance(token, str):
            return
        own = chosen[index] if isinstance(chosen, list) and index < len(chosen) else None
        top = tops[index] if isinstance(tops, list) and index < len(tops) else None
        others = list(top.items()) if isinstance(top, dict) else []
        yield _Token(_bytes(token), _alternatives([(token, own), *others]))


def _pair(one: Any) -> tuple[Any, Any]:
    return (one.get("token"), one.get("logprob")) if isinstance(one, dict) else (None, None)


def _alternatives(pairs: Sequence[tuple[Any, Any]]) -> tuple[tuple[str, float], ...]:
    """The pairs that are tokens with a logarithm, each token once."""
    known: dict[str, float] = {}
    for token, logprob in pairs[: MOST_ALTERNATIVES + 1]:
        number = (
            isinstance(logprob, int | float) and not isinstance(logprob, bool) and not math.isnan(logprob)
        )
        if isinstance(token, str) and number and math.isfinite(logprob):
            known.setdefault(token, float(logprob))
    return tuple(known.items())


def _written(one: dict[str, Any]) -> bytes:
    listed = one.get("bytes")
    if isinstance(listed, list) and all(isinstance(byte, int) and 0 <= byte < 256 for byte in listed):
        return bytes(listed)
    return _bytes(one["token"])


def _bytes(token: str) -> bytes:
    return token.encode("utf-8", "surrogatepass")
