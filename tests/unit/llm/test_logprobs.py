"""Probabilities of tokens, in the shapes that servers give them in."""

import math
from typing import Any

import pytest

from service.domain.completion import TokenOdds
from service.llm.logprobs import read_odds

TEXT = '{"rationale": "Früh", "score": 3}'
TOKENS = [
    '{"',
    "rationale",
    '":',
    ' "',
    "Fr",
    b"\xc3",
    b"\xbc",
    "h",
    '",',
    ' "',
    "score",
    '":',
    " ",
    "3",
    "}",
]
AT = TEXT.index("3")
TOP = {"3": -0.1, "2": -2.5, "4": -4.0}


def content(tokens: list[Any], *, listed: bool = True) -> dict[str, Any]:
    """OpenAI's shape; a token may end inside a character."""
    rows = []
    for token in tokens:
        raw = token if isinstance(token, bytes) else token.encode()
        text = raw.decode("utf-8", "replace")
        top = (
            [{"token": t, "logprob": p, "bytes": list(t.encode())} for t, p in TOP.items()]
            if text == "3"
            else []
        )
        row: dict[str, Any] = {"token": text, "logprob": -0.1, "top_logprobs": top}
        rows.append(row | ({"bytes": list(raw)} if listed else {}))
    return {"content": rows}


def plain(tokens: list[Any]) -> list[str]:
    whole = b"".join(t if isinstance(t, bytes) else t.encode() for t in tokens).decode()
    return [whole[:AT], "3", "}"]


@pytest.mark.parametrize(
    "raw",
    [
        content(TOKENS),
        content(["<think>", "7?", "</think>", *TOKENS]),
        content(plain(TOKENS), listed=False),
        {
            "tokens": plain(TOKENS),
            "token_logprobs": [-0.1, -0.1, 0.0],
            "top_logprobs": [None, TOP, {}],
        },
    ],
    ids=["openai", "after thoughts", "without bytes", "older"],
)
def test_the_alternatives_stand_at_their_place_in_the_text(raw: dict[str, Any]) -> None:
    [odds] = read_odds(raw, TEXT)
    assert (odds.start, odds.stop) == (AT, AT + 1)
    assert dict(odds.alternatives) == TOP


@pytest.mark.parametrize(
    "raw",
    [
        None,
        {},
        {"content": None},
        {"content": [3]},
        {"content": [{"token": "other"}]},
        {"tokens": [None]},
        content(TOKENS[:-1]),
        [],
        "3",
    ],
)
def test_what_does_not_give_the_text_gives_nothing(raw: Any) -> None:
    assert read_odds(raw, TEXT) == ()


def test_what_is_no_logarithm_is_left_out() -> None:
    raw = {
        "content": [
            {
                "token": "3",
                "logprob": -0.2,
                "top_logprobs": [
                    {"token": "2", "logprob": math.nan},
                    {"token": "1", "logprob": "low"},
                    {"token": 4, "logprob": -1},
                    {"token": "0", "logprob": -math.inf},
                    None,
                ],
            }
        ]
    }
    assert read_odds(raw, "3") == (TokenOdds(0, 1, (("3", -0.2),)),)
