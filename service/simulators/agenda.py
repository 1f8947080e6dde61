"""The scripted user's agenda: what it remembers of the session, and its next move by rule."""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import islice

from ..domain.conversation import Role
from ..text.words import sentences, title_key
from .claims import Attributes, belief
from .guard import names
from .offers import ItemLookup, Offer, offers
from .phrases import Persona
from .scene import Scene
from .step import Ending

TOP = 4
"""The number of items of a list that a user looks at: those of PEPPER's item interface."""
REMEMBERED = 100
"""Offers that a user remembers, the latest."""

_REFUSES = re.compile(
    r"\b(?:no|not|never|missing|turned|would be fine if|closer|already)\b|n['\u2019]t\b", re.IGNORECASE
)
_COMPLAINS = re.compile(
    r"said exactly that|repeating yourself|same answer|didn['\u2019]t get an answer|still there",
    re.IGNORECASE,
)
_PLEADS = re.compile(r"\b(?:recommend|suggest|name a|hoping for a title)\b", re.IGNORECASE)
_OPEN_QUESTION = re.compile(r"\b(?:what|which|who|whose|where|when|how|any|tell me|or)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Wish:
    """The user's wish: attributes in the order in which it tells them, and, where it has a certain item in
    mind, the titles that it would recognise. `dimensions` maps an attribute to its dimension where the
    given items have it."""

    attributes: tuple[str, ...]
    titles: tuple[str, ...]
    dimensions: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Move:
    """The user's next move: an act of `phrases.toml`, on which item, telling or asking what."""

    act: str
    why: str
    item: Offer | None = None
    tells: tuple[str, ...] = ()
    ending: Ending | None = None
    pleased: bool | None = None


@dataclass(frozen=True, slots=True)
class Memory:
    """The user's own messages, read back: wishes stated, items turned down or asked about by their key, and
    how often something went wrong."""

    stated: tuple[str, ...]
    refused: frozenset[str]
    asked: Mapping[str, int]
    setbacks: int
    discussed: Offer | None
    seen: tuple[Offer, ...]


def recall(scene: Scene, wish: Wish, lookup: ItemLookup) -> Memory:
    """Read the session back from its log, so that nothing need be kept between two steps."""
    stated: dict[str, None] = {}
    refused: set[str] = set()
    asked: Counter[str] = Counter()
    setbacks = 0
    discussed: Offer | None = None
    seen: dict[str, Offer] = {}
    attributes = Attributes(wish.attributes)
    for index, message in enumerate(scene.said):
        if message.role is Role.ASSISTANT:
            seen.update((offer.key, offer) for offer in offers([message], lookup, TOP))
            seen = dict(islice(seen.items(), max(0, len(seen) - REMEMBERED), None))
            continue
        named = attributes.in_sentence(message.content)
        stated.update((wanted, None) for wanted in (wish.attributes if named else ()) if wanted in named)
        about = [offer for offer in seen.values() if names(offer.title, message.content)]
        turned_down = {offer.key for offer in about if _refuses(offer.title, message.content)}
        refused |= turned_down
        questioned = [offer for offer in about if offer.key not in turned_down and "?" in message.content]
        asked.update(offer.key for offer in questioned)
        discussed = questioned[0] if questioned else None
        pleads = index > 0 and not about and _PLEADS.search(message.content)
        setbacks += bool(turned_down or pleads or _COMPLAINS.search(message.content))
    return Memory(tuple(stated), frozenset(refused), asked, setbacks, discussed, tuple(seen.values()))


def decide(scene: Scene, wish: Wish, persona: Persona, lookup: ItemLookup, memory: Memory) -> Move:
    """The user's next move after a reply of the recommender."""
    shown = offers(scene.last_reply, lookup, TOP)
    recognised = next(
        (
            offer
            for offer in shown
            if any(title_key(title) == offer.key or names(title, offer.title) for title in wish.titles)
        ),
        None,
    )
    if recognised is not None:
        return Move("accept", "a wanted item was shown", recognised, ending=Ending.ACCEPTED, pleased=True)
    if memory.setbacks >= persona.patience:
        why = f"{memory.setbacks} setbacks spent its patience"
        return Move("give_up", why, ending=Ending.GAVE_UP, pleased=False)
    if not scene.last_text and not shown:
        return _complaint("complain_silent", "the reply was empty", wish, memory)
    item = _subject(shown, memory, asks=_question(scene.last_text) is not None)
    if item is not None:
        return _judge(item, scene, wish, persona, memory)
    return _without_news(shown, scene, wish, persona, memory)


def _without_news(shown: Sequence[Offer], scene: Scene, wish: Wish, persona: Persona, memory: Memory) -> Move:
    """The move after a reply that puts no new item forward."""
    if _repeats(scene):
        return _complaint("complain_repeat", "the reply was the same as an earlier one", wish, memory)
    if asked := _question(scene.last_text):
        return _answer(asked, wish, persona, memory)
    if shown:
        lacks = _lacking(wish, memory, {})
        act = "complain_again" if lacks else "reject_vague"
        return Move(act, "an item came back that it had turned down", shown[0], lacks, pleased=False)
    tells = _next(wish, memory, persona.reveals) or memory.stated
    act = "ask_suggestion" if tells else "ask_suggestion_vague"
    return Move(act, "the reply neither asked nor recommended", tells=tells)


def _subject(shown: Sequence[Offer], memory: Memory, *, asks: bool) -> Offer | None:
    """The item to talk about: a new one that the text names, the one asked about, then the first
    new one of the list, unless the reply asks: lists often come along with any reply."""
    fresh = [offer for offer in shown if offer.key not in memory.refused]
    named = [offer for offer in fresh if offer.named]
    discussed = memory.discussed
    if discussed is not None and (not named or any(offer.key == discussed.key for offer in named)):
        return discussed
    if named:
        return named[0]
    return fresh[0] if fresh and not asks and not any(offer.named for offer in shown) else None


def _judge(item: Offer, scene: Scene, wish: Wish, persona: Persona, memory: Memory) -> Move:
    held = belief(item, wish.attributes, scene.said, memory.seen)
    lacks = _lacking(wish, memory, held)
    asked = memory.asked.get(item.key, 0)
    if wish.titles:
        return _not_wanted(item, asked, lacks, wish)
    if not lacks and asked >= persona.questions:
        return Move(
            "accept",
            f"it was told that {item.title} has all it wants",
            item,
            ending=Ending.ACCEPTED,
            pleased=True,
        )
    if not lacks:
        return Move(
            "ask_item_more" if wish.attributes else "ask_item_vague",
            "it wants to know more",
            item,
            pleased=True,
        )
    if False in held.values():
        return Move("criticise", f"{item.title} was said to lack something", item, lacks, pleased=False)
    if asked < max(1, persona.questions):
        return Move("ask_item", f"it does not know yet whether {item.title} fits", item, lacks[:2])
    return Move("reject", f"it was not told that {item.title} fits", item, lacks, pleased=False)


def _not_wanted(item: Offer, asked: int, lacks: tuple[str, ...], wish: Wish) -> Move:
    act = "criticise" if asked == 0 and lacks else "reject"
    tells = lacks or wish.attributes
    return Move(
        act if tells else "reject_vague",
        f"{item.title} is not what it has in mind",
        item,
        tells,
        pleased=False,
    )


def _lacking(wish: Wish, memory: Memory, held: Mapping[str, bool]) -> tuple[str, ...]:
    """Wishes that an item has not been said to meet, those stated already first: one new one at most."""
    stated = [wanted for wanted in memory.stated if not held.get(wanted)]
    unstated = [wanted for wanted in wish.attributes if wanted not in memory.stated and not held.get(wanted)]
    return tuple(stated + unstated[:1])


def _answer(question: str, wish: Wish, persona: Persona, memory: Memory) -> Move:
    mentioned = Attributes(wish.attributes).in_sentence(question)
    named = tuple(wanted for wanted in wish.attributes if wanted in mentioned)
    if named and not _OPEN_QUESTION.search(question):
        return Move("confirm_yes", "it was asked whether it wants this", tells=named)
    dimensions = set(Attributes(wish.dimensions.values()).in_sentence(question))
    fitting = tuple(wanted for wanted in wish.attributes if wish.dimensions.get(wanted) in dimensions)
    if named or fitting:
        return Move("answer", "it was asked for this", tells=named or fitting)
    fresh = _next(wish, memory, persona.reveals)
    if not fresh:
        act = "nothing_else" if wish.attributes else "answer_vague"
        return Move(act, "it has told all it wants", tells=memory.stated or wish.attributes)
    if not _OPEN_QUESTION.search(question):
        return Move("answer_no_preference", "it was asked for something else than it wants", tells=fresh)
    return Move("answer", "it was asked what it wants", tells=fresh)


def _next(wish: Wish, memory: Memory, count: int) -> tuple[str, ...]:
    return tuple(wanted for wanted in wish.attributes if wanted not in memory.stated)[:count]


def _complaint(act: str, why: str, wish: Wish, memory: Memory) -> Move:
    lacks = _lacking(wish, memory, {})
    return Move(act if lacks else f"{act}_vague", why, tells=lacks, pleased=False)


def _question(text: str) -> str | None:
    asked = [span.of(text) for span in sentences(text) if span.of(text).rstrip("\"'”) ").endswith("?")]
    return asked[-1] if asked else None


def _repeats(scene: Scene) -> bool:
    earlier = scene.replies[: len(scene.replies) - len(scene.last_reply)]
    return any(title_key(reply.content) == title_key(scene.last_text) for reply in earlier)


def _refuses(title: str, text: str) -> bool:
    return any(_REFUSES.search(span.of(text)) for span in sentences(text) if names(title, span.of(text)))
