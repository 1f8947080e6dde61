"""The session as a language model reads it: the talk, and items that were shown."""

from collections.abc import Iterable, Iterator

from ..domain.conversation import Item, Message, Role
from ..prompts import neutralise, one_line
from .scene import Scene

NOTHING_SAID = "(Nobody has spoken yet.)"


def transcript(scene: Scene) -> str:
    """The session's words, the user's as <you>, the other side's as <recommender>, and the items of a reply's parts.
    `recommendations` are left out: who may see them is each simulator's own affair."""
    lines = []
    for message in scene.said:
        tag = "you" if message.role is Role.USER else "recommender"
        shown = "".join(f"\n[shows] {line}" for line in _cards(message))
        lines.append(f"<{tag}>{neutralise(message.content)}{shown}</{tag}>")
    return "\n".join(("<conversation>", *(lines or [NOTHING_SAID]), "</conversation>"))


def _cards(message: Message) -> Iterator[str]:
    """The items of a message's parts, each on a line."""
    for card in message.cards if message.parts else ():
        yield "; ".join(item_card(card.item).splitlines()) if card.item else one_line(card.reference)


def numbered_cards(items: Iterable[Item]) -> str:
    """Return what is known of several items, each between tags with its number, from 1 on."""
    return "\n".join(
        f'<item number="{number}">\n{item_card(item)}\n</item>' for number, item in enumerate(items, 1)
    )


def item_card(item: Item) -> str:
    """Return what is known of an item, a line each: no field of it can add another."""
    lines = [f"Title: {one_line(item.title)}"]
    lines += [f"{one_line(name)}: {one_line(', '.join(values))}" for name, values in item.attributes.items()]
    if item.price is not None:
        lines.append(f"Price: {item.price:g} {one_line(item.currency or '')}".rstrip())
    if item.rating is not None:
        lines.append(f"Rating: {item.rating:g}")
    if item.stock is not None:
        lines.append(f"In stock: {item.stock}")
    if item.description:
        lines.append(f"About it: {one_line(item.description)}")
    return "\n".join(lines)
