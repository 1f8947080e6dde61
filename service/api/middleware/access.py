"""Callers who may call, before a route is looked up: no page of somebody else's website (`Host`, `Origin`), a caller's key and what it opens,
its rate limit; and headers that keep a browser from making more of an answer than it is. Pure ASGI."""

import asyncio
import ipaddress
import re
import time
from collections.abc import Callable, Sequence
from functools import lru_cache

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from ...domain import caller
from ...domain.caller import CALLER, ApiKey, RateLimit, find_key
from ...errors import CrsEvalError, Forbidden, ForeignOrigin, Misdirected, TooManyRequests, Unauthorized
from ...store.protocol import Store
from ...store.windows import WindowCounter
from ..problems import problem_response, request_id_of

SAFE = frozenset({"GET", "HEAD", "OPTIONS"})
"""Methods that change and cost nothing; what they answer a foreign page cannot read."""

PROBES = frozenset({"/healthz", "/readyz", "/metrics"})
"""Asked by the address of a pod, which no setting can name."""

_NAME = re.compile(r"[\w.-]*", re.ASCII)
_DEFAULT_PORTS = {"http": ":80", "https": ":443"}


class Origins:
    """Refuses what a foreign page may have caused. A website cannot read our answers. But it can have a browser post to a service
    on the same machine, or point its own host name at it.

    `Host` must be loopback, the address that was connected to, `address` (what the server listens on) or one of
    `hosts`; where callers need a key (`keyed`), this holds only if `hosts` names any. Other methods than `SAFE`
    need an `Origin` that is our own or one of `origins`; without one, `Sec-Fetch-Site: cross-site` is refused. Programs send
    neither. Raises Misdirected and ForeignOrigin."""

    def __init__(
        self,
        app: ASGIApp,
        *,
        keyed: bool,
        hosts: Sequence[str],
        origins: Sequence[str],
        address: str | None,
    ) -> None:
        self.app = app
        self._hosts = frozenset(_name(host) for host in (*hosts, *filter(None, (address,))))
        self._checks_hosts = not keyed or bool(hosts)
        self._origins = frozenset(map(str.lower, origins))

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and "batch_line" not in scope["state"]:
            self._check(scope)
        await self.app(scope, receive, send)

    def _check(self, scope: Scope) -> None:
        headers = Headers(scope=scope)
        hosts = headers.getlist("host")
        if self._checks_hosts and scope["path"] not in PROBES:
            self._check_hosts(hosts, scope)
        if scope["method"] not in SAFE:
            self._check_origins(headers.getlist("origin"), hosts, headers.getlist("sec-fetch-site"))

    def _check_hosts(self, hosts: Sequence[str], scope: Scope) -> None:
        server = _name((scope.get("server") or ("",))[0] or "")
        for host in hosts or [""]:
            name = _host_name(host)
            if not (is_loopback(name) or name in self._hosts or (server and name == server)):
                raise Misdirected(
                    f"This service is not called {host[:80]!r}. Use the address that it listens on, or "
                    "have the operator add the name to CRS_EVAL_HOSTS."
                )

    def _check_origins(self, origins: Sequence[str], hosts: Sequence[str], sites: Sequence[str]) -> None:
        foreign = [o for o in origins if o.lower() not in self._origins and not _is_own(o, hosts)]
        elsewhere = not origins and "cross-site" in map(str.lower, sites)
        if (foreign and "*" not in self._origins) or elsewhere:
            raise ForeignOrigin(
                "A page of another origin sent this request. Send it from a program or from the service's own page, or "
                "have the operator add the page's origin to CRS_EVAL_CORS_ORIGINS."
            )


@lru_cache(maxsize=256)
def _host_name(host: str) -> str:
    """The name in a Host header, without its port; empty for what is no name."""
    text = host.strip()
    if text.startswith("["):
        name, bracket, port = text[1:].partition("]")
        name = name if bracket and (not port or port.startswith(":")) else ""
    else:
        name, _, port = text.partition(":")
        name = name if _NAME.fullmatch(name) and ":" not in port else ""
    return _name(name)


def _name(host: str) -> str:
    return host.strip("[]").lower().removesuffix(".")


