"""The faults of a body: each list is told by its first wrong entry, at its own place."""

import json
from collections import deque
from typing import Any

import pytest
from pydantic import TypeAdapter

from service.api.body import checked, parse
from service.api.sliced_body import parse_list
from service.api.wire.agreement import AgreementRequest, Rating
from service.api.wire.alignment import AlignmentRequest
from service.api.wire.calibrate import CalibrateRequest
from service.api.wire.debate import DebateRequest
from service.api.wire.metrics import MetricsRequest
from service.api.wire.model import Incoming
from service.api.wire.rubric import Rubric
from service.api.wire.score import ScoreRequest
from service.api.wire.simulate import SimulateRequest
from service.errors import InvalidRequest

LISTS: dict[str, tuple[type[Incoming], Any, str]] = {
    "messages": (ScoreRequest, lambda wrong: {"log": {"messages": wrong}}, "/log/messages/{}"),
    "items": (ScoreRequest, lambda wrong: {"log": {"messages": [], "items": wrong}}, "/log/items/{}"),
    "history": (SimulateRequest, lambda wrong: {"log": {"messages": [], "history": wrong}}, "/log/history/{}"),
    "verdicts": (DebateRequest, lambda wrong: {"verdicts": wrong}, "/verdicts/{}"),
    "logs": (MetricsRequest, lambda wrong: {"logs": wrong}, "/logs/{}"),
    "verdicts of logs": (MetricsRequest, lambda wrong: {"logs": [], "verdicts": [[], wrong]}, "/verdicts/1/{}"),
    "lists": (
        MetricsRequest,
        lambda wrong: {"logs": [{"messages": [{"role": "user", "content": "x", "recommendations": wrong}]}]},
        "/logs/0/messages/0/recommendations/{}",
    ),
    "pairs": (AlignmentRequest, lambda wrong: {"method": "implicit", "pairs": wrong}, "/pairs/{}"),
    "ratings": (AgreementRequest, lambda wrong: {"ratings": wrong}, "/ratings/{}"),
    "columns": (CalibrateRequest, lambda wrong: {"columns": {"conversation": wrong}}, "/columns/conversation/{}"),
}  # fmt: skip


def test_ratings_that_are_checked_slice_by_slice_name_their_place_too() -> None:
    ratings: list[dict[str, Any]] = [
        {"conversation": f"c{number}", "factor": "f", "rater": "r", "kind": "judge", "score": 3}
        for number in range(4000)
    ]

    def pointers() -> list[str]:
        body = json.dumps({"ratings": ratings}).encode()
        with pytest.raises(InvalidRequest) as raised:
            deque(parse_list(AgreementRequest, "ratings", TypeAdapter(list[Rating]), body, 30)[1], maxlen=0)
        return [fault.pointer for fault in raised.value.errors]

    for number in (1900, 1200, 700):
        ratings[number]["score"] = "3"
        assert pointers() == [f"/ratings/{number}/score"]
    ratings[3]["score"] = None
    assert pointers() == ["/ratings/3/score"]


@pytest.mark.parametrize("name", LISTS)
def test_each_list_names_its_first_wrong_entry(name: str) -> None:
    model, body, place = LISTS[name]
    with pytest.raises(InvalidRequest) as raised:
        parse(model, json.dumps(body([None] * 600)).encode(), 30)
    pointers = [fault.pointer for fault in raised.value.errors]
    assert [pointer for pointer in pointers if pointer.startswith(place.format(""))] == [place.format(0)]


@pytest.mark.parametrize(
    ("slug", "fix"), [("x", "send a string of the form ^custom(-[a-z]+)+$"), ("custom-tact", None)]
)
def test_a_pattern_is_told_with_its_own_form(slug: str, fix: str | None) -> None:
    body = {"slug": slug}
    with pytest.raises(InvalidRequest) as caught:
        checked(Rubric, body)
    told = {error.pointer: error.fix for error in caught.value.errors}
    assert told.get("/slug") == fix
