"""Headers that keep a browser from making more of an answer than it is. Pure ASGI."""

from functools import lru_cache

from starlette.types import ASGIApp, Message, Receive, Scope, Send

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
