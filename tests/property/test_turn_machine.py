"""Whatever a policy drafts and a recommender answers: never an empty message, never two openings,
never a restart, always an end."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass

from hypothesis import given, settings
from hypothesis import strategies as st

from service.domain.completion import Call
from service.domain.conversation import ConversationLog, Message, Role, User
from service.simulators.kinds.scripted import Scripted
from service.simulators.machine import Phase, Simulator
from service.simulators.recommender import Reply
from service.simulators.scene import Scene
from service.simulators.session import Ended, Said, converse
from tests.factories import instance


@dataclass
class Parrot:
    """A recommender that answers from a list, over and over."""

    replies: Sequence[Reply]
    turn: int = 0

    async def reply(self, messages: Sequence[Message]) -> Reply:
        self.turn += 1
        return self.replies[self.turn % len(self.replies)]


async def _events(simulator: Simulator, replies: Sequence[Reply], log: ConversationLog) -> list[Said | Ended]:
    return [event async for event in converse(simulator, Parrot(replies), log, Call())]


def _told(events: Sequence[Said | Ended], role: Role) -> list[str]:
    return [
        event.message.content for event in events if isinstance(event, Said) and event.message.role is role
    ]


@given(
    replies=st.lists(
        st.builds(
            Reply,
            content=st.one_of(
                st.text(min_size=1, max_size=60),
                st.sampled_from(
                    [
                        "What do you like?",
                        "I recommend Moon Bakery (2011). It is a crime film.",
                        "Yes, it is.",
                        'Try "The Glass Oven". It is not a comedy.',
                        "Do you want a comedy?",
                    ]
                ),
            ),
            recommendations=st.one_of(
                st.none(),
                st.lists(st.sampled_from(["Moon Bakery (2011)", "It", "Up"]), max_size=3).map(tuple),
            ),
        ),
        min_size=1,
        max_size=5,
    ),
    seed=st.integers(0, 1000),
    wants=st.lists(st.sampled_from(["crime", "comedy", "1990s", "Ida Vant"]), max_size=3, unique=True),
    persona=st.sampled_from([None, "boredom", "excitement", "frustration"]),
)
@settings(deadline=None, max_examples=150)
def test_a_scripted_user_ends_every_session(
    replies: list[Reply], seed: int, wants: list[str], persona: str | None
) -> None:
    log = ConversationLog(messages=(), user=User(persona=persona, attributes=tuple(wants)))
    events = asyncio.run(_events(Simulator(Scripted(seed)), replies, log))
    words = _told(events, Role.USER)
    last = instance(Ended, events[-1])
    assert all(word.strip() for word in words)
    assert words[0] not in words[1:]
    assert len(_told(events, Role.ASSISTANT)) <= 10
    if any(not reply.content.strip() and not reply.recommendations for reply in replies):
        return  # a recommender that falls silent ends the session itself
    assert last.finished
    assert last.log.outcome is not None
    assert Simulator(Scripted(seed)).phase(Scene(last.log)) is Phase.ENDED
    assert last.log.outcome.accepted is (last.reason == "accepted")
    if last.log.outcome.message is not None:
        assert last.log.messages[last.log.outcome.message].role is Role.USER
