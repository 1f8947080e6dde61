"""The journey that every client makes, and what must come of it.

A journey is a program in the client's language. It gets the service's URL, the front's and a file
with a log; it prints one JSON object. What it prints is compared with what plain HTTP answers."""

import json
import os
import re
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx2

from service.usecases.wire.parts import Part
from tests.clients.front import Front, running_front
from tests.factories import in_turns
from tests.live_process import running_live
from tests.registries import CORE
from tools.service_process import ROOT

Said = tuple[str, str]
"""The words of the user and of the recommender in a log of two messages."""

README_SAID: Said = ("Any western from the seventies?", "Great, enjoy it!")
SAID: dict[str, Said] = {
    "scored": README_SAID,
    "not_assessable": (
        "Kennst du einen guten Western aus den siebziger Jahren? Ich mag keine Komödien und suche etwas Spannendes.",
        "Ja, ich empfehle dir diesen Film, viel Spaß damit! Er ist sehr spannend und wird dir und deiner Familie gefallen.",
    ),
}
"""By the status of the verdict that the calls in docs/clients.md get."""

JOURNEYS = Path(__file__).parent / "journeys"

PARTS: list[dict[str, Any]] = [
    {"type": "text", "text": "Two fit your budget:"},
    {"type": "items", "items": [{"id": "j1", "title": "Fellwind Shell"}], "layout": "carousel"},
    {"type": "tool_call", "name": "search", "arguments": "{}", "id": "call_1"},
    {"type": "tool_result", "content": "[]", "call": "call_1", "name": "search", "error": True},
    {"type": "image", "alt": "A jacket", "url": "https://shop.example/j1"},
    {"type": "tool_call", "name": "search"},
]
"""Parts that a journey builds, as they reach the service."""

LINES = 501
"""One more than a window."""

KEY = "of-the-environment"

WAITS_AN_HOUR = "novelty"
"""The factor below `/hour` that a journey waits for, and gives up."""


@dataclass(frozen=True)
class Journey:
    """Output of a journey, and what the front saw of it."""

    output: dict[str, Any]
    front: Front


def travel(
    command: Sequence[str | Path],
    url: str,
    log: Path,
    cwd: Path,
    environment: Mapping[str, str] | None = None,
) -> Journey:
    """Run a client's journey. A client without options asks the front below `/named`, with `KEY`. `crs-eval live` is at
    `LIVE_URL`."""
    settings = {"LIVE_FACTORS": "coherence", "LIVE_USER_KEY": "k" * 32}
    with (
        running_front(url) as front,
        tempfile.TemporaryDirectory() as folder,
        running_live(settings, Path(folder)) as live,
    ):
        named = {"CRS_EVAL_URL": f"{front.url}/named", "CRS_EVAL_API_KEY": KEY, "LIVE_URL": live}
        printed = output_of([*command, url, front.url, log], cwd, **named, **(environment or {}))
        return Journey(json.loads(printed.splitlines()[-1]), front)


def output_of(command: Sequence[str | Path], cwd: Path | None = None, **variables: str) -> str:
    """Return what a program prints. Fails with its errors if it fails."""
    done = subprocess.run(
        command, cwd=cwd, env={**os.environ, **variables}, capture_output=True, text=True, timeout=400, check=False
    )
    assert done.returncode == 0, (done.stdout + done.stderr)[-4000:]
    return done.stdout


def expect(journey: Journey, url: str, log: Mapping[str, Any], agent: str) -> None:
    """Check the output of a client; `agent` is its language and version."""
    plain = {name: _post(url, f"/{name}", {"log": log}) for name in ("score", "debate")}
    _expect_answers(journey, plain)
    _expect_habits(journey.output, journey.front, agent)
    _expect_models(journey.output, plain["score"])


