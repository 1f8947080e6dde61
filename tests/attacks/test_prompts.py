"""Attempts do nothing to prompts. Every prompt that leaves the service for a model has the same structure whether strangers wrote
plain words or an attempt. Every route that asks one is tried."""

import json
import re
import unicodedata
from collections.abc import Callable, Iterator
from functools import cache
from itertools import groupby
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from service.app import create_app
from service.settings import ProviderAccess, Settings
from service.simulators.kind import Backend
from service.simulators.kinds import kinds
from service.telemetry.logging import configure_logging
from tests.attacks.attempts import EVERYTHING, FENCES
from tests.factories import in_turns
from tests.provider.behaviours import Answer, Payload
from tests.provider.server import ProviderServer
from tests.provider.speech import compose

ROOT = Path(__file__).parent.parent.parent
MODEL = "openai:gpt-4o-mini"
AT_ONCE = 12
ALL = [*FENCES, *EVERYTHING]
GROUPS = [ALL[start : start + AT_ONCE] for start in range(0, len(ALL), AT_ONCE)]

# Building blocks of prompts: tags, special tokens of chat templates, and within <log> the marks that begin a message.
# Written without the classes of `neutralise`: every bracket counts that no blank and no number follows.
TAGS = re.compile(
    r"[<\uff1c\ufe64](?:0x|[^\s\d]|\s+[/!?|a-z])\w{0,12}|\[/?[A-Za-z_]*[A-Z]{3,}_?[A-Z]*\]", re.DOTALL
)
MARKS = re.compile(r"^\[h?\d+\]|^\[before\]|^\[reply \d+\]|^History$|^Interaction$", re.MULTILINE)
JOINERS = "\u200c\u200d"
Structures = list[tuple[list[str], list[str]]]
"""The tags and the marks of each prompt, in an order of their own."""


def unseen(text: str) -> list[str]:
    """The characters that nobody sees, by Unicode's own tables; single joiners are part of scripts and emoji."""
    found = [
        sign for sign in text if unicodedata.category(sign) in {"Cf", "Cc"} and sign not in "\n\t" + JOINERS
    ]
    found += [sign for sign in text if "VARIATION SELECTOR" in unicodedata.name(sign, "")]
    return found + re.findall("[\u200c\u200d]{2,}", text)


def log_of(said: list[str]) -> dict[str, Any]:
    """A log in which every place that strangers write to holds one of the texts."""
    first, second, third = said[0], said[1], said[2]
    messages = in_turns(*said)
    messages[0]["thoughts"] = first
    messages[1]["recommendations"] = ["x", third[:1900]]
    messages.append({"role": "assistant", "content": f"Try Dust Hymnal (1969). {third}"})
    return {
        "messages": messages,
        "history": in_turns(second, third),
        "ground_truth": ["x", third[:1900]],
        "items": [
            {
                "id": "d",
                "title": "Dust Hymnal (1969)",
                "description": first,
                "attributes": {"genre": [third]},
            },
            {"id": "x", "title": second[:1900], "description": third, "attributes": {"mood": [first]}},
        ],
        "user": {
            "persona": "trust",
            "age_group": "adults",
            "attributes": [first, second],
            "preferences": third,
            "seen": [{"item": "d", "review": first}, {"item": "x", "review": third}],
        },
    }


def requests(said: list[str]) -> list[tuple[str, dict[str, Any]]]:
    """One body for each route, and each kind of user, that asks a model."""
    log = log_of(said)
    factors = ["coherence", "groundness", "novelty", "concept-user-satisfaction"]
    asked: list[tuple[str, dict[str, Any]]] = [
        ("/score", {"log": log, "factors": factors, "judge": MODEL, "variant": variant, "cache": "off"})
        for variant in ("crs-eval", "published")
    ]
    debate = {"log": log, "judge": MODEL, "max_rounds": 2, "cache": "off"}
    asked.append(("/debate", debate))
    question = {"role": "user", "content": f"What is it about? {said[0]}"}
    rounds = {"target": {"min_rounds": 50, "max_rounds": 50}}
    described = {
        "id": "x",
        "title": "Aldermoor (1994)",
        "description": said[2],
        "attributes": {"genre": ["western"]},
    }
    logs = {
        "paraphrase": {**log, "messages": [*log["messages"], question]},
        "target-biased": {**log, "items": [*log["items"][:1], described]},
    }
    asked += [
        (
            "/simulate",
            {
                "log": logs.get(kind, log),
                "simulator": {"type": kind, "judge": MODEL, "seed": 3, **rounds.get(kind, {})},
                "cache": "off",
            },
        )
        for kind in (known.name for known in kinds().values() if known.backend is not Backend.RULES)
    ]
    reviews = [{"item": f"Film {n} {text}"[:1900], "rating": 4, "text": text} for n, text in enumerate(said)]
    asked.append(("/simulate/profile", {"reviews": reviews, "judge": MODEL, "cache": "off"}))
    pairs = [
        {"candidate": text, "reference": other, "context": [{"role": "user", "content": text}]}
        for text, other in zip(said, reversed(said), strict=True)
    ]
    asked.append(("/behavior-alignment", {"pairs": pairs, "method": "llm", "judge": MODEL, "cache": "off"}))
    return asked


