"""The published figures by two routes, over made-up sessions: the service's table, and each rule
read straight into plain Python (`research/report_concept.py`), short titles and all."""

import json
import random

import pytest

from research.report_concept import KS, SYSTEMS, TURNS, Session, by_hand, by_service
from service.api.wire.log import Item, Log
from service.catalogue.catalogue import Catalogue
from service.metrics import Matching, MetricsReport, compute

GENRES = ("action", "comedy", "crime", "drama", "war")
WORDS = ("Glass", "Harbour", "It", "S", "Quiet", "Lantern", "Up", "Orchard", "Tide", "Signal")
FILLER = ("What do you like?", "It is a quiet story of a harbour town.", "Sure, upstairs!", "")


@pytest.fixture(scope="module")
def items() -> list[Session]:
    chance = random.Random(5)
    titles = {
        " ".join(chance.sample(WORDS, chance.randint(1, 2))) + chance.choice(["", f" ({year})"])
        for year in range(1950, 2020)
    }
    return [
        {"title": title, "attributes": {"genre": chance.sample(GENRES, chance.randint(2, 4))}}
        for title in sorted(titles)
    ]


@pytest.fixture(scope="module")
def sessions(items: list[Session]) -> list[Session]:
    chance = random.Random(6)
    titles = [item["title"] for item in items]
    return [_session(f"{SYSTEMS[n % 4]}_made", titles, chance) for n in range(80)]


def _session(system: str, titles: list[str], chance: random.Random) -> Session:
    messages: list[dict[str, object]] = []
    for _ in range(chance.randint(1, 11)):
        shown = chance.choices(titles, k=30)
        messages.append({"role": "user", "content": chance.choice(FILLER)})
        text = chance.choice([*FILLER, f"Have you seen {shown[0]}?", f"Try {shown[3].upper()}."])
        messages.append({"role": "assistant", "content": text, "recommendations": shown})
    accepted = chance.random() < 0.5
    closing = chance.choice([*FILLER, f"I will watch {chance.choice(titles)}."])
    messages.append({"role": "user", "content": closing})
    return {
        "system": system,
        "messages": messages,
        "user": {"attributes": chance.sample(GENRES, 2)},
        "outcome": {"accepted": accepted, "message": len(messages) - 1 if accepted else None},
    }


@pytest.fixture(scope="module")
def table(items: list[Session], sessions: list[Session]) -> MetricsReport:
    logs = [Log.model_validate_json(json.dumps(session)).value() for session in sessions]
    catalogue = Catalogue.of(Item.model_validate(item).value() for item in items)
    return compute(
        logs, catalogue=catalogue, matching=Matching.PUBLISHED, group_by=["system"], k=KS, turns=TURNS
    )


@pytest.mark.parametrize("name", SYSTEMS)
def test_both_routes_agree(
    name: str, items: list[Session], sessions: list[Session], table: MetricsReport
) -> None:
    system = f"{name}_made"
    plain = by_hand([session for session in sessions if session["system"] == system], items)
    served = by_service(table, system)
    assert {key: served[key] for key in plain} == {key: pytest.approx(value) for key, value in plain.items()}
    assert len({value for value in plain.values() if value}) > 12, "the sessions must tell the rules apart"
