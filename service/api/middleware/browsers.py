"""Requests that a website of somebody else makes a browser send: refused by their `Host` and `Origin`; and headers that keep a
browser from making more of an answer than it is. Pure ASGI."""

import ipaddress
import re
from collections.abc import Sequence
from functools import lru_cache

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from ...errors import ForeignOrigin, Misdirected

SAFE = frozenset({"GET", "HEAD", "OPTIONS"})
"""Methods that change and cost nothing; what they answer a foreign page cannot read."""

PROBES = frozenset({"/healthz", "/readyz", "/metrics"})
"""Asked by the address of a pod, which no setting can name."""

_NAME = re.compile(r"[\w.-]*", re.ASCII)
_DEFAULT_PORTS = {"http": ":80", "https": ":443"}


class Origins:
    """Refuses what a foreign page may have caused. A website cannot read our answers, but it can have a browser
    post to a service on the same machine, or point a name of its own at it.

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
        self._origins = frozenset(origin.lower().encode() for origin in origins)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and "batch_line" not in scope["state"]:
            self._check(scope)
        await self.app(scope, receive, send)

    def _check(self, scope: Scope) -> None:
        hosts: list[bytes] = []
        origins: list[bytes] = []
        sites: list[bytes] = []
        for name, value in scope["headers"]:
            if name == b"host":
                hosts.append(value)
            elif name == b"origin":
                origins.append(value)
            elif name == b"sec-fetch-site":
                sites.append(value.lower())
        if self._checks_hosts and scope["path"] not in PROBES:
            self._check_hosts(hosts, scope)
        if scope["method"] not in SAFE:
            self._check_origins(origins, hosts, sites)

    def _check_hosts(self, hosts: Sequence[bytes], scope: Scope) -> None:
        here = _name((scope.get("server") or ("",))[0] or "")
        for host in hosts or [b""]:
            name = _host_name(host)
            if not (_is_loopback(name) or name in self._hosts or (here and name == here)):
                raise Misdirected(
                    f"This service is not called {host.decode('latin-1')[:80]!r}. Use the address that it listens on, or "
                    "have the operator add the name to CRS_EVAL_HOSTS."
                )

    def _check_origins(
        self, origins: Sequence[bytes], hosts: Sequence[bytes], sites: Sequence[bytes]
    ) -> None:
        foreign = [o for o in origins if o.lower() not in self._origins and not _is_own(o, hosts)]
        if (foreign and b"*" not in self._origins) or (not origins and b"cross-site" in sites):
            raise ForeignOrigin(
                "A page of another origin sent this request. Send it from a program or from the service's own page, or "
                "have the operator add the page's origin to CRS_EVAL_CORS_ORIGINS."
            )


@lru_cache(maxsize=256)
def _host_name(host: bytes) -> str:
    """The name in a Host header, without its port; empty for what is no name."""
    text = host.decode("latin-1").strip()
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
def _is_loopback(name: str) -> bool:
    if name == "localhost" or name.endswith(".localhost"):
        return True
    try:
        address = ipaddress.ip_address(name)
        return (getattr(address, "ipv4_mapped", None) or address).is_loopback
    except ValueError:
        return False


def _is_own(origin: bytes, hosts: Sequence[bytes]) -> bool:
    """Return whether a page comes from the host that it posts to. Who ends TLS before us hides the scheme, so that only the
    host and its port count."""
    scheme, separator, authority = origin.decode("latin-1").lower().partition("://")
    port = _DEFAULT_PORTS.get(scheme)
    if not separator or port is None:
        return False
    own = [host.decode("latin-1").strip().lower().removesuffix(port) for host in hosts]
    return own == [authority.removesuffix(port)]


HEADERS = (
    (b"x-content-type-options", b"nosniff"),
    (b"x-frame-options", b"DENY"),
    (b"referrer-policy", b"no-referrer"),
    (b"cross-origin-resource-policy", b"same-origin"),
    (b"content-security-policy", b"default-src 'none'; frame-ancestors 'none'"),
)
NO_STORE = (b"cache-control", b"no-store")


class SecurityHeaders:
    """Adds `HEADERS` to every answer that does not set its own, and keeps answers to POST, which hold what
    was said in conversations, out of every cache on the way."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        posted = scope["method"] == "POST"

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                there = tuple([name for name, _ in message["headers"]])
                message["headers"] = [*message["headers"], *_missing(there, posted)]
            await send(message)

        await self.app(scope, receive, send_with_headers)


@lru_cache(maxsize=256)
def _missing(there: tuple[bytes, ...], posted: bool) -> tuple[tuple[bytes, bytes], ...]:
    names = {name.lower() for name in there}
    wanted = (*HEADERS, NO_STORE) if posted else HEADERS
    return tuple(header for header in wanted if header[0] not in names)
