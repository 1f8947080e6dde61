"""The address of a service, the headers and limits of requests, and reports of attempts."""

import os
import time
from collections.abc import Callable
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version

import httpx

URL = "http://127.0.0.1:8000"
TIMEOUT = 130.0
"""Seconds between two bytes of an answer; the service's own limit for an answer is 120."""

CONNECT = 10.0
"""Seconds for a connection at most."""


@dataclass(frozen=True)
class Attempt:
    """One attempt of a request, for logs: no body and no key. `status` is None where no answer came, which `error` says;
    `wait` is the seconds until the next attempt, None where there is none."""

    method: str
    path: str
    number: int
    seconds: float
    status: int | None
    request_id: str | None
    error: str | None
    wait: float | None


Hook = Callable[[Attempt], None]
"""Called after each attempt."""


class Telling:
    """Tells a hook, where there is one, what came of an attempt."""

    def __init__(self, hook: Hook | None, request: httpx.Request, number: int) -> None:
        self._hook = hook
        self._request = request
        self._number = number
        self._begun = time.monotonic()

    def __call__(self, came: httpx.Response | Exception, wait: float | None) -> None:
        """Tell the answer, or why none came; after `wait` seconds the service is asked again."""
        if self._hook is None:
            return
        answer = came if isinstance(came, httpx.Response) else None
        attempt = Attempt(
            method=self._request.method,
            path=self._request.url.path,
            number=self._number,
            seconds=time.monotonic() - self._begun,
            status=answer.status_code if answer else None,
            request_id=answer.headers.get("X-Request-ID") if answer else None,
            error=None if answer else f"{type(came).__name__}: {came}",
            wait=wait,
        )
        self._hook(attempt)


def address(url: str | None) -> str:
    """Return the service's URL: as given, else `CRS_EVAL_URL`, else a service on this machine."""
    return url or os.environ.get("CRS_EVAL_URL") or URL


def headers(api_key: str | None) -> dict[str, str]:
    """The headers of every request; the key is the one given, else `CRS_EVAL_API_KEY`."""
    key = api_key or os.environ.get("CRS_EVAL_API_KEY")
    return {
        "User-Agent": f"crs-eval-client-python/{_version()}",
        **({"Authorization": f"Bearer {key}"} if key else {}),
    }


def limits(timeout: float) -> httpx.Timeout:
    """Return how long each step of a request may take."""
    return httpx.Timeout(timeout, connect=min(timeout, CONNECT))


def _version() -> str:
    try:
        return version("crs-eval-client")
    except PackageNotFoundError:  # a checkout that is not installed
        return "0"
