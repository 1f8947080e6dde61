"""Callers, what they may call and how often: keys as the operator gives them, without the keys themselves."""

import hashlib
import hmac
import re
from collections.abc import Iterable
from contextvars import ContextVar
from dataclasses import dataclass, field
from enum import StrEnum

CALLER: ContextVar[str] = ContextVar("who a request comes from", default="")
"""The name of the key, or the address, that a request comes from: what is scarce is shared between callers."""


class Scope(StrEnum):
    """A permission of a key: judging, playing users, replacing answers that the cache holds (`cache:
    refresh`), and the figures of the service itself."""

    SCORE = "score"
    SIMULATE = "simulate"
    REFRESH = "refresh"
    ADMIN = "admin"


@dataclass(frozen=True, slots=True)
class ApiKey:
    """A key by its name, its scopes and the SHA-256 of its text."""

    name: str
    scopes: frozenset[Scope]
    digest: bytes = field(repr=False)

    @classmethod
    def parse(cls, text: str) -> "ApiKey":
        """Read `name:scope+scope:hash`. Raises ValueError, which never quotes the hash."""
        parts = text.split(":")
        if len(parts) != 3:
            raise ValueError("a key is given as name:scopes:sha256, for example ci:score+simulate:9f86d0...")
        name, scopes, digest = parts
        if not re.fullmatch(r"[A-Za-z0-9_.-]{1,64}", name):
            raise ValueError("the name of a key is made of letters, digits, `_`, `.` and `-`")
        known = ", ".join(scope.value for scope in Scope)
        if unknown := sorted(set(scopes.split("+")) - set(Scope)):
            raise ValueError(f"{name}: no such scope {unknown[0]!r}; there are {known}")
        if not re.fullmatch(r"[0-9a-f]{64}", digest):
            raise ValueError(f"{name}: the hash should be the SHA-256 of the key, as 64 small hex digits")
        if bytes.fromhex(digest) == hashlib.sha256(b"").digest():
            raise ValueError(f"{name}: this is the hash of an empty key, which would open to everyone")
        return cls(name, frozenset(map(Scope, scopes.split("+"))), bytes.fromhex(digest))


def find_key(keys: Iterable[ApiKey], token: bytes) -> ApiKey | None:
    """The key whose text is `token`. All are compared, each in constant time, so that how long it takes
    tells nothing."""
    digest = hashlib.sha256(token).digest()
    found: ApiKey | None = None
    for key in keys:
        if hmac.compare_digest(key.digest, digest):
            found = key
    return found


_SECONDS = {"second": 1, "minute": 60, "hour": 3600, "day": 86400}


@dataclass(frozen=True, slots=True)
class RateLimit:
    """So many requests in a window of so many seconds."""

    requests: int
    window: int

    @classmethod
    def parse(cls, text: str) -> "RateLimit":
        """Read `600/minute`. Raises ValueError."""
        found = re.fullmatch(r"([1-9]\d{0,8})/(second|minute|hour|day)", text.strip())
        if found is None:
            raise ValueError(
                "a rate limit is a number and a unit: 600/minute; units: second, minute, hour, day"
            )
        return cls(int(found[1]), _SECONDS[found[2]])

    def __str__(self) -> str:
        unit = next(name for name, seconds in _SECONDS.items() if seconds == self.window)
        return f"{self.requests}/{unit}"
