"""Have conversations scored by the route `/score`, each within its budget."""

import asyncio
import secrets
from collections.abc import Mapping, Sequence
from http import HTTPStatus
from typing import TYPE_CHECKING, Any

from pydantic_core import to_json
from starlette.types import ASGIApp, Receive, Scope, Send

from ..api.wire.score import ScoreAnswer
from ..api.wire.verdict import Verdict
from ..errors import BodyTooLarge, CrsEvalError, DeadlineExceeded, Internal, Overloaded, TooCostly

if TYPE_CHECKING:
    import httpx2

SLUGS = {BodyTooLarge.slug: "too_large", TooCostly.slug: "too_large", DeadlineExceeded.slug: "timeout"}
"""Reasons in results, where they are not those of `/score`."""


class NotScored(Exception):  # noqa: N818 - it says what happened
    """There is no answer. `reason` says why, and `verdicts` are those that failed."""

    def __init__(self, slug: str, verdicts: Sequence[Verdict] = ()) -> None:
        super().__init__(slug)
        self.reason = SLUGS.get(slug, slug)
        self.verdicts = verdicts


class Scoring:
    """Posts to `/score` of `app`: at most `most` requests at a time, each for at most `seconds`."""

    def __init__(self, app: ASGIApp, *, most: int, seconds: float) -> None:
        self._app = app
        self._client: httpx2.AsyncClient | None = None
        self._places = asyncio.Semaphore(most)
        self._seconds = seconds

    async def score(self, request: Mapping[str, Any]) -> ScoreAnswer:
        """The answer to a request of `/score`. Raises NotScored; Internal for a defect."""
        body = to_json(request)
        while True:
            try:
                async with self._places, asyncio.timeout(self._seconds + 1):
                    answer = await self._post(body)
                break
            except TimeoutError:
                raise NotScored(DeadlineExceeded.slug) from None
            except Overloaded:  # it had no turn: that says nothing about the conversation
                continue
            except Internal:
                raise
            except CrsEvalError as error:
                raise NotScored(error.slug) from None
        if answer.status_code == HTTPStatus.OK:
            return ScoreAnswer.model_validate_json(answer.content)
        problem = answer.json()
        if answer.status_code == HTTPStatus.INTERNAL_SERVER_ERROR:
            raise Internal(problem["detail"])
        slug = problem["type"].rpartition("/")[2]
        raise NotScored(slug, [Verdict.model_validate(one) for one in problem.get("verdicts", ())])

    async def _post(self, body: bytes) -> "httpx2.Response":
        """Post a request of `/score`. Raises CrsEvalError where a layer before the routes ends it."""
        import httpx2

        if self._client is None:
            transport = httpx2.ASGITransport(self._identified)
            self._client = httpx2.AsyncClient(transport=transport, base_url="http://live", timeout=None)
        return await self._client.post("/score", content=body, headers={"content-type": "application/json"})

    async def _identified(self, scope: Scope, receive: Receive, send: Send) -> None:
        await self._app({**scope, "state": {"request_id": f"live-{secrets.token_hex(8)}"}}, receive, send)
