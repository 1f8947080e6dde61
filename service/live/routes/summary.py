"""`GET /live/summary` and `GET /live/conversations/{conversation}`: what was judged of late."""

import json
from datetime import UTC, datetime
from typing import Annotated, Literal

from fastapi import APIRouter, Query
from pydantic import Field
from starlette.responses import Response

from ...api.openapi_parts import problems
from ...errors import NotFound
from ...usecases.wire.model import Outgoing
from ..conversation import Ended
from ..deployment import CurrentDeployment
from ..drift.watch import Change
from ..result import LiveHead, LiveResult
from ..summary.output import ALARMS, CONVERSATIONS, MOST, SYSTEMS, key_of
from ..summary.trend import DAY, HOUR, Trend
from .conversations import Name
from .probes import LiveLevel

router = APIRouter(tags=["live"])
SPANS = {"hour": HOUR, "day": DAY}


class LivePoint(Outgoing):
    """The scores of an hour or a day, on 0-1: their number, their mean, and the bounds of its 95 % interval
    (Student's t). The bounds need two conversations."""

    at: datetime
    n: int
    mean: float
    low: float | None
    high: float | None


class LiveSeries(Outgoing):
    """The trend of one factor of one system, by one judge. `estimated`: this model judges a sample, and the means are those that it
    would give all conversations, predicted from both judges. Calibrated scores are on people's scale."""

    system: str
    factor: str
    judge: str
    estimated: bool
    points: list[LivePoint]


class LiveAlarm(Outgoing):
    """A change that was noticed, or that it is over. Means are on 0-1; `shown` are conversations that show it. With a `fault`,
    means are shares of conversations that have it, and `factor` is its home factor."""

    id: str
    at: datetime
    system: str
    factor: str
    fault: str | None
    change: Change
    evaluator_revision: str
    expected: float
    margin: float
    mean: float
    conversations: int
    shown: list[str]


class LiveSummary(Outgoing):
    """The last judgements, the worst of them, the trend of each factor, alarms, and what waits."""

    at: datetime
    level: LiveLevel
    systems: list[str] = Field(description="Systems that were seen, the last first.")
    conversations: list[LiveHead] = Field(description="The newest first.")
    worst: list[LiveHead] = Field(
        description=f"Of the last {MOST} that are over, those with the lowest mean first."
    )
    trend: list[LiveSeries]
    alarms: list[LiveAlarm] = Field(description="The newest first.")


@router.get("/live/summary", summary="Recent judgements", responses=problems(422, 500))
async def get_summary(
    deployment: CurrentDeployment,
    system: Annotated[str | None, Query(description="This system alone.", max_length=300)] = None,
    by: Annotated[Literal["hour", "day"], Query(description="The span of a point.")] = "hour",
    limit: Annotated[
        int, Query(description="So many judgements, and so many of the worst.", ge=1, le=MOST)
    ] = 20,
) -> LiveSummary:
    """Reads what every worker judged, without the database: the last 500 conversations, hours of two days, days of four weeks."""
    level = await deployment.conversations.level()
    rows = [json.loads(head) for head in await deployment.conversations.shelf(CONVERSATIONS)]
    alarms = [json.loads(head) for head in await deployment.conversations.shelf(ALARMS)]
    systems: list[str] = json.loads(await deployment.conversations.load(SYSTEMS) or b"[]")[::-1]
    known = [name for name in systems if system in (None, name)]
    trends = {name: Trend.load(await deployment.conversations.load(key_of(name))) for name in known}
    # Rows of an earlier release have no faults.
    heads = [LiveHead(**{"faults": [], **row}) for row in rows if system in (None, row["system"])]
    over = [one for one in heads if one.mean is not None and one.ended is not Ended.IN_PROGRESS]
    return LiveSummary(
        at=datetime.now(UTC),
        level=LiveLevel.of(level),
        systems=systems,
        conversations=heads[:limit],
        worst=sorted(over, key=lambda one: one.mean or 0.0)[:limit],
        trend=[series for name, trend in trends.items() for series in _series(name, trend, SPANS[by])],
        alarms=[
            LiveAlarm(**{"fault": None, **alarm}) for alarm in alarms if system in (None, alarm["system"])
        ],
    )


@router.get(
    "/live/conversations/{conversation:path}",
    summary="The last judgement of a conversation",
    response_model=LiveResult,
    responses=problems(404, 422, 500),
)
async def get_judgement(conversation: Name, deployment: CurrentDeployment) -> Response:
    """Its verdicts, while it is among the last 500."""
    found = await deployment.conversations.shelved(CONVERSATIONS, conversation)
    if found is None:
        raise NotFound("No such conversation is among the last that were judged.")
    return Response(found, media_type="application/json")


def _series(system: str, trend: Trend, span: int) -> list[LiveSeries]:
    scored = [
        (factor, judge, False, [_point(at, sums.number, sums.mean, sums.interval()) for at, sums in points])
        for factor, judge, points in trend.points(span)
    ]
    estimated = [
        (factor, judge, True, [_point(at, one.number, one.mean, one.bounds) for at, one in points])
        for factor, judge, points in trend.estimates(span)
    ]
    return [
        LiveSeries(system=system, factor=factor, judge=judge, estimated=guess, points=points)
        for factor, judge, guess, points in sorted(scored + estimated, key=lambda one: one[:3])
    ]


def _point(at: int, number: int, mean: float, bounds: tuple[float, float] | None) -> LivePoint:
    low, high = bounds or (None, None)
    return LivePoint(at=datetime.fromtimestamp(at, UTC), n=number, mean=mean, low=low, high=high)
