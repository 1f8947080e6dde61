"""Admit callers by keys, scopes and rate limits, before a route is looked up. Pure ASGI."""

import asyncio
import time
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from ...domain import caller
from ...domain.caller import CALLER, ApiKey, RateLimit, find_key
from ...errors import CrsEvalError, Forbidden, TooManyRequests, Unauthorized
from ...store.protocol import Store
from ..problems import problem_response, request_id_of

if TYPE_CHECKING:
    from .rates import Rates

OPEN = frozenset({"/", "/healthz", "/readyz", "/openapi.json", "/docs", "/favicon.ico"})
OPEN_FOLDERS = ("/docs/", "/web/")
POLICY = "requests"


class Access:
    """Asks for a key where `keys` holds any, checks what it opens, and counts its requests against
    `limit` where there is one: over all replicas through `store`, and in this process alone while that
    is down. Callers without a key are counted by their address.

    Health, readiness, contract, docs and page stay open and uncounted. Each line of a batch counts
    as a request: a line over the limit waits for its turn, at most `patience` seconds."""

    def __init__(
        self,
        app: ASGIApp,
        *,
        keys: Sequence[ApiKey],
        limit: RateLimit | None,
        store: Store,
        patience: float,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self.app = app
        self._keys = tuple(keys)
        self._limit = limit
        self._rates = None if limit is None else _rates(limit, store, clock)
        self._patience = patience
        self._clock = clock

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or is_open(scope["path"]):
            await self.app(scope, receive, send)
            return
        headers: list[tuple[bytes, bytes]] = []
        try:
            self._admit(scope)
            CALLER.set(who := _caller(scope))
            if self._limit is not None and self._rates is not None:
                headers = await self._count(scope, who, self._limit, self._rates)
        except CrsEvalError as error:
            response = problem_response(error, request_id_of(scope))
            if isinstance(error, Unauthorized):
                response.headers["WWW-Authenticate"] = 'Bearer realm="crs-eval"'
            if isinstance(error, TooManyRequests) and self._limit is not None:
                response.raw_headers += self._headers(self._limit, 0, error.retry_after or 0)
            await response(scope, receive, send)
            return

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                message["headers"] = [*message["headers"], *headers]
            await send(message)

        await self.app(scope, receive, send_with_headers if headers else send)

    def _admit(self, scope: Scope) -> None:
        """Find the caller's key. Raises Unauthorized without one, Forbidden where it does not open the
        route; a line of a batch comes with the key of the batch."""
        if not self._keys:
            return
        key = scope["state"].get("api_key") or find_key(self._keys, bearer_token(scope))
        if not isinstance(key, ApiKey):
            raise Unauthorized(
                "This service asks for a key. Send one of yours as `Authorization: Bearer <key>`."
            )
        scope["state"]["api_key"] = key
        needed = needed_scope(scope["path"], scope["method"])
        if needed is not None and needed not in key.scopes:
            raise Forbidden(
                f"The key {key.name!r} does not open this route; it lacks the scope {needed.value!r}."
            )

    async def _count(
        self, scope: Scope, who: str, limit: RateLimit, rates: "Rates"
    ) -> list[tuple[bytes, bytes]]:
        """Count the request. Raises TooManyRequests over the limit."""
        if scope["path"] == "/batch":  # its lines count, one by one
            return []
        given_up = self._clock() + (self._patience if "batch_line" in scope["state"] else 0)
        while True:
            turn = await rates.hit(who)
            if turn.granted:
                return self._headers(limit, turn.remaining, turn.left)
            if self._clock() + turn.left > given_up:
                raise TooManyRequests(
                    f"More than {limit} requests. The next window begins in {turn.left:.0f} s.",
                    retry_after=turn.left,
                )
            await asyncio.sleep(turn.left)

    def _headers(self, limit: RateLimit, remaining: int, left: float) -> list[tuple[bytes, bytes]]:
        """As in draft-ietf-httpapi-ratelimit-headers."""
        policy = f'"{POLICY}";q={limit.requests};w={limit.window}'
        state = f'"{POLICY}";r={remaining};t={int(left) + 1}'
        return [(b"ratelimit-policy", policy.encode()), (b"ratelimit", state.encode())]


def _rates(limit: RateLimit, store: Store, clock: Callable[[], float]) -> "Rates":
    from .rates import Rates  # with it comes the library, which a start without a limit need not wait for

    return Rates(limit, store, clock)


def is_open(path: str) -> bool:
    """Return whether a path needs no key."""
    return path in OPEN or path.startswith(OPEN_FOLDERS)


def needed_scope(path: str, method: str) -> caller.Scope | None:
    """Return what a key must hold to open a path; None: any key does. The lines of a batch are checked one
    by one, and what there is to choose from is for all who have a key."""
    if path == "/metrics" or method == "DELETE":
        return caller.Scope.ADMIN
    if path == "/simulate" or path.startswith("/simulate/"):
        return caller.Scope.SIMULATE
    if path in {"/batch", "/factors", "/choices"} or path.startswith("/factors/"):
        return None
    return caller.Scope.SCORE


def bearer_token(scope: Scope) -> bytes:
    """The token of the Authorization header; empty without one."""
    for name, value in scope["headers"]:
        if name == b"authorization":
            scheme, _, token = value.strip().partition(b" ")
            return bytes(token.strip()) if scheme.lower() == b"bearer" else b""
    return b""


def _caller(scope: Scope) -> str:
    key = scope["state"].get("api_key")
    if isinstance(key, ApiKey):
        return f"key:{key.name}"
    client = scope.get("client")
    return f"address:{client[0] if client else 'unknown'}"
