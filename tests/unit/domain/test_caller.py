import hashlib

import pytest

from service.domain.caller import ApiKey, RateLimit, find_key


def digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


KEYS = [
    ApiKey.parse(f"ci:score:{digest('first')}"),
    ApiKey.parse(f"ci-next:score+simulate:{digest('second')}"),
]


def test_a_key_is_found_by_its_text_alone() -> None:
    assert find_key(KEYS, b"first") == KEYS[0]
    assert find_key(KEYS, b"second") == KEYS[1]
    assert find_key(KEYS, b"third") is None
    assert find_key(KEYS, b"") is None
    assert find_key(KEYS, KEYS[0].digest) is None
    assert find_key([], b"first") is None


def test_a_key_does_not_print_its_hash() -> None:
    assert KEYS[0].digest.hex() not in repr(KEYS[0])
    assert repr(KEYS[0].digest) not in repr(KEYS[0])


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("secret", "name:scopes:sha256"),
        (f"ci:score:{digest('x')}:more", "name:scopes:sha256"),
        (f"c i:score:{digest('x')}", "letters, digits"),
        (f"ci:scores:{digest('x')}", "no such scope 'scores'"),
        (f"ci::{digest('x')}", "no such scope ''"),
        ("ci:score:my-plain-key", "SHA-256"),
        (f"ci:score:{digest('x').upper()}", "SHA-256"),
        (f"ci:score:{digest('')}", "empty key"),
    ],
)
def test_what_is_no_key_is_told_without_quoting_it(text: str, said: str) -> None:
    with pytest.raises(ValueError, match=r".+") as caught:
        ApiKey.parse(text)
    assert said in str(caught.value)
    assert text.rpartition(":")[2] not in str(caught.value)


@pytest.mark.parametrize(
    ("text", "requests", "window"),
    [("600/minute", 600, 60), ("1/second", 1, 1), (" 5/hour ", 5, 3600), ("9/day", 9, 86400)],
)
def test_rates_are_read(text: str, requests: int, window: int) -> None:
    limit = RateLimit.parse(text)
    assert (limit.requests, limit.window) == (requests, window)
    assert str(limit) == text.strip()


@pytest.mark.parametrize(
    "text", ["", "600", "0/minute", "-1/minute", "1.5/minute", "600/week", "600 / minute"]
)
def test_what_is_no_rate_is_told(text: str) -> None:
    with pytest.raises(ValueError, match="600/minute"):
        RateLimit.parse(text)
