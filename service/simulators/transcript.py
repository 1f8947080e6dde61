"""What a language model reads of a session: the talk, and items that were shown."""

from collections.abc import Iterable

from ..domain.conversation import Item, Role
from ..prompts import neutralise, one_line
from .offers import Offer
from .scene import Scene

NOTHING_SAID = "(Nobody has spoken yet.)"


def transcript(scene: Scene) -> str:
    """The session's words, the user's as <you>, the other side's as <recommender>. Lists are left
    out: who may see them is each simulator's own affair."""
    lines = []
    for message in scene.said:
        tag = "you" if message.role is Role.USER else "recommender"
        lines.append(f"<{tag}>{neutralise(message.content)}</{tag}>")
    return "\n".join(("<conversation>", *(lines or [NOTHING_SAID]), "</conversation>"))


def item_card(item: Item, title: str | None = None) -> str:
    """Return what is known of an item, a line each: no field of it can add another."""
    lines = [f"Title: {one_line(title or item.title)}"]
    lines += [f"{one_line(name)}: {one_line(', '.join(values))}" for name, values in item.attributes.items()]
    if item.description:
        lines.append(f"About it: {one_line(item.description)}")
    return "\n".join(lines)


def offer_cards(offers: Iterable[Offer]) -> str:
    """Numbered cards of shown items, with what is known of each."""
    return "\n".join(
        f'<item number="{number}">\n{item_card(offer.item or Item(offer.title), offer.title)}\n</item>'
        for number, offer in enumerate(offers, start=1)
    )
