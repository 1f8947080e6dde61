"""Events to a web address: signed as Standard Webhooks (https://www.standardwebhooks.com) say, or alarms in a program's form."""

import asyncio
import base64
import binascii
import hashlib
import hmac
import json
import time
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Final

from pydantic_core import to_json

from ...errors import ConfigurationError
from ...store.conversations.protocol import OutboxEvent
from .output import Output, OutputDown, OutputRefused
from .receivers import AlertForm

if TYPE_CHECKING:
    import httpx2

SECONDS: Final = 15.0
LEAST: Final = 24
"""Seconds for an answer; bytes of a secret."""

LATER: Final = frozenset({408, 409, 425, 429})
"""Answers under 500 after which the same event may be taken."""


def secret_of(text: str) -> bytes:
    """The bytes of `whsec_...`. Raises ConfigurationError."""
    advice = "CRS_EVAL_LIVE_WEBHOOK_SECRET: should be whsec_ and at least 24 bytes in base64, for example "
    try:
        found = base64.b64decode(text.removeprefix("whsec_"), validate=True)
    except (binascii.Error, ValueError):
        found = b""
    if not text.startswith("whsec_") or len(found) < LEAST:
        raise ConfigurationError(f"{advice}`echo whsec_$(openssl rand -base64 24)`")
    return found


def signature(secret: bytes, name: str, at: int, body: bytes) -> str:
    """The header `webhook-signature` of an event."""
    signed = b"%b.%d.%b" % (name.encode(), at, body)
    return "v1," + base64.b64encode(hmac.digest(secret, signed, hashlib.sha256)).decode()


class Webhook(Output):
    """Posts each event to `address`, in order, until it is answered by a 2xx. An event keeps its id. One that is refused, or not
    taken for `patience` seconds, goes to the dead letters. With a `form`, the events that it knows are sent as it says."""

    def __init__(
        self,
        address: str,
        secret: bytes = b"",
        *,
        form: AlertForm | None = None,
        patience: float = 86_400.0,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self.name = f"webhook:{hashlib.sha256(address.rstrip('/').encode()).hexdigest()[:12]}"
        self._address, self._secret, self._patience, self._clock = address, secret, patience, clock
        self._form = form
        self._client: httpx2.AsyncClient | None = None
        self._taken: set[int] = set()
        self._failing: dict[int, float] = {}

    async def prepare(self) -> None:
        import httpx2

        try:
            httpx2.URL(self._address)
        except httpx2.InvalidURL:
            raise ConfigurationError(
                "CRS_EVAL_LIVE_WEBHOOKS, CRS_EVAL_LIVE_ALERTS: an address is no URL; check its host and its length"
            ) from None
        self._client = httpx2.AsyncClient(timeout=SECONDS, follow_redirects=False, trust_env=False)

    async def take(self, events: Sequence[OutboxEvent]) -> None:
        for one in events:
            if one.number not in self._taken and (self._form is None or one.kind in self._form.payload):
                await self._post(one)
                self._taken.add(one.number)
        self._taken -= {one.number for one in events}

    async def aclose(self) -> None:
        if self._client:
            await self._client.aclose()

    def _request(self, event: OutboxEvent, now: float) -> tuple[bytes, Mapping[str, str]]:
        if self._form:
            headers = {"content-type": "application/json"}
            return self._form.fill(event.kind, json.loads(event.content)), headers
        name, at = f"msg_{event.number}", datetime.fromtimestamp(now, UTC).isoformat()
        body = b'{"type":%b,"timestamp":%b,"data":%b}' % (to_json(event.kind), to_json(at), event.content)
        return body, {
            "content-type": "application/json",
            "webhook-id": name,
            "webhook-timestamp": str(int(now)),
            "webhook-signature": signature(self._secret, name, int(now), body),
        }

    async def _post(self, event: OutboxEvent) -> None:
        """Post one event. Raises OutputDown while it may be taken later, OutputRefused once it will not."""
        import httpx2

        assert self._client is not None
        now = self._clock()
        body, headers = self._request(event, now)
        try:
            # The body of the answer is not read: it may have no end.
            async with (
                asyncio.timeout(SECONDS),
                self._client.stream("POST", self._address, content=body, headers=headers) as answer,
            ):
                status, reason = answer.status_code, f"answered {answer.status_code}"
        except (httpx2.HTTPError, TimeoutError) as error:
            status, reason = 503, type(error).__name__
        if 200 <= status < 300:
            self._failing.pop(event.number, None)
            return
        began = self._failing.setdefault(event.number, now)
        if (400 <= status < 500 and status not in LATER) or now - began >= self._patience:
            del self._failing[event.number]
            raise OutputRefused(reason)
        raise OutputDown(reason)
