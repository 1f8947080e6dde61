"""Cached answers, with request keys and signatures. Identical concurrent requests share one call, in this
process and over all replicas."""

import asyncio
import hashlib
import hmac
import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any

from pydantic import TypeAdapter, ValidationError

from ..domain.completion import NO_USAGE, CacheEntry, CacheMode, Call, ChatMessage, Completion, LLMRequest
from ..store.protocol import POLL, Lease, Store
from .failures import Answer, CacheMiss, TimedOut
from .provider import Provider, Together, Wrapper, remaining

SIGNATURE_LENGTH = hashlib.sha256().digest_size


class Signer:
    """Puts an HMAC-SHA-256 over key and value before each value, so that a writer to a shared Redis cannot forge an
    answer. The first of `keys` signs, all of them verify, so
    that a key can be replaced while both are known. Without keys values stay as they are."""

    def __init__(self, keys: Sequence[bytes]) -> None:
        self._keys = tuple(keys)

    def sign(self, key: str, value: bytes) -> bytes:
        """Return the value with its signature, as it is stored under a key of the cache."""
        return self._mac(self._keys[0], key, value) + value if self._keys else value

    def verify(self, key: str, kept: bytes) -> bytes | None:
        """Return the value that was stored under this key, without its signature; None if none of our keys signed it."""
        if not self._keys:
            return kept
        mac, value = kept[:SIGNATURE_LENGTH], kept[SIGNATURE_LENGTH:]
        if any(hmac.compare_digest(mac, self._mac(one, key, value)) for one in self._keys):
            return value
        return None

    def _mac(self, secret: bytes, key: str, value: bytes) -> bytes:
        return hmac.digest(secret, key.encode() + b"\0" + value, "sha256")


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


class CompletionCache:
    """Completions in a store: the raw text with its usage, never what was read out of it. `signer` signs what is
    kept, and makes a miss of what it did not sign. `keeps_all` keeps answers that nobody can read as well: they were
    paid for, and a process that goes on after a stop finds them again."""

    def __init__(self, store: Store, signer: Signer | None = None, *, keeps_all: bool = False) -> None:
        self._store = store
        self._keeps_all = keeps_all
        self._signer = signer or Signer(())
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

    async def holds(self, entries: Sequence[CacheEntry]) -> bool:
        """Return whether the store has all of these as they were; they are hits then, as if read."""
        found = await self._store.get_many([entry.key for entry in entries]) if entries else []
        if any(hash(value) != entry.fingerprint for value, entry in zip(found, entries, strict=True)):
            return False
        self._stats["hits"] += len(entries)
        self._stats["saved_tokens"] += sum(entry.saved_tokens for entry in entries)
        return True

    async def claim(self, request: LLMRequest, call: Call) -> Completion | Lease | None:
        """Return the stored answer, else a lease to ask, else None if another asks."""
        key = cache_key(request)
        claim = await self._store.claim(key)
        if claim.value is None:
            return claim.lease
        # An entry that cannot be read any more is asked for again by its finder.
        return self._restored(request, key, claim.value, call) or Lease(key, None)

    async def write(self, request: LLMRequest, completion: Completion, call: Call) -> None:
        """Keep an answer, if it can be read or all are kept."""
        if self._is_kept(request, completion, call):
            key = cache_key(request)
            value = _COMPLETION.dump_json(replace(completion, lost=NO_USAGE, cached=False))
            await self._store.put(key, self._signer.sign(key, value))

    async def release(self, lease: Lease) -> None:
        await self._store.release(lease)

    def stats(self) -> Mapping[str, int]:
        return dict(self._stats)

    def _restored(self, request: LLMRequest, key: str, kept: bytes | None, call: Call) -> Completion | None:
        value = None if kept is None else self._signer.verify(key, kept)
        if value is None:
            return None
        try:
            completion = _COMPLETION.validate_json(value)
        except ValidationError:
            return None
        if call.cache is CacheMode.ONLY and not _is_accepted(request, completion, call):
            return None  # a look-up asks nothing again; the call after it finds this answer, and repairs it
        return completion.as_hit() if self._is_kept(request, completion, call) else None

    def _is_kept(self, request: LLMRequest, completion: Completion, call: Call) -> bool:
        return self._keeps_all or _is_accepted(request, completion, call)


def _is_accepted(request: LLMRequest, completion: Completion, call: Call) -> bool:
    return call.accept is None or call.accept(request, completion)


