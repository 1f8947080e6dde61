"""Answers to lines of a batch, kept under its `Idempotency-Key`: sent again, a line is answered without being worked on again."""

import asyncio
import hashlib
import re
from collections.abc import Awaitable, Callable
from weakref import WeakValueDictionary

from fastapi import Request

from ..errors import DeadlineExceeded, FieldError, InvalidRequest
from ..llm.cache import Signer
from ..store.protocol import POLL, Claim, Store

HEADER = "Idempotency-Key"
_KEY = re.compile(r'"?([\x21\x23-\x7e]{1,255})"?')
_PRINT = 16
"""Bytes by which the content of a line is known again."""

Answer = tuple[int, bytes]
"""A status and a body."""


class Replays:
    """Keeps answers with status 2xx in `store`, signed by `signer`, as long as the store keeps anything. Losing the store
    loses no answer: the line is worked on again."""

    def __init__(self, store: Store, signer: Signer) -> None:
        self._store = store
        self._signer = signer
        self._locks: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()

    async def answer(
        self, key: str, content: bytes, ask: Callable[[], Awaitable[Answer]], patience: float
    ) -> Answer:
        """The answer kept under `key`, else what `ask` gives. The same line that runs elsewhere is waited for, at most
        `patience` seconds. Raises InvalidRequest where `key` was used for another content, DeadlineExceeded."""
        name = f"replay:{hashlib.sha256(key.encode()).hexdigest()}"
        mark = hashlib.blake2b(content, digest_size=_PRINT).digest()
        lock = self._locks.setdefault(name, asyncio.Lock())
        async with lock:  # a store inside the process grants every lease
            claim = await self._claim(name, patience)
            kept = None if claim.value is None else self._signer.verify(name, claim.value)
            if kept is not None:
                return _opened(kept, mark)
            try:
                status, body = await ask()
                if 200 <= status < 300:
                    value = mark + status.to_bytes(2, "big") + body
                    await self._store.put(name, self._signer.sign(name, value))
            finally:
                if claim.lease is not None:
                    await self._store.release(claim.lease)
            return status, body

    async def _claim(self, name: str, patience: float) -> Claim:
        clock = asyncio.get_running_loop().time
        given_up = clock() + patience
        while (claim := await self._store.claim(name)) == Claim():
            if clock() >= given_up:
                raise DeadlineExceeded(
                    "The same line of the same batch is still being processed. Send it again later."
                )
            await asyncio.sleep(POLL)
        return claim


def idempotency_key(request: Request) -> str | None:
    """The key of a request, by the name of its caller; None without one. Raises InvalidRequest for one that cannot be read."""
    given = request.headers.get(HEADER)
    if given is None:
        return None
    found = _KEY.fullmatch(given.strip())
    if found is None:
        wrong = FieldError(
            "", f"the header {HEADER} cannot be read", "send 1 to 255 visible ASCII characters"
        )
        raise InvalidRequest(f"{HEADER} must have 1 to 255 visible ASCII characters.", errors=[wrong])
    caller = request.scope["state"].get("api_key")
    return f"{caller.name if caller else ''}\0{found[1]}"


def _opened(kept: bytes, mark: bytes) -> Answer:
    if kept[:_PRINT] != mark:
        raise InvalidRequest.at(
            "/body",
            f"this line stood in a batch with the same {HEADER} and had another path or body",
            f"send a new {HEADER} with what is new",
        )
    return int.from_bytes(kept[_PRINT : _PRINT + 2], "big"), kept[_PRINT + 2 :]
