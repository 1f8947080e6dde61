"""Logs to hold against their sources: jackets in a shop."""

import json
from collections.abc import Mapping, Sequence

from service.catalogue.catalogue import Catalogue
from service.domain.conversation import ConversationLog, Message, Role, User
from service.domain.parts import Card, Item, ItemsPart, Part, ToolCall, ToolResult
from service.grounding.grounding import Grounding

JACKETS = (
    {"id": "j1", "title": "Fellwind Shell", "price": 109.0, "currency": "EUR", "stock": 6, "rating": 4.4, "colour": "green", "hood": True, "weight": "540 g"},
    {"id": "j2", "title": "Moorland Parka", "price": 89.5, "currency": "EUR", "stock": 0, "rating": 4.1, "colour": "blue", "hood": False},
    {"id": "j3", "title": "Skerry Coat", "price": 139.0, "currency": "EUR", "stock": 3, "rating": 4.7, "colour": "red", "hood": True},
)  # fmt: skip


def user(text: str) -> Message:
    return Message(Role.USER, text)


def reply(text: str, *cards: Card) -> Message:
    shown = (ItemsPart(cards),) if cards else ()
    return Message(Role.ASSISTANT, text, tuple(card.reference for card in cards) or None, parts=shown)


def card(title: str, **says: object) -> Card:
    return Card(title, Item(title, **says))  # type: ignore[arg-type]


def searched(result: object = JACKETS, *, name: str = "search", call: str = "c1") -> tuple[Message, ...]:
    """A call of a tool and its answer."""
    said = result if isinstance(result, str) else json.dumps(result)
    parts: tuple[Part, ...] = (ToolResult(said, call, name),)
    return (
        Message(Role.ASSISTANT, "", parts=(ToolCall(name, "{}", call),)),
        Message(Role.TOOL, "", parts=parts),
    )


def grounding(
    *messages: Message,
    items: Sequence[Item] = (),
    attributes: Sequence[str] = (),
    catalogue: Catalogue | None = None,
) -> Grounding:
    wants = User(attributes=tuple(attributes)) if attributes else None
    log = ConversationLog(messages, domain="shopping", items=tuple(items), user=wants)
    return Grounding(log, Catalogue.of_log(log, catalogue))


def jacket_items() -> tuple[Item, ...]:
    """The jackets as items of a log."""
    return tuple(map(_item, JACKETS))


def _item(record: Mapping[str, object]) -> Item:
    return Item(
        str(record["title"]),
        str(record["id"]),
        {"colour": (str(record["colour"]),)},
        price=float(str(record["price"])),
        currency="EUR",
        rating=float(str(record["rating"])),
        stock=int(str(record["stock"])),
    )
