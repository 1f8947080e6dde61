"""What a language model reads of a session: the talk, and items that were shown."""

from ..domain.conversation import Item, Role
from ..prompts import neutralise, one_line
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
