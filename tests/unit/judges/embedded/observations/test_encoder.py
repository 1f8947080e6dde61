"""The sentence encoder that may read beside the learned numbers."""

import asyncio
import math
import sys
import threading
from typing import Any

import pytest

from service.domain.completion import Call
from service.domain.rubric import Protocol
from service.domain.verdict import Scored
from service.errors import ConfigurationError
from service.factors import load_factors
from service.judges.embedded import EmbeddedJudge
from service.judges.embedded.judge import HEARD
from service.judges.embedded.observations.acts.learned import SATISFACTION
from service.judges.embedded.observations.encoder import BATCH, READ, SHARE, SentenceEncoder, mixed
from service.judges.embedded.observations.observer import read_case
from service.judges.inquiry import Case, Inquiry

FACTORS = load_factors()
TALK = [
    "U: I want a slow film about the sea",
    "A: How about The Quiet Harbour (1999)? It is a calm drama by the sea.",
    "U: That sounds wonderful, I will watch it tonight!",
]


@pytest.fixture(scope="module")
def encoder() -> SentenceEncoder:
    return SentenceEncoder()


async def test_it_knows_what_words_mean_that_no_label_was_seen_with(encoder: SentenceEncoder) -> None:
    offer = (False, "How about The Quiet Harbour?")
    said = [
        "Caught it in the cinema years ago.",
        "Splendid, I'll give it a go.",
        "Nah, that sounds dreadful.",
    ]
    seen, taken, dreadful = [(await encoder.hear([offer, (True, text)]))[1] for text in said]
    assert seen["SEE"] > max(taken["SEE"], dreadful["SEE"])
    assert taken["ACC"] > max(seen["ACC"], dreadful["ACC"])
    assert dreadful["REJ"] > max(seen["REJ"], taken["REJ"])
    assert taken[SATISFACTION] > dreadful[SATISFACTION]


async def test_what_came_before_counts_for_acts_alone(encoder: SentenceEncoder) -> None:
    alone = (await encoder.hear([(True, "Yes, please.")]))[0]
    asked = (await encoder.hear([(False, "Do you like comedies?"), (True, "Yes, please.")]))[1]
    assert asked["ANS"] > alone["ANS"]
    assert asked[SATISFACTION] == alone[SATISFACTION]


async def test_any_text_has_a_state_and_long_ones_are_cut(encoder: SentenceEncoder) -> None:
    odd = ["", " ", "🎬" * 50, "\u0000", "ă" * 5000, "word " * 20_000]
    heard = await encoder.hear([(True, text) for text in odd])
    assert all(math.isfinite(value) for each in heard for value in each.values())
    text = "a calm film " * 100
    assert (encoder.state(text) == encoder.state(text[:READ] + "and more")).all()
    assert await encoder.hear([]) == []


async def test_others_are_served_while_it_reads(monkeypatch: pytest.MonkeyPatch) -> None:
    encoder = SentenceEncoder()
    state, aside = encoder.state, []

    def read(text: str) -> Any:
        aside.append(threading.get_ident() != threading.main_thread().ident)
        return state(text)

    monkeypatch.setattr(encoder, "state", read)
    task = asyncio.create_task(
        encoder.hear([(True, f"Something about the sea, number {n}?") for n in range(10 * BATCH)])
    )
    turns = 0
    while not task.done():
        turns += 1
        await asyncio.sleep(0)
    assert len(await task) == len(aside) == 10 * BATCH
    assert all(aside)
    assert turns >= 10  # one a batch at least


def test_both_readings_count() -> None:
    told = mixed({"ACC": 0.5, "REJ": 0.0, SATISFACTION: 3.0}, {"ACC": 2.0, "REJ": 0.0, SATISFACTION: 9.0})
    assert told["ACC"] == pytest.approx(1 / (1 + math.exp(-2 * SHARE)))
    assert 0 < told["REJ"] < 0.01
    assert told[SATISFACTION] == pytest.approx(3 + 2 * SHARE)


async def test_verdicts_say_where_it_was_in_force(encoder: SentenceEncoder, make_log: Any) -> None:
    core = tuple(FACTORS.of(Protocol.CORE))
    inquiry = Inquiry(Case(make_log(TALK)), core)
    alone, beside = [
        {verdict.factor: verdict async for verdict in EmbeddedJudge(encoder=one).ask(inquiry, Call())}
        for one in (None, encoder)
    ]
    for slug, verdict in beside.items():
        flags = {flag.code: flag.detail for flag in verdict.flags}
        if slug in HEARD:
            assert isinstance(verdict, Scored)
            assert flags["sentence_encoder"].startswith(encoder.name)
            assert verdict.evaluator_revision != alone[slug].evaluator_revision
        else:
            assert "sentence_encoder" not in flags
            assert verdict == alone[slug]
    assert {"coherence", "effectiveness", "proactiveness"} <= HEARD & beside.keys()


async def test_it_bears_on_what_the_judge_reads(encoder: SentenceEncoder, make_log: Any) -> None:
    case = Case(make_log(TALK))
    alone, beside = await read_case(case), await read_case(case, encoder)
    assert beside.learned[2][SATISFACTION] != alone.learned[2][SATISFACTION]
    assert beside.learn("reply", {1}).keys() == {1}


def test_where_it_is_not_installed_its_operator_reads_what_to_install(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, "crs_eval_encoder", None)
    with pytest.raises(ConfigurationError, match=r"run pip install 'crs-eval\[encoder\]'"):
        SentenceEncoder()