class Cached(Together):
    """Answers from the cache where it can, before any queue or limit."""

    def __init__(self, inner: Provider, cache: CompletionCache) -> None:
        super().__init__(inner)
        self._cache = cache

    async def complete(self, requests: Sequence[LLMRequest], call: Call) -> list[Answer]:
        if call.cache in {CacheMode.OFF, CacheMode.REFRESH} or call.looked_up:
            return await self._inner.complete(requests, call)
        found = await self._cache.read(requests, call)
        missing = [request for request, hit in zip(requests, found, strict=True) if hit is None]
        if call.cache is CacheMode.ONLY:
            return [hit or CacheMiss("the cache has no answer to this request") for hit in found]
        answers = iter(await self._inner.complete(missing, call) if missing else ())
        return [hit or next(answers) for hit in found]


RETRY_MARGIN = 1.0
"""A flight that gave up this many seconds before our own deadline gave up too early for us."""

GRACE = 0.1
"""Seconds after its deadline in which a flight may still report its failure."""

_Key = tuple[LLMRequest, CacheMode]


@dataclass(slots=True)
class _Flight:
    task: "asyncio.Task[Answer]"
    deadline: float
    waiting: int = 0


class SingleFlight(Wrapper):
    """Share one call among identical requests. Only the last caller to leave cancels it, unless `finishes`:
    then it is paid for, and runs on to be cached. A caller that joins spends no tokens: it gets a hit."""

    def __init__(self, inner: Provider, *, finishes: bool = False) -> None:
        super().__init__(inner)
        self._finishes = finishes
        self._flights: dict[_Key, _Flight] = {}
        self._tasks: set[asyncio.Task[Answer]] = set()
        self._stats: Counter[str] = Counter(shared=0)

    async def aclose(self) -> None:
        """Cancel what is still in flight, or wait for it."""
        for task in () if self._finishes else list(self._tasks):
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        await super().aclose()

    def stats(self) -> Mapping[str, int]:
        return dict(self._stats, flights=len(self._flights))

    async def ask(self, request: LLMRequest, call: Call) -> Answer:
        if call.cache is CacheMode.OFF:
            return await super().ask(request, call)
        key = (request, call.cache)
        ours = float("inf") if call.deadline is None else call.deadline
        while (flight := self._flights.get(key)) is not None:
            self._stats["shared"] += 1
            answer = await self._join(key, flight, ours)
            if isinstance(answer, Completion):
                return answer.as_hit()
            if not answer.retryable or ours - flight.deadline < RETRY_MARGIN:
                return replace(answer, usage=NO_USAGE)
        return await self._join(key, self._start(key, call, ours), ours)

    def _start(self, key: _Key, call: Call, deadline: float) -> _Flight:
        task = asyncio.create_task(self._inner.ask(key[0], call), name="llm call")
        self._tasks.add(task)
        flight = self._flights[key] = _Flight(task, deadline)
        task.add_done_callback(self._tasks.discard)
        task.add_done_callback(lambda _: self._forget(key, flight))
        return flight

    async def _join(self, key: _Key, flight: _Flight, deadline: float) -> Answer:
        flight.waiting += 1
        try:
            left = None if deadline == float("inf") else deadline - asyncio.get_running_loop().time()
            await asyncio.wait({flight.task}, timeout=left)
            # Counted from now: where the loop stood still at the deadline, the flight has yet to notice it.
            await asyncio.wait({flight.task}, timeout=GRACE)
            return flight.task.result() if flight.task.done() else TimedOut("no answer came in time")
        finally:
            flight.waiting -= 1
            if not flight.waiting and not flight.task.done() and not self._finishes:
                self._forget(key, flight)
                flight.task.cancel()

    def _forget(self, key: _Key, flight: _Flight) -> None:
        if self._flights.get(key) is flight:
            del self._flights[key]


class Leased(Wrapper):
    """Asks under a lease and stores the answer before it lets go, so that waiting callers find it.
    A holder that fails lets go just the same, and the next one asks."""

    def __init__(self, inner: Provider, cache: CompletionCache) -> None:
        super().__init__(inner)
        self._cache = cache

    async def ask(self, request: LLMRequest, call: Call) -> Answer:
        match call.cache:
            case CacheMode.OFF:
                return await super().ask(request, call)
            case CacheMode.REFRESH:
                return await self._ask(request, call)
            case _:
                return await self._ask_once(request, call)

    async def _ask_once(self, request: LLMRequest, call: Call) -> Answer:
        while True:
            claimed = await self._cache.claim(request, call)
            if isinstance(claimed, Completion):
                return claimed
            if claimed is not None:
                break
            if remaining(call) <= 0:
                return TimedOut("another replica was still asking the same when time ran out")
            await asyncio.sleep(min(remaining(call), POLL))
        try:
            return await self._ask(request, call)
        finally:
            await self._cache.release(claimed)

    async def _ask(self, request: LLMRequest, call: Call) -> Answer:
        answer = await super().ask(request, call)
        if isinstance(answer, Completion):
            await self._cache.write(request, answer, call)
        return answer
