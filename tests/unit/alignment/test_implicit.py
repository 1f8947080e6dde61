"""The pair classifier as it ships."""

import json
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from research.alignment.ship import FILES, file_hash
from service.alignment.implicit import FOLDER, Calibration, judge, revision
from service.alignment.pair import Pair, Reply
from service.alignment.strategies import NO_STRATEGY
from service.alignment.strategies import StrategyName as S
from service.encoder.encoder import FOLDER as WEIGHTS
from tests.factories import known
from tests.unit.alignment.making import said

PLAIN = {
    S.OPINION_INQUIRY: ["What kind of movies do you like?", "Which genres do you enjoy the most?"],
    S.EXPERIENCE_INQUIRY: ["Have you seen it?", "Have you watched any good films lately?"],
    S.ENCOURAGEMENT: ["You should watch it, you will love it!", "I hope you enjoy it tonight!"],
    S.CREDIBILITY: [
        "It stars two Oscar winners and was directed by a Dane.",
        "The film tells the story of a nurse who joins the navy.",
    ],
}


@pytest.mark.parametrize("strategy", list(PLAIN))
def test_plain_replies_are_read_as_what_they_are(strategy: S) -> None:
    first, second = PLAIN[strategy]
    (one,) = judge([said(first, second)])
    assert known(one.candidate).strategy is strategy
    assert one.aligned
    assert known(one.probability) > 0.5


def test_a_greeting_has_no_strategy_and_still_a_probability() -> None:
    (one,) = judge([said("Hello, how are you?", "Have you seen it?")])
    assert known(one.candidate).strategies == (NO_STRATEGY,)
    assert one.probability is not None


@pytest.mark.parametrize("text", ["", " ", "\n", "?", "😀", "電影", "x" * 5000, "a " * 5000, "\ufffd" * 10])
def test_any_text_gets_an_answer(text: str) -> None:
    (one,) = judge([said(text, "Have you seen it?")])
    assert 0 <= known(one.probability) <= 1


@pytest.mark.parametrize("text", ["", " ", "...", "!?", "😀"])
def test_a_reply_without_a_word_has_no_strategy(text: str) -> None:
    (one,) = judge([said(text, text)])
    assert known(one.candidate).strategies == known(one.reference).strategies == (NO_STRATEGY,)


def test_half_a_pair_has_no_answer() -> None:
    (one,) = judge([Pair(None, Reply(("Have you seen it?",)))])
    assert (one.aligned, one.probability) == (None, None)
    assert one.reference is not None


@pytest.mark.slow
def test_threads_give_the_same_answers() -> None:
    pairs = [said(f"Have you seen number {n}?", f"I love number {n}.") for n in range(40)]
    alone = judge(pairs)
    with ThreadPoolExecutor(4) as pool:
        assert all(found == alone for found in pool.map(judge, [pairs] * 4))


def test_calibrated_numbers_by_hand() -> None:
    numbers = Calibration(np.array([0.8, 0.2]), 0.5, 2.0, np.array([-1.0, 1.0]), np.array([0.2, 0.6]))
    # e^(log 4 / 2) / sqrt(.8) against 1 / sqrt(.2): 2 / .894 to 1 / .447, which are equal.
    assert numbers.distribution(np.array([np.log(4.0), 0.0])) == pytest.approx([0.5, 0.5])
    # Log odds of .5 are 0, half-way; beyond the knots nothing changes.
    assert numbers.probability(np.array([0.5, 0.999])) == pytest.approx([0.4, 0.6])


MANIFEST = json.loads((FOLDER / "manifest.json").read_text("utf-8"))


def test_the_files_are_those_that_were_shipped() -> None:
    assert {name: file_hash(WEIGHTS / name) for name in FILES} == MANIFEST["files"]
    assert revision() == MANIFEST["revision"]


def test_the_report_is_about_this_artefact() -> None:
    report = (FOLDER.parent.parent.parent / "docs" / "behavior-alignment.md").read_text("utf-8")
    assert f"Revision `{MANIFEST['revision']}`" in report
