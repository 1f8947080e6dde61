"""Drift: no alarm without a change, an alarm soon after one, a recovery, and a new evaluator is none of these."""

import json
from collections.abc import AsyncIterator, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from research.simulate_drift import START, World, delays, false_alarms
from service.live.drift.baseline import PERIOD, PERIODS, Baseline, add, expect
from service.live.drift.bets import NO_BETS, against_at_least, begun
from service.live.drift.output import Drift, SystemState, Watched
from service.live.drift.watch import Change, Seen, Watch
from service.live.summary.output import SYSTEMS, ended_by_system
from service.store.conversations.protocol import ALARM, DELETED, JUDGED, RECOVERED, OutboxEvent
from service.store.conversations.sqlite import SqliteConversations

DAY = 86_400.0


def scores(source: np.random.Generator, days: float, mean: float, start: float) -> list[Seen]:
    times = start + np.arange(int(days * 200)) * DAY / 200
    values = np.clip(source.normal(mean, 0.2, len(times)), 0, 1)
    return [Seen(f"c{at:.0f}", float(at), float(value)) for at, value in zip(times, values, strict=True)]


def watched() -> tuple[Watch, np.random.Generator]:
    """A watch after its baseline at .7, in the middle of a week."""
    source = np.random.default_rng(3)
    watch = Watch(0.001)
    assert watch.see(scores(source, 17, 0.7, START)) == []
    return watch, source


def test_a_drop_is_noticed_with_the_conversations_that_show_it() -> None:
    watch, source = watched()
    after = scores(source, 6, 0.6, START + 17 * DAY)
    found, *more = watch.see(after)
    assert not more
    assert (found.change, watch.alarmed) == (Change.DROP, Change.DROP)
    assert found.at - START - 17 * DAY < 3 * DAY
    assert found.expected == pytest.approx(0.7, abs=0.02)
    values = {one.conversation: one.value for one in after}
    assert len(found.shown) == 5
    assert max(values.get(name, 1.0) for name in found.shown) < 0.4


def test_a_recovery_and_a_rise_are_told_as_well() -> None:
    watch, source = watched()
    watch.see(scores(source, 6, 0.6, START + 17 * DAY))
    assert [one.change for one in watch.see(scores(source, 6, 0.7, START + 23 * DAY))] == [Change.RECOVERED]
    assert watch.alarmed is None
    assert [one.change for one in watch.see(scores(source, 6, 0.82, START + 29 * DAY))] == [Change.RISE]


def test_one_by_one_is_the_same_as_all_at_once_also_through_json() -> None:
    source = np.random.default_rng(4)
    seen = scores(source, 17, 0.7, START) + scores(source, 6, 0.58, START + 17 * DAY)
    whole = Watch(0.001)
    at_once = whole.see(seen)
    single = Watch(0.001)
    found = []
    for one in seen:
        found += single.see([one])
        kept = SystemState({"one": Watched("r", 0.001, single)}).dump()
        single = SystemState.load(kept).watches["one"].watch
        single.alpha = 0.001
    assert [(one.change, one.at, one.shown) for one in found] == [
        (one.change, one.at, one.shown) for one in at_once
    ]
    assert at_once


def test_the_capital_against_a_true_claim_seldom_grows() -> None:
    """Ville: over 20 with a probability of at most 1 in 20, at any time."""
    source = np.random.default_rng(5)
    grown = 0
    for _ in range(400):
        values = (source.random(500) < 0.3).astype(float)
        _, path = against_at_least(begun(NO_BETS, 1.0), values, 0.3)
        grown += bool((path >= np.log(20)).any())
    assert 0 < grown / 400 <= 0.05


def test_a_pattern_of_the_week_is_expected_and_widens_no_margin() -> None:
    source = np.random.default_rng(6)
    swinging: Baseline = {}
    still: Baseline = {}
    for period in range(4 * PERIODS):
        for value in source.normal(0.6, 0.1, 250):
            at = START + period * PERIOD + 1.0
            add(swinging, at, value + 0.1 * (-1) ** period)
            add(still, at, value)
    assert expect(swinging).margin == pytest.approx(expect(still).margin, abs=0.01)
    assert expect(swinging).by_period[0] == pytest.approx(0.7, abs=0.02)


