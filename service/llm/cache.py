"""Answers that were had before: the key of a request, the form in which an answer is kept, and the
wrapper that looks all of a batch up in one round trip."""

import hashlib
import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any

from pydantic import TypeAdapter, ValidationError

from ..domain.completion import (
    NO_USAGE,
    CacheEntries,
    CacheEntry,
    CacheMode,
    Call,
    ChatMessage,
    Completion,
    LLMRequest,
)
from ..store.protocol import Lease, Store
from .failures import Answer, CacheMiss
from .provider import Provider
from .seal import Seal

CACHE_VERSION = 1
"""Raised when the meaning of a key or the form of a value changes: old entries are then not found."""

_COMPLETION = TypeAdapter(Completion)
# `asdict` would copy every part of every request: it was half of the time of a hit.
_FIELDS = tuple(field.name for field in fields(LLMRequest))
_MESSAGE_FIELDS = tuple(field.name for field in fields(ChatMessage))
_CANONICAL = json.JSONEncoder(
    sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False, check_circular=False
)


def cache_key(request: LLMRequest) -> str:
    """SHA-256 over the canonical JSON of the whole request: two requests that differ in anything
    that is sent never share a key, and 0 and 0.0 are one value."""
    parts: dict[str, Any] = {name: _canonical(getattr(request, name)) for name in _FIELDS}
    if not request.namespace:  # entries of before there were any are found
        del parts["namespace"]
    if request.logprobs is None:
        del parts["logprobs"]
    parts["messages"] = [
        {name: getattr(message, name) for name in _MESSAGE_FIELDS} for message in request.messages
    ]
    text = _CANONICAL.encode({"version": CACHE_VERSION, "request": parts})
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def _canonical(value: Any) -> Any:
    return int(value) if isinstance(value, float) and value.is_integer() else value


@dataclass(frozen=True, slots=True)
class Claimed:
    """The outcome of claiming a request: an answer, or the lease to ask for one, or neither."""

    completion: Completion | None = None
    lease: Lease | None = None


class CompletionCache:
    """Completions in a store: the raw text with its usage, never what was read out of it. `seal` signs what is
    kept, and makes a miss of what it did not sign. `keeps_all` keeps answers that nobody can read as well: they were
    paid for, and whoever goes on after a stop finds them again."""

    def __init__(self, store: Store, seal: Seal | None = None, *, keeps_all: bool = False) -> None:
        self._store = store
        self._keeps_all = keeps_all
        self._seal = seal or Seal(())
        self._stats: Counter[str] = Counter(hits=0, misses=0, saved_tokens=0)

    async def read(self, requests: Sequence[LLMRequest], call: Call) -> list[Completion | None]:
        """The stored answers, as hits, in order; None where there is none that can be read."""
        keys = [cache_key(request) for request in requests]
        values = await self._store.get_many(keys)
        triples = zip(requests, keys, values, strict=True)
        found = [self._restored(request, key, value, call) for request, key, value in triples]
        if call.entries is not None:
            call.entries.extend(
                CacheEntry(key, hash(value), completion.usage.saved_tokens)
                for key, value, completion in zip(keys, values, found, strict=True)
                if completion is not None
            )
        for completion in found:
            self._stats["misses" if completion is None else "hits"] += 1
            self._stats["saved_tokens"] += 0 if completion is None else completion.usage.saved_tokens
        return found

    async def holds(self, entries: CacheEntries) -> bool:
        """Return whether the store has all of these as they were; they are hits then, as if read."""
        if not entries.keys:
            return True
        if tuple(map(hash, await self._store.get_many(entries.keys))) != entries.fingerprints:
            return False
        self._stats["hits"] += len(entries.keys)
        self._stats["saved_tokens"] += entries.saved_tokens
        return True

    async def claim(self, request: LLMRequest, call: Call) -> Claimed:
        """The stored answer, else the right to ask, else neither: another one is asking."""
        key = cache_key(request)
        claim = await self._store.claim(key)
        if claim.value is None:
            return Claimed(lease=claim.lease)
        completion = self._restored(request, key, claim.value, call)
        # An entry that cannot be read any more is asked for anew by whoever finds it.
        return Claimed(completion) if completion else Claimed(lease=Lease(key, None))

    async def write(self, request: LLMRequest, completion: Completion, call: Call) -> None:
        """Keep an answer, if it can be read or all are kept."""
        if self._is_kept(request, completion, call):
            key = cache_key(request)
            value = _COMPLETION.dump_json(replace(completion, lost=NO_USAGE, cached=False))
            await self._store.put(key, self._seal.close(key, value))

    async def release(self, lease: Lease) -> None:
        await self._store.release(lease)

    async def wait(self, request: LLMRequest, longest: float) -> None:
        """Return when the one who is asking is done, or soon."""
        await self._store.wait(cache_key(request), longest)

    def stats(self) -> Mapping[str, int]:
        return dict(self._stats)

    def _restored(self, request: LLMRequest, key: str, kept: bytes | None, call: Call) -> Completion | None:
        value = None if kept is None else self._seal.open(key, kept)
        if value is None:
            return None
        try:
            completion = _COMPLETION.validate_json(value)
        except ValidationError:
            return None
        return completion.as_hit() if self._is_kept(request, completion, call) else None

    def _is_kept(self, request: LLMRequest, completion: Completion, call: Call) -> bool:
        return self._keeps_all or call.accept is None or call.accept(request, completion)


class Cached:
    """Answers from the cache where it can, before any queue or limit."""

    def __init__(self, inner: Provider, cache: CompletionCache) -> None:
        self._inner = inner
        self._cache = cache

    async def complete(self, requests: Sequence[LLMRequest], call: Call) -> list[Answer]:
        if call.cache in {CacheMode.OFF, CacheMode.REFRESH} or call.looked_up:
            return await self._inner.complete(requests, call)
        found = await self._cache.read(requests, call)
        missing = [request for request, hit in zip(requests, found, strict=True) if hit is None]
        if call.cache is CacheMode.ONLY:
            return [hit or CacheMiss("the cache holds no answer to this request") for hit in found]
        answers = iter(await self._inner.complete(missing, call) if missing else ())
        return [hit or next(answers) for hit in found]

    async def aclose(self) -> None:
        await self._inner.aclose()
