import math
from typing import Any

import pytest

from service.domain.completion import TokenOdds
from service.llm.answer_text import LONGEST_READ, objects_in, printable, read_odds


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("no object", []),
        ('{"a": 1}', [{"a": 1}]),
        ('```json\n{"a": 1}\n```', [{"a": 1}]),
        ('first {"a": 1}, then {"a": 2}.', [{"a": 1}, {"a": 2}]),
        ('{"a": {"b": 1}}', [{"a": {"b": 1}}]),
        ('{"a": "raw\nline"}', [{"a": "raw\nline"}]),
        ('<think>{"a": 0}</think>{"a": 1}', [{"a": 1}]),
        ('{"a": 1} {"a": ', [{"a": 1}, None]),
        ('{"quoted": {"a": 4} cut', [None]),
        ("{'a': 1}", [None]),
        ('all {x} of {not json}: {"a": 1}. I leave {y} aside', [{"a": 1}]),
        ('{a: 1} {"a": 2}', [None]),
        ('of {"a": and {b\n</think>\n{"a": 1}', [{"a": 1}]),
        ('of {"a": 1</THINKING>', []),
        ('{"a": "</think> {"}', [{"a": "</think> {"}]),
        ('thought {"a": </think>{"b": ', [None]),
        ("{" * 5000, [None]),
        ('{"a": 1' + "0" * 5000 + "}", [None]),
    ],
)
def test_objects_are_read_in_order_and_what_cannot_be_read_ends_them(text: str, found: list[object]) -> None:
    assert list(objects_in(text)) == found


def test_only_the_end_of_a_flood_is_read() -> None:
    assert list(objects_in('{"a": 1}' + "x" * LONGEST_READ + '{"a": 2}')) == [{"a": 2}]


def test_lone_surrogates_become_printable_wherever_they_stand() -> None:
    assert printable({"a": ["x\ud800", 1], "b": {"c": "\udfffy"}}) == {
        "a": ["x\ufffd", 1],
        "b": {"c": "\ufffdy"},
    }


TEXT = '{"rationale": "Früh", "score": 3}'
TOKENS = [
    *('{"', "rationale", '":', ' "', "Fr", b"\xc3", b"\xbc", "h", '",', ' "', "score", '":', " ", "3", "}")
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
        row = {"token": text, "logprob": -0.1, "top_logprobs": top}
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
    ],
    ids=["openai", "after thoughts", "without bytes"],
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
        content(TOKENS[:-1]),
        [],
        "3",
    ],
)
def test_what_does_not_give_the_text_gives_nothing(raw: Any) -> None:
    assert read_odds(raw, TEXT) == ()


def test_what_is_no_logarithm_is_left_out() -> None:
    pairs = [("2", math.nan), ("1", "low"), (4, -1), ("0", -math.inf)]
    top = [*({"token": token, "logprob": logprob} for token, logprob in pairs), None]
    raw = {"content": [{"token": "3", "logprob": -0.2, "top_logprobs": top}]}
    assert read_odds(raw, "3") == (TokenOdds(0, 1, (("3", -0.2),)),)
