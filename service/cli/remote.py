"""Services that commands ask, and ask again where that may help: one over HTTP, or the use cases in this process."""

import asyncio
import contextlib
import random
import re
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

import httpx2

from ..errors import CrsEvalError, Internal
from .exits import CommandError, Exit
from .inputs import Json

if TYPE_CHECKING:
    from ..usecases.deployment import Deployment

ATTEMPTS = 5
SECONDS = 3700
"""Longer than a service may take for an answer: it keeps the deadline itself."""
LONGEST_WAIT = 60.0
UNPROCESSABLE = frozenset({400, 404, 413, 415, 422})
"""Statuses of requests that the caller has to correct."""


@dataclass(frozen=True)
class ServiceRefusal:
    """A refusal. `status` is None if the service could not be reached; `type` is the problem's, if the service names one."""

    status: int | None
    detail: str
    retryable: bool
    pointers: tuple[str, ...] = ()
    """The fields of the request that are wrong."""
    type: str | None = None

    @property
    def holds_for_every_log(self) -> bool:
        """Return whether other logs would be refused alike: what is wrong is none of the log's fields."""
        return bool(self.pointers) and not any(pointer.startswith("/log") for pointer in self.pointers)

    def error(self, places: Sequence[str] = ()) -> CommandError:
        """Return the error that ends a command. `places` name the places that the entries of the request were read from."""
        code = Exit.USAGE if self.status in UNPROCESSABLE else Exit.FAILED
        entry = re.match(r"/\w+/(\d+)", self.detail)
        if entry and int(entry[1]) < len(places):
            return CommandError(f"{places[int(entry[1])]}: {self.detail[entry.end() :]}", code)
        return CommandError(self.detail, code)

    @property
    def failure(self) -> Json:
        body = {"status": self.status, "detail": self.detail}
        return body if self.type is None else {**body, "type": self.type}


class Service(ABC):
    """Answers requests of the API. `catalog` is its name of the catalogue that was asked for."""

    def __init__(self, *, catalog: str | None = None, first_wait: float = 0.5) -> None:
        self.catalog = catalog
        self._first_wait = first_wait

    async def post(self, path: str, body: Json, request_id: str | None = None) -> Json | ServiceRefusal:
        """Return the answer to a request, or the refusal after all attempts."""
        wait = self._first_wait
        for attempt in range(1, ATTEMPTS + 1):
            answer, delay = await self._once(path, body, request_id)
            if not isinstance(answer, ServiceRefusal) or not answer.retryable or attempt == ATTEMPTS:
                return answer
            await asyncio.sleep(min(LONGEST_WAIT, max(delay, wait * random.uniform(0.5, 1))))  # noqa: S311
            wait *= 2
        raise AssertionError("the last attempt returns")

    async def get(self, path: str) -> Json | ServiceRefusal:
        answer, _ = await self._once(path)
        return answer

    @abstractmethod
    async def _once(
        self, path: str, body: Json | None = None, request_id: str | None = None
    ) -> tuple[Json | ServiceRefusal, float]:
        """Make one attempt, a GET without a body; the second value is the seconds to wait before the next."""


class InProcess(Service):
    """The use cases of a deployment in this process."""

    def __init__(self, deployment: "Deployment", *, catalog: str | None = None) -> None:
        super().__init__(catalog=catalog)
        self._deployment = deployment

    async def _once(
        self, path: str, body: Json | None = None, request_id: str | None = None
    ) -> tuple[Json | ServiceRefusal, float]:
        from ..usecases.answering import answer, listed
        from ..usecases.wire.problem import problem

        try:
            if body is None:
                return listed(path, self._deployment), 0.0
            return await answer(path, body, self._deployment), 0.0
        except CrsEvalError as error:
            failed = error
        except Exception as defect:  # noqa: BLE001 - one log that is not judged must not end a run of many
            failed = Internal(f"crs-eval has a defect ({type(defect).__name__}); please report it.")
        return refusal(failed.status, problem(failed, request_id or "")), failed.retry_after or 0.0


class Remote(Service):
    """A service at a URL."""

    def __init__(
        self,
        url: str,
        key: str | None = None,
        first_wait: float = 0.5,
        *,
        catalog: str | None = None,
        transport: httpx2.AsyncBaseTransport | None = None,
    ) -> None:
        super().__init__(catalog=catalog, first_wait=first_wait)
        self._client = httpx2.AsyncClient(
            base_url=url,
            headers={"Authorization": f"Bearer {key}"} if key else {},
            timeout=SECONDS,
            limits=httpx2.Limits(max_connections=None),
            transport=transport,
        )

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *error: object) -> None:
        await self._client.aclose()

    async def _once(
        self, path: str, body: Json | None = None, request_id: str | None = None
    ) -> tuple[Json | ServiceRefusal, float]:
        headers = {"X-Request-ID": request_id} if request_id else {}
        method = "GET" if body is None else "POST"
        request = self._client.build_request(method, path, json=body, headers=headers)
        try:
            response = await self._client.send(request)
        except (httpx2.ReadError, httpx2.WriteError, httpx2.RemoteProtocolError) as error:
            detail = (
                f"{self._client.base_url} broke the connection: {type(error).__name__}. A service does so with a body over its "
                "CRS_EVAL_MAX_BODY: send less, or have that raised"
            )
            return ServiceRefusal(None, detail, retryable=True), 0.0
        except httpx2.TransportError as error:
            detail = f"{self._client.base_url} cannot be reached: {str(error) or type(error).__name__}"
            return ServiceRefusal(None, detail, retryable=True), 0.0
        value = None
        with contextlib.suppress(ValueError):
            value = response.json()
        if response.status_code == 200 and isinstance(value, dict):
            return value, 0.0
        later = response.headers.get("Retry-After", "")
        return refusal(response.status_code, value), float(later) if later.isdigit() else 0.0


def refusal(status: int, value: Any) -> ServiceRefusal:
    """Return what a problem says; `value` is the body of an answer that is none."""
    if not isinstance(value, dict) or "detail" not in value:
        known = status in {429, 502, 503, 504}
        return ServiceRefusal(status, f"status {status} without a reason", known)
    errors = value.get("errors") or ()
    fixes = [str(error["fix"]) for error in errors if error.get("fix")]
    pointers = tuple(str(error["pointer"]) for error in errors if error.get("pointer"))
    detail = str(value["detail"])
    if fixes and fixes[0] not in detail:
        detail = f"{detail.removesuffix('.')}; {fixes[0]}"
    kind = value.get("type")
    problem = kind if isinstance(kind, str) else None
    return ServiceRefusal(status, detail, bool(value.get("retryable")), pointers, problem)