def echo(said: list[str]) -> Answer:
    """A model that repeats an attempt wherever it may write: into the next round, the next prompt."""

    def author(payload: Payload) -> str:
        # Its decisions must not depend on the words, or another course of the session would be compared.
        value = json.loads(compose({**payload, "messages": []}))
        return json.dumps(_with(value, said[0]))

    return Answer(author)


def _with(value: Any, text: str) -> Any:
    free = {"statement", "rationale", "message", "likes", "dislikes", "preferences", "item"}
    if isinstance(value, dict):
        return {
            name: ([text] if isinstance(part, list) else text) if name in free else _with(part, text)
            for name, part in value.items()
        }
    return [_with(part, text) for part in value] if isinstance(value, list) else value


@pytest.fixture(scope="module")
def client(model: ProviderServer) -> Iterator[TestClient]:
    configure_logging("json", "error")
    settings = Settings(
        providers={"openai": ProviderAccess(base_url=model.openai_url)}, judges=("builtin", "openai:*")
    )
    app = create_app(settings)
    with TestClient(app, raise_server_exceptions=False) as client:
        yield client


def sent(
    client: TestClient, model: ProviderServer, path: str, body: dict[str, Any], said: list[str]
) -> list[str]:
    """The messages of every call that a request leads to, as text, in an order of their own."""
    model.reset()
    model.default = echo(said)
    response = client.post(path, json=body)
    assert response.status_code < 500 or response.status_code == 502, response.text
    assert response.status_code != 422, response.text
    assert model.calls, f"{path} asked no model: {response.text[:300]}"
    return [
        "\x00".join(
            message["role"] + ":" + message["content"]
            for message in received.payload["messages"]
            if message["role"] != "assistant"
        )
        for received in model.received
    ]


def structures(prompts: list[str]) -> Structures:
    """The structures of prompts, each once: an answer that nobody can use is asked for again."""
    found = sorted(
        (TAGS.findall(prompt), MARKS.findall(prompt.replace("\x00", "\n\n")) if "<log>" in prompt else [])
        for prompt in prompts
    )
    return [structure for structure, _ in groupby(found)]


@pytest.fixture(scope="module")
def honest(client: TestClient, model: ProviderServer) -> Callable[[int, int], Structures]:
    """The structures of a case's prompts where so many texts are plain words: asked for once."""

    @cache
    def ask(case: int, count: int) -> Structures:
        benign = [f"Plain words, number {number}." for number in range(count)]
        path, body = requests(benign)[case]
        return structures(sent(client, model, path, body, benign))

    return ask


SAMPLED = 8
"""Of so many groups one is tried in every run, over all routes; `make test-nightly` tries the rest."""


def of_the_night(group: int) -> tuple[pytest.MarkDecorator, ...]:
    return () if group % SAMPLED == 0 else (pytest.mark.slow, pytest.mark.nightly)


@pytest.mark.parametrize("case", range(9))
@pytest.mark.parametrize(
    "group", [pytest.param(number, marks=of_the_night(number)) for number in range(len(GROUPS))]
)
def test_no_attempt_changes_the_structure_of_a_prompt(
    client: TestClient,
    model: ProviderServer,
    honest: Callable[[int, int], Structures],
    group: int,
    case: int,
) -> None:
    attempts = [attempt.text for attempt in GROUPS[group]]
    attempts += [EVERYTHING[n].text for n in range(3 - len(attempts))]
    path, hostile = requests(attempts)[case]
    expected = honest(case, len(attempts))
    under_attack = sent(client, model, path, hostile, attempts)
    assert structures(under_attack) == expected
    for prompt in under_attack:
        assert not unseen(prompt.replace("\x00", ""))