@lru_cache(maxsize=256)
def is_loopback(name: str) -> bool:
    """Return whether a host's name or address leads to the same machine."""
    if name == "localhost" or name.endswith(".localhost"):
        return True
    try:
        address = ipaddress.ip_address(name)
        return (getattr(address, "ipv4_mapped", None) or address).is_loopback
    except ValueError:
        return False


def _is_own(origin: str, hosts: Sequence[str]) -> bool:
    """Return whether a page comes from the host that it posts to. Who ends TLS before us hides the scheme, so that only the
    host and its port count."""
    scheme, separator, authority = origin.lower().partition("://")
    port = _DEFAULT_PORTS.get(scheme)
    if not separator or port is None:
        return False
    own = [host.strip().lower().removesuffix(port) for host in hosts]
    return own == [authority.removesuffix(port)]


HEADERS = {
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'",
}


class SecurityHeaders:
    """Adds `HEADERS` to every answer that does not set its own. Keeps answers to POST, which hold what was said in conversations,
    out of every cache on the way."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        wanted = HEADERS | ({"Cache-Control": "no-store"} if scope["method"] == "POST" else {})

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in wanted.items():
                    headers.setdefault(name, value)
            await send(message)

        await self.app(scope, receive, send_with_headers)


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
        self._counter = WindowCounter(store, clock)
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
            if self._limit is not None:
                headers = await self._count(scope, who, self._limit)
        except CrsEvalError as error:
            response = problem_response(error, request_id_of(scope))
            if isinstance(error, Unauthorized):
                response.headers["WWW-Authenticate"] = 'Bearer realm="crs-eval"'
            if isinstance(error, TooManyRequests) and self._limit is not None:
                response.raw_headers += _rate_headers(self._limit, 0, error.retry_after or 0)
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
        scheme, _, token = Headers(scope=scope).get("authorization", "").strip().partition(" ")
        given = token.strip().encode("latin-1") if scheme.lower() == "bearer" else b""
        key = scope["state"].get("api_key") or find_key(self._keys, given)
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

    async def _count(self, scope: Scope, who: str, limit: RateLimit) -> list[tuple[bytes, bytes]]:
        """Count the request. Raises TooManyRequests over the limit."""
        if scope["path"] == "/batch":  # its lines count, one by one
            return []
        given_up = self._clock() + (self._patience if "batch_line" in scope["state"] else 0)
        while True:
            count = await self._counter.add(f"rate:{who}:{limit}", limit.window)
            if count.total <= limit.requests:
                return _rate_headers(limit, limit.requests - count.total, count.left)
            if self._clock() + count.left > given_up:
                raise TooManyRequests(
                    f"More than {limit} requests. The next window begins in {count.left:.0f} s.",
                    retry_after=count.left,
                )
            await asyncio.sleep(count.left)


def _rate_headers(limit: RateLimit, remaining: int, left: float) -> list[tuple[bytes, bytes]]:
    """As in draft-ietf-httpapi-ratelimit-headers."""
    policy = f'"{POLICY}";q={limit.requests};w={limit.window}'
    state = f'"{POLICY}";r={remaining};t={int(left) + 1}'
    return [(b"ratelimit-policy", policy.encode()), (b"ratelimit", state.encode())]


def is_open(path: str) -> bool:
    """Return whether a path needs no key."""
    return path in OPEN or path.startswith(OPEN_FOLDERS)


def needed_scope(path: str, method: str) -> caller.Scope | None:
    """Return what a key must hold to open a path; None: any key does. The lines of a batch are checked one
    by one, and what there is to choose from is for all who have a key."""
    if path == "/metrics" or method == "DELETE" or path.startswith("/live/users/"):
        return caller.Scope.ADMIN
    if path == "/simulate" or path.startswith("/simulate/"):
        return caller.Scope.SIMULATE
    if path in {"/batch", "/factors", "/choices"} or path.startswith("/factors/"):
        return None
    return caller.Scope.SCORE


def _caller(scope: Scope) -> str:
    key = scope["state"].get("api_key")
    if isinstance(key, ApiKey):
        return f"key:{key.name}"
    client = scope.get("client")
    return f"address:{client[0] if client else 'unknown'}"
