"""Phrases of people and recommenders in our own words, over many domains: whatever changes in the rules,
each goes on being heard as what it does, and who is pleased is never taken to object."""

import json
from pathlib import Path

import pytest

from service.judges.embedded.observations.acts.acts import ReplyAct, UserAct, reply_acts, user_acts

PHRASES = json.loads((Path(__file__).parent / "phrases.json").read_text(encoding="utf-8"))
USER = {
    "accept": {UserAct.ACCEPT},
    "object": {UserAct.COMPLAIN, UserAct.REJECT},
    "seen": {UserAct.SEEN},
}
REPLY = {
    "elicit": {ReplyAct.ELICIT, ReplyAct.OFFER},
    "recommend": {ReplyAct.RECOMMEND},
    "apologise": {ReplyAct.APOLOGISE},
    "offer": {ReplyAct.OFFER, ReplyAct.ELICIT},
}


@pytest.mark.parametrize(
    ("does", "phrase"), [(does, phrase) for does in USER for phrase in PHRASES["user"][does]]
)
def test_users_are_heard(does: str, phrase: str) -> None:
    assert USER[does] & user_acts(phrase).keys()


@pytest.mark.parametrize(
    ("does", "phrase"), [(does, phrase) for does in REPLY for phrase in PHRASES["reply"][does]]
)
def test_recommenders_are_heard(does: str, phrase: str) -> None:
    assert REPLY[does] & reply_acts(phrase).keys()


@pytest.mark.parametrize("phrase", PHRASES["reply"]["plain"])
def test_who_tells_or_asks_does_not_recommend(phrase: str) -> None:
    assert ReplyAct.RECOMMEND not in reply_acts(phrase)


@pytest.mark.parametrize("phrase", PHRASES["user"]["accept"])
def test_who_accepts_does_not_object(phrase: str) -> None:
    assert not USER["object"] & user_acts(phrase).keys()


@pytest.mark.parametrize("phrase", PHRASES["user"]["object"])
def test_who_objects_does_not_accept(phrase: str) -> None:
    assert not USER["accept"] & user_acts(phrase).keys()
