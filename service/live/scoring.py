"""Have conversations scored by the route `/score`, each within its budget."""

import asyncio
import secrets
from collections.abc import Mapping, Sequence
from http import HTTPStatus
from typing import Any

from pydantic_core import from_json, to_json
from starlette.types import ASGIApp

from ..api.answers import answer_of
from ..errors import BodyTooLarge, CrsEvalError, DeadlineExceeded, Internal, Overloaded, TooCostly
from ..usecases.wire.score import ScoreAnswer
from ..usecases.wire.verdict import Verdict

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
        self._places = asyncio.Semaphore(most)
        self._seconds = seconds

    async def score(self, request: Mapping[str, Any]) -> ScoreAnswer:
        """The answer to a request of `/score`. Raises NotScored; Internal for a defect."""
        body = to_json(request)
        while True:
            try:
                async with self._places, asyncio.timeout(self._seconds + 1):
                    request_id = f"live-{secrets.token_hex(8)}"
                    state = {"request_id": request_id}
                    status, _, answer = await answer_of(self._app, "/score", body, request_id, state)
                break
            except TimeoutError:
                raise NotScored(DeadlineExceeded.slug) from None
            except Overloaded:  # it had no turn: that says nothing about the conversation
                continue
            except Internal:
                raise
            except CrsEvalError as error:
                raise NotScored(error.slug) from None
        if status == HTTPStatus.OK:
            return ScoreAnswer.model_validate_json(answer)
        problem = from_json(answer)
        if status == HTTPStatus.INTERNAL_SERVER_ERROR:
            raise Internal(problem["detail"])
        slug = problem["type"].rpartition("/")[2]
        raise NotScored(slug, [Verdict.model_validate(one) for one in problem.get("verdicts", ())])