def test_a_system_that_sways_as_real_ones_do_gives_no_alarm_and_a_drop_does() -> None:
    assert false_alarms(1, 6, World(), 11) == 0
    assert max(delays(1, 0.3, World(), 11)) < 2500


@pytest.fixture
async def place(tmp_path: Path) -> AsyncIterator[SqliteConversations]:
    opened = SqliteConversations(tmp_path / "open.db")
    await opened.prepare(["one"])
    yield opened
    await opened.aclose()


async def test_alarms_are_told_once_and_a_new_evaluator_is_no_alarm(place: SqliteConversations) -> None:
    noticed: list[object] = []
    drift = Drift(place, 14 * DAY, noticed.append)
    source = np.random.default_rng(8)
    seen = scores(source, 17, 0.7, START) + scores(source, 6, 0.55, START + 17 * DAY)
    seen += scores(source, 6, 0.7, START + 23 * DAY)
    judged = [event(number, one, "old") for number, one in enumerate(seen)]
    judged += [
        event(len(judged) + n, one, "new") for n, one in enumerate(scores(source, 3, 0.2, START + 29 * DAY))
    ]
    for first in range(0, len(judged), 200):
        await drift.take(judged[first : first + 200])
        await drift.take(judged[first : first + 200])  # brought again
    alarms = await place.undelivered("one", 100, 0.01)
    assert [one.kind for one in alarms] == [ALARM, RECOVERED]
    assert [json.loads(one.content)["change"] for one in alarms] == ["drop", "recovered"]
    assert len(noticed) == 2


async def test_an_alarm_that_a_crash_kept_back_is_told_under_its_id(place: SqliteConversations) -> None:
    drift = Drift(place)
    alarm = {"id": "a", "change": "drop", "system": "shop", "at": "2026-01-01T00:00:00+00:00"}
    alarm["factor"] = "coherence"
    await place.save("drift:shop", SystemState(pending=[alarm]).dump(), None)
    await drift.take([event(1, Seen("c", START, 0.5), "old")])
    await drift.take([event(2, Seen("d", START, 0.5), "old")])
    (one,) = await place.undelivered("one", 100, 0.01)
    assert json.loads(one.content) == alarm


async def test_older_conversations_from_a_file_are_no_drift_but_seed_the_baseline(
    place: SqliteConversations,
) -> None:
    drift = Drift(place, 14 * DAY)
    source = np.random.default_rng(8)
    past, now = scores(source, 21, 0.7, START), START + 40 * DAY
    await drift.take([event(n, one, "old", at=now) for n, one in enumerate(past)])
    assert await place.undelivered("one", 100, 0.01) == []
    today = scores(source, 3, 0.5, now)
    await drift.take([event(10_000 + n, one, "old") for n, one in enumerate(today)])
    bad_past = scores(source, 3, 0.1, START + 30 * DAY)
    await drift.take([event(20_000 + n, one, "old", at=now + 3 * DAY) for n, one in enumerate(bad_past)])
    (one,) = await place.undelivered("one", 100, 0.01)
    alarm = json.loads(one.content)
    assert (one.kind, alarm["change"]) == (ALARM, "drop")
    assert alarm["expected"] == pytest.approx(0.7, abs=0.02)


async def test_a_deleted_conversation_is_shown_by_no_alarm(place: SqliteConversations) -> None:
    await place.save(SYSTEMS, b'["shop"]', None)
    drift = Drift(place, 14 * DAY)
    source = np.random.default_rng(3)
    seen = [*scores(source, 17, 0.7, START), Seen("gone", START + 17 * DAY, 0.0)]
    await drift.take([event(n, one, "old") for n, one in enumerate(seen)])
    assert b'"gone"' in (await place.load("drift:shop") or b"")
    await drift.take([OutboxEvent("x", 9000, DELETED, "gone", b"{}")])
    assert b'"gone"' not in (await place.load("drift:shop") or b"")
    after = scores(source, 6, 0.5, START + 17.1 * DAY)
    await drift.take([event(9001 + n, one, "old") for n, one in enumerate(after)])
    (one,) = await place.undelivered("one", 100, 0.01)
    assert "gone" not in json.loads(one.content)["shown"]


