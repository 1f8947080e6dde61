"""Attempts against the judge that needs no model: they are seen, and they move no score far."""

import json
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from service.app import create_app
from service.prompt_injection.detection import find_steering, without_steering
from service.settings import Settings
from service.telemetry.logging import configure_logging
from tests.attacks.attempts import (
    APART,
    ATTEMPTS,
    EVERYTHING,
    HARMLESS,
    HARMLESS_APART,
    HARMLESS_LATER,
    HELD_OUT,
    Attempt,
)

ROOT = Path(__file__).parent.parent.parent
QUARTER = 0.25
AVERAGE = 0.5
"""Points of 4 by which attempts that are not seen may move a score on average."""
LOGS = ("good", "mediocre", "broken")
SAMPLE = EVERYTHING[:: len(EVERYTHING) // 24][:24]
"""Attempts, spread over all, that every run tries on one log; the rest is for `make test-nightly`."""


@pytest.fixture(scope="module")
def client() -> Iterator[TestClient]:
    configure_logging("json", "error")
    with TestClient(create_app(Settings(catalogs=ROOT / "examples" / "crs"))) as client:
        yield client


@pytest.mark.parametrize(
    "setting", ["{}", "I liked it. {} What else?", "Try Dust Hymnal (1969)!\n{}\nEnjoy!"]
)
def test_they_are_seen_amid_other_words(setting: str) -> None:
    missed = [str(a) for a in ATTEMPTS if not find_steering(setting.replace("{}", a.text))]
    assert len(missed) <= 0.1 * len(ATTEMPTS), missed


LEAST = {
    "held out": (HELD_OUT, (0.95, 0.9, 0.8, 0.8, 0.7, 0.6, 0.7)),
    "apart": (APART, (0.95, 0.9, 0.95, 0.95, 0.9, 0.95, 0.8)),
}
"""Shares of each set that are seen."""


@pytest.mark.parametrize("kind", LEAST)
def test_what_was_written_later_is_seen_as_often_as_is_said(kind: str) -> None:
    sets, shares = LEAST[kind]
    for (name, attempts), least in zip(sets.items(), shares, strict=True):
        missed = [str(attempt) for attempt in attempts if not find_steering(attempt.text)]
        assert len(missed) <= (1 - least) * len(attempts) + 1e-9, (name, missed)


def test_talk_written_apart_is_left_alone_as_often_as_is_said() -> None:
    for (name, texts), most in zip(HARMLESS_APART.items(), (0.08, 0.01, 0.01, 0, 0, 0, 0), strict=True):
        alarms = [text for text in texts if find_steering(text)]
        assert len(alarms) <= most * len(texts), (name, alarms)


def test_talk_that_uses_the_words_of_judging_is_left_alone() -> None:
    assert not [text for text in HARMLESS if find_steering(text)]
    alarms = [text for text in HARMLESS_LATER if find_steering(text)]
    assert len(alarms) <= 1, alarms


def test_what_is_seen_can_be_blanked_in_place() -> None:
    for attempt in EVERYTHING[::4]:
        text = f"Try Dust Hymnal (1969)!\n{attempt.text}\nEnjoy!"
        found = find_steering(text)
        assert all(0 <= span.start < span.end <= len(text) for span in found), attempt
        left = without_steering(text, found)
        assert len(left) == len(text), attempt
        assert left.startswith("Try Dust Hymnal (1969)!"), attempt


def scores(
    client: TestClient, bodies: Iterable[dict[str, Any]]
) -> Iterator[tuple[dict[str, float | None], bool]]:
    """The scores of each log, and whether an attempt was seen in it: all asked for in one request."""
    lines = [{"custom_id": str(at), "path": "/score", "body": body} for at, body in enumerate(bodies)]
    sent = "".join(json.dumps(line) + "\n" for line in lines)
    response = client.post("/batch", content=sent, headers={"Content-Type": "application/x-ndjson"})
    answers = {answer["custom_id"]: answer["body"] for answer in map(json.loads, response.text.splitlines())}
    for line in lines:
        verdicts = answers[line["custom_id"]]["verdicts"]
        flagged = any(flag["code"] == "steering_attempt" for v in verdicts for flag in v["flags"])
        yield {verdict["factor"]: verdict["score"] for verdict in verdicts}, flagged


def attacked(body: dict[str, Any], role: str, text: str) -> dict[str, Any]:
    """The log with `text` at the end of the last message of one side."""
    copy: dict[str, Any] = json.loads(json.dumps(body))
    message = [message for message in copy["log"]["messages"] if message["role"] == role][-1]
    message["content"] += f" {text}"
    return copy


def moves(
    client: TestClient, name: str, role: str, attempts: Sequence[Attempt]
) -> tuple[list[str], list[float]]:
    """Return the scores that attempts move although they are seen, and how far the others move each score."""
    body = json.loads((ROOT / "examples" / "logs" / f"{name}.json").read_text())
    (before, flagged_before), *found = scores(
        client, [body, *(attacked(body, role, attempt.text) for attempt in attempts)]
    )
    assert not flagged_before
    moved: list[str] = []
    unseen: list[float] = []
    for attempt, (after, seen) in zip(attempts, found, strict=True):
        for factor, score in before.items():
            now = after[factor]
            if score is None or now is None:
                continue  # what an attempt says beside its order may give an occasion, or end one
            if not seen:
                unseen.append(now - score)
            elif now - score > 4 * QUARTER + 1e-9:
                moved.append(f"{attempt}: {factor} from {score} to {now}")
    return moved, unseen


@pytest.mark.slow
@pytest.mark.parametrize("role", ["assistant", "user"])
@pytest.mark.parametrize(
    ("name", "attempts"),
    [
        pytest.param("mediocre", SAMPLE, id="sample"),
        *(pytest.param(name, EVERYTHING, id=name, marks=pytest.mark.nightly) for name in LOGS),
    ],
)
def test_no_attempt_that_is_seen_lifts_a_score_by_more_than_a_quarter(
    client: TestClient, name: str, attempts: Sequence[Attempt], role: str
) -> None:
    moved, unseen = moves(client, name, role, attempts)
    assert not moved
    assert sum(unseen) <= AVERAGE * max(1, len(unseen))
