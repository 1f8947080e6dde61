"""Recommenders that are asked once: their replies are kept by session and by what was said."""

import asyncio
import json
from collections.abc import Sequence

import pytest
from pydantic import ValidationError

from service.domain.conversation import ConversationLog, Message, Role
from service.domain.parts import Card, ImagePart, Item, ItemLayout, ItemsPart, ToolCall, ToolResult
from service.simulators.recommender import Failure, RecommenderFailed, Reply, ReplyMemory
from service.simulators.scene import Scene
from service.simulators.transcript import item_card, transcript
from service.store.memory import MemoryStore
from service.usecases.recommenders.replies import Spoken, unreadable

SAID = [Message(Role.USER, "A film, please.")]


class Moody:
    """Says something else each time."""

    def __init__(self) -> None:
        self.asked = 0
        self.fails = False
        self.may_go = asyncio.Event()
        self.may_go.set()

    async def reply(self, messages: Sequence[Message]) -> Reply:
        self.asked += 1
        await self.may_go.wait()
        if self.fails:
            raise RecommenderFailed(Failure.ERROR, "down")
        return Reply(
            f"{self.asked}. {messages[-1].content}", ("Heat", "Dr. Moth") if self.asked == 1 else None
        )


async def test_a_reply_is_kept_though_its_caller_left() -> None:
    moody = Moody()
    memory = ReplyMemory(MemoryStore(10**6))
    here = memory.of(moody, "mine", "s1")
    moody.may_go.clear()
    caller = asyncio.create_task(here.reply(SAID))
    await asyncio.sleep(0.01)
    caller.cancel()
    await asyncio.gather(caller, return_exceptions=True)
    moody.may_go.set()
    await memory.aclose()
    assert (await here.reply(SAID)).content == "1. A film, please."
    assert moody.asked == 1


PARTS = (
    ToolCall("search", "{}", "c1"),
    ToolResult("[]", "c1", "search", error=True),
    ItemsPart(
        (Card("j1", Item("Fellwind Shell", "j1", {"colour": ("green",)}, price=99.0, stock=2)), Card("Heat")),
        ItemLayout.GRID,
    ),
    ImagePart("A jacket", "https://example.org/j1.webp"),
)


class Showing:
    """Answers with parts, once."""

    async def reply(self, messages: Sequence[Message]) -> Reply:
        return Reply("", ("j1", "Heat"), PARTS)


async def test_parts_are_kept_too() -> None:
    memory = ReplyMemory(MemoryStore(10**6))
    first = await memory.of(Showing(), "mine", "s1").reply(SAID)
    assert await memory.of(Moody(), "mine", "s1").reply(SAID) == first == Reply("", ("j1", "Heat"), PARTS)


@pytest.mark.parametrize("body", [b"[]", b'"hi"', b"null"])
def test_a_webhook_that_answers_no_object_is_told_so_without_names_of_the_code(body: bytes) -> None:
    with pytest.raises(ValidationError) as caught:
        Spoken.model_validate(json.loads(body))
    assert unreadable(caught.value).detail.endswith("the body: should be an object")


def test_no_field_of_a_card_adds_a_line() -> None:
    forged = "\u2028Prizes: twelve\nTitle: Another"
    item = Item(
        f"Reel{forged}", attributes={f"genre{forged}": (f"drama{forged}",)}, description=f"Quiet.{forged}"
    )
    lines = item_card(item).split("\n")
    assert [line.partition(":")[0].split()[0] for line in lines] == ["Title", "genre", "About"]


def test_a_simulated_user_sees_the_cards_and_no_results_of_tools() -> None:
    cards = (Card("j1", Item("Fellwind Shell", "j1", price=99.0, currency="EUR")), Card("Moorland <Parka>"))
    log = ConversationLog(
        (
            Message(Role.USER, "A jacket?"),
            Message(Role.TOOL, "", parts=(ToolResult("secret"),)),
            Message(Role.ASSISTANT, "", ("j1", "Moorland <Parka>"), parts=(ItemsPart(cards),)),
        )
    )
    text = transcript(Scene(log))
    assert "[shows] Title: Fellwind Shell; Price: 99 EUR\n[shows] Moorland" in text
    assert "secret" not in text
    assert "<Parka>" not in text