def _expect_answers(journey: Journey, plain: Mapping[str, Any]) -> None:
    output, front = journey.output, journey.front
    # All digits: a client with 32-bit numbers would round the mean.
    assert output["mean"] == plain["score"]["summaries"][0]["mean"]
    assert output["factors"] == [verdict["factor"] for verdict in plain["score"]["verdicts"]]
    assert output["overall"] == plain["debate"]["overall"]
    assert output["events"] == ["verdict"] * len(CORE) + ["done"]
    assert output["streamed"] == output["mean"]
    assert output["error"] == {"status": 422, "pointer": "/judge", "retryable": False}
    assert output["said"].count("/judge") == 1
    assert "; name one of: builtin" in output["said"]
    assert output["later"] == output["mean"]
    assert output["lines"] == LINES
    assert output["wrong_lines"] == [7]
    assert output["progress"] == list(range(1, LINES + 1))
    assert sorted(front.batches) == sorted([LINES - 500, 500, 3, 2])
    assert output["cut"] == ["a", "b", "c"]
    assert output["retried"] == "coherence"
    first, second = front.tries["/busy/score/coherence"]
    assert second - first >= front.wait
    assert len(front.tries["/busy/score/nonsense"]) == 2
    assert output["reconnected"] == "coherence"
    assert len(front.tries["/lost/score/coherence"]) == 2
    assert output["given_up"] == [429, 503]
    assert len(front.tries["/hour/score/coherence"]) == len(front.tries["/final/score/coherence"]) == 1
    assert output["not_retried"] == 404
    # Waits of 0.75 to 1.5 s, and what starting and a busy machine add; an attempt more would wait 1.75 s at least.
    assert [0.7 < seconds < 6 for seconds in output["down"]] == [True, True]


def _expect_habits(output: Mapping[str, Any], front: Front, agent: str) -> None:
    assert front.agents == {f"crs-eval-client-{agent}"}
    assert output["named"] == "coherence"
    assert front.keys["/named/score/coherence"] == f"Bearer {KEY}"
    # The hook gets each attempt: method, path, number, status, whether it is followed by another.
    path = "/busy/score/coherence"
    assert output["hook"] == [["POST", path, 1, 429, True], ["POST", path, 2, 200, False]]
    assert output["insisted"] == "coherence"
    assert len(front.tries["/passing/score/coherence"]) == 2
    # Retries and time limits of one request.
    assert output["asked_once"] == 429
    assert len(front.tries["/busy/score/diversity"]) == 1
    assert output["page"] == 502
    assert output["limited"] is output["broken"] is True
    assert output["live"] == [2, 1, 0, []]
    assert output["not_judged"] == 404
    assert len(front.tries["/slow/score/coherence"]) == 1
    # Given up while it waited for an hour: at once, else the journey would not have ended.
    assert output["stopped_waiting"] is True
    assert len(front.tries[f"/hour/score/{WAITS_AN_HOUR}"]) == 1


def _expect_models(output: Mapping[str, Any], plain: Mapping[str, Any]) -> None:
    """Events, results of batches and errors come as models and specific classes."""
    scores = {verdict["factor"]: verdict["score"] for verdict in plain["verdicts"]}
    assert output["event"][1] == scores[output["event"][0]]
    assert output["done"] == plain["summaries"][0]["mean"]
    assert output["result"] == ["coherence", scores["coherence"]]
    assert output["failed_line"] == [422, "/log/messages"]
    assert output["kind"] is True
    assert output["request_id"]
    assert [{name: one for name, one in part.items() if one is not None} for part in output["parts"]] == PARTS
    assert [Part.model_validate(part).type for part in PARTS]


def readme(language: str, url: str, said: Said) -> str:
    """The program of docs/clients.md in a language, for a service at `url` and a log in which `said` is said."""
    return with_said(
        shown(ROOT / "docs" / "clients.md", language).replace("http://127.0.0.1:8000", url), said
    )


def first_call(language: str, url: str, said: Said) -> str:
    """The same of the client's own README."""
    page = ROOT / "clients" / language / "README.md"
    return with_said(shown(page, language).replace("http://127.0.0.1:8000", url), said)


def shown(page: Path, language: str, at: int = 0) -> str:
    """A program that a page shows in a language, the first one by default."""
    return str(re.findall(rf"```{language}\n(.*?)```", page.read_text(), re.DOTALL)[at])


def with_said(text: str, said: Said) -> str:
    """A page's text with other messages in place of its own."""
    for shown, other in zip(README_SAID, said, strict=True):
        assert text.count(shown) == 1
        text = text.replace(shown, other)
    return text


def expect_readme(printed: str, url: str, status: str) -> None:
    """All of them print the same."""
    verdict = _post(url, "/score/coherence", {"log": {"messages": in_turns(*SAID[status])}})
    assert verdict["status"] == status
    if status == "scored":
        score, _, rationale = printed.strip().partition(" ")
        assert float(score) == verdict["score"]
        assert rationale == verdict["rationale"]
    else:
        assert printed.strip() == f"no score: {verdict['reason']['detail']}"


def _post(url: str, path: str, body: Mapping[str, Any]) -> dict[str, Any]:
    response = httpx2.post(url + path, json=body, timeout=60)
    assert response.status_code == 200
    answer: dict[str, Any] = response.json()
    return answer