async def test_a_fault_that_grows_is_alarmed_with_conversations_that_have_it(
    place: SqliteConversations,
) -> None:
    """2 % of conversations have the fault, later 15 %; scores stay. Another fault stays as frequent as it was."""
    drift = Drift(
        place, 14 * DAY, homes={"off-topic": "coherence", "loops": "coherence", "pushy": "appropriateness"}
    )
    source = np.random.default_rng(4)
    judged, having = [], set()
    for number, seen in enumerate(scores(source, 24, 0.7, START)):
        faults = ["loops"] if source.random() < 0.1 else []
        if source.random() < (0.02 if seen.at < START + 17 * DAY else 0.15):
            faults.append("off-topic")
            having.add(seen.conversation)
        judged.append(event(number, seen, "old", faults=faults))
    for first in range(0, len(judged), 300):
        await drift.take(judged[first : first + 300])
    (one,) = await place.undelivered("one", 100, 0.01)
    alarm = json.loads(one.content)
    found = (one.kind, alarm["fault"], alarm["factor"], alarm["change"])
    assert found == (ALARM, "off-topic", "coherence", "rise")
    assert alarm["expected"] == pytest.approx(0.02, abs=0.01)
    assert alarm["shown"]
    assert set(alarm["shown"]) <= having


def test_judgements_of_another_worker_that_come_late_begin_no_week() -> None:
    watch, source = watched()
    week = scores(source, 5, 0.7, START + 21 * DAY)
    assert watch.see(week) == []
    period, number = watch.period, watch.number
    watch.see([Seen("late", START + 20.9 * DAY, 0.7)])
    assert (watch.period, watch.number) == (period, number + 1)


@pytest.mark.parametrize(
    ("revision", "unfinished", "ended", "counts"),
    [
        (1, 0, "idle", True),
        (1, 0, "in_progress", False),
        (3, 2, "complete", True),
        (3, 2, "in_progress", False),
        (3, 1, "idle", False),  # ended before, and came back
    ],
)
def test_a_conversation_counts_at_its_first_judgement_after_it_ended(
    revision: int, unfinished: int, ended: str, *, counts: bool
) -> None:
    content = json.dumps({"revision": revision, "ended": ended, "system": "shop"}).encode()
    judged = OutboxEvent("7", 7, JUDGED, "c1", content, unfinished)
    assert list(ended_by_system([judged])) == ["shop"] * counts


def event(
    number: int, seen: Seen, revision: str, at: float | None = None, faults: Sequence[str] = ()
) -> OutboxEvent:
    """A conversation that is judged at once, or at a time."""
    content: dict[str, Any] = {
        "conversation": seen.conversation, "revision": 1, "ended": "idle", "system": "shop",
        "judged_at": datetime.fromtimestamp(seen.at if at is None else at, UTC).isoformat(),
        "last_at": datetime.fromtimestamp(seen.at, UTC).isoformat(),
        "verdicts": [
            {
                "factor": "coherence", "status": "scored", "score": 4 * seen.value, "scale_min": 0, "scale_max": 4,
                "evaluator_revision": revision,
            }
        ],
        "faults": [{"fault": name, "replies": 1, "rate": 0.5} for name in faults],
    }  # fmt: skip
    if number % 3 == 0:  # a model judges some: its scores and its revision are none of drift's business
        content["verdicts"].append(
            {**content["verdicts"][0], "score": 0.0, "evaluator_revision": f"model-{number}"}
        )
    return OutboxEvent(str(number), number, JUDGED, seen.conversation, json.dumps(content).encode())
