from collections.abc import Sequence
from dataclasses import dataclass

import pytest

from service.domain.completion import Call
from service.domain.conversation import Message
from service.errors import InvalidRequest
from service.simulators.kinds.paraphrase import Rewording, ask_each, pairs, reword
from service.simulators.recommender import Failure, RecommenderFailed, Reply
from tests.unit.simulators.speaking import FILMS, FakeModel, log_of

WORDS = ("u", "I'm looking for a film like Paper Comets from 2015. Could you recommend something else?")


async def test_rules_find_other_wordings_and_say_that_they_are_weaker() -> None:
    found = await reword(log_of(WORDS, items=FILMS), 6, Call())
    texts = [wording.text for wording in found.wordings]
    assert found.message == WORDS[1]
    assert len(set(texts)) == 6
    assert WORDS[1] not in texts
    assert all(wording.by_rule for wording in found.wordings)
    assert all("Paper Comets" in text and "2015" in text for text in texts)
    assert found == await reword(log_of(WORDS, items=FILMS), 6, Call())


async def test_rules_do_not_touch_a_title() -> None:
    log = log_of(("u", 'I saw "I like a film tonight" and I like a film tonight.'))
    for wording in (await reword(log, 10, Call())).wordings:
        assert '"I like a film tonight"' in wording.text


async def test_a_model_writes_them_and_what_is_unsound_is_dropped() -> None:
    versions = [
        "Is there anything besides Paper Comets (2015) that you'd put on?",
        "is there anything besides Paper Comets (2015) that you'd put on",
        "Something like Paper Planes from 2015?",
        "Paper Comets of 2016 was fun, what else is there?",
        WORDS[1],
        "  ",
        "Assistant: anything besides Paper Comets (2015)?",
    ]
    model = FakeModel([{"versions": versions}])
    found = await reword(log_of(WORDS, items=FILMS), 3, Call(), asker=model)
    assert found.wordings[0] == Rewording(versions[0], by_rule=False)
    assert [wording.by_rule for wording in found.wordings] == [False, True, True]
    assert [flag.code for flag in found.flags] == ["paraphrase_by_rule"]
    assert found.model == "fake-model-1"
    assert "3 different versions" in model.prompts[0]


async def test_the_last_user_message_is_reworded() -> None:
    found = await reword(log_of(("u", "Hello."), ("a", "Hi!"), WORDS, ("a", "Sure.")), 1, Call())
    assert found.message == WORDS[1]
    with pytest.raises(InvalidRequest):
        await reword(log_of(("a", "Hi!")), 1, Call())


@dataclass
class Moody:
    """A recommender that fails on some words."""

    received: list[Sequence[Message]]

    async def reply(self, messages: Sequence[Message]) -> Reply:
        self.received.append(messages)
        match messages[-1].content:
            case "error":
                raise RecommenderFailed(Failure.ERROR, "status 500")
            case "nothing":
                return Reply("")
            case text:
                return Reply(f"You said {text}.", ("Paper Comets (2015)",))


async def test_each_wording_is_sent_with_what_came_before() -> None:
    crs = Moody([])
    log = log_of(("u", "Hello."), ("a", "Hi!"), WORDS, ("a", "Sure."))
    replies = await ask_each(crs, log, ["one", "error", "nothing", "two"], Call())
    assert [reply.failure for reply in replies] == [None, Failure.ERROR, Failure.SILENT, None]
    assert [[message.content for message in one][:2] for one in crs.received] == [["Hello.", "Hi!"]] * 4
    assert {len(one) for one in crs.received} == {3}
    assert [(first.text, second.text) for first, second in pairs(replies)] == [("one", "two")]
    assert pairs(replies[1:]) == ()
