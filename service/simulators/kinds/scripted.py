"""`scripted`: a user without a language model, in any domain, the same for the same seed."""

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from ...catalogue.catalogue import Catalogue
from ...domain.completion import Call
from ...domain.conversation import ConversationLog, Item
from ..agenda import Memory, Move, Wish, decide, recall
from ..claims import belief
from ..guard import names
from ..kind import ROUNDS, Backend, Example, Kind, Setting
from ..offers import ItemLookup
from ..phrases import Persona, fresh_sentence, joined, persona_of, style_of
from ..scene import Scene
from ..step import Ending, Step

MAX_ROUNDS = 10
WISHES_OF_A_TARGET = 3
_WORDY = 0.5


@dataclass(frozen=True, slots=True)
class Scripted:
    """An agenda-based user: it reveals its preferences over the turns, answers, asks about items,
    criticises, and accepts or gives up by rule.

    It wants the attributes of the log's user. It accepts an item once the recommender *said* that the item has them all, true or not, as
    CONCEPT's users do. Without attributes it wants the log's ground truth, describes it by its attributes and accepts it on
    sight. Persona and age group decide how much it tells, asks and bears, and how it sounds. What it says and does depends on the
    log, the seed and the temperature alone: the lower that is, the plainer and the more alike it speaks."""

    seed: int = 0
    max_rounds: int = MAX_ROUNDS
    temperature: float | None = None
    catalogue: Catalogue | None = field(default=None, compare=False)

    accepts = True

    async def open(self, scene: Scene, _call: Call) -> Step:
        """The first message: the wishes that this persona tells at once."""
        actor = self._actor(scene)
        tells = actor.wish.attributes[: actor.persona.reveals]
        message = actor.phrase("open" if tells else "open_vague", tells=tells)
        opening = actor.flavour(actor.persona.opening)
        return Step(
            message=_text(opening, message, actor.flavour(actor.persona.speech)), rationale="it opens"
        )

    async def react(self, scene: Scene, _call: Call) -> Step:
        """The next message, or the end: accepted, or given up."""
        actor = self._actor(scene)
        return actor.perform(actor.decide())

    async def close(self, scene: Scene, _call: Call) -> Step:
        """The last message: an item that just now convinced is still accepted."""
        actor = self._actor(scene)
        move = actor.decide()
        if move.ending is None:
            move = Move("run_out", "its rounds are done", ending=Ending.TURN_LIMIT, pleased=False)
        return actor.perform(move)

    def fallback(self, scene: Scene) -> str:
        """Return what it wants, or a plea for a suggestion once it has begun."""
        actor = self._actor(scene)
        wants = actor.wish.attributes
        act = "ask_suggestion" if scene.opened else "open"
        return actor.phrase(act if wants else f"{act}_vague", tells=wants)

    def _actor(self, scene: Scene) -> "_Actor":
        lookup = ItemLookup.of(scene.log, self.catalogue)
        return _Actor(
            scene=scene,
            lookup=lookup,
            persona=persona_of(scene.user),
            wish=wish_of(scene.log, lookup, self.seed),
            rng=scene.draws(self.seed),
            temperature=self.temperature,
        )


def by_rule(log: ConversationLog, seed: int, catalogue: Catalogue | None) -> str:
    """A message without a model: what the log's user wants, as the scripted user would put it."""
    return Scripted(seed, catalogue=catalogue).fallback(Scene(log))


def wish_of(log: ConversationLog, lookup: ItemLookup, seed: int) -> Wish:
    """Return what the user of a log wants, in the order in which it will tell it."""
    rng = random.Random(f"{seed}/wish")  # noqa: S311
    if log.user and log.user.attributes:
        wanted = list(dict.fromkeys(a.strip() for a in log.user.attributes if a.strip()))
        rng.shuffle(wanted)
        return Wish(tuple(wanted), (), _dimensions(wanted, lookup))
    titles = tuple(lookup.title(label) for label in log.ground_truth or ())
    known = [item for label in log.ground_truth or () if (item := lookup.get(label)) is not None]
    pairs = _pairs(known[0], titles) if known else []
    rng.shuffle(pairs)
    chosen = pairs[:WISHES_OF_A_TARGET]
    return Wish(
        tuple(value for _, value in chosen), titles, {value: dimension for dimension, value in chosen}
    )


def _pairs(item: Item, titles: Sequence[str]) -> list[tuple[str, str]]:
    """An item's (dimension, value) pairs that do not give its title away."""
    return [
        (dimension, value)
        for dimension, values in sorted(item.attributes.items())
        for value in values
        if not any(names(title, value) for title in titles)
    ]


def _dimensions(wanted: Sequence[str], lookup: ItemLookup) -> Mapping[str, str]:
    """The dimension of each wanted attribute, where a given item has it."""
    missing = {attribute.casefold(): attribute for attribute in wanted}
    found: dict[str, str] = {}
    for item in lookup.catalogue.items if lookup.catalogue else ():
        if not missing:
            break
        for dimension, values in item.attributes.items():
            for value in values:
                if (attribute := missing.pop(value.casefold(), None)) is not None:
                    found[attribute] = dimension
    return found


@dataclass(frozen=True)
class _Actor:
    """A user in a scene: finds words for its moves."""

    scene: Scene
    lookup: ItemLookup
    persona: Persona
    wish: Wish
    rng: random.Random
    temperature: float | None

    @cached_property
    def memory(self) -> Memory:
        return recall(self.scene, self.wish, self.lookup)

    def decide(self) -> Move:
        return decide(self.scene, self.wish, self.persona, self.lookup, self.memory)

    def phrase(self, act: str, *, tells: Sequence[str] = (), item: str = "") -> str:
        """A sentence for an act that this user has not said before, if there is one."""
        listed = joined(tells)
        slots = {**style_of(self.scene.log.domain).slots, "item": item}
        slots |= {"wants": listed, "lacks": listed, "asks": listed}
        return fresh_sentence(act, self.rng, slots, self.scene.own_text, self.temperature)

    def flavour(self, words: Sequence[str]) -> str:
        """Now and then a word of the persona's; the more often, the higher the temperature is."""
        often = _WORDY * (1 if self.temperature is None else self.temperature)
        return self.rng.choice(words) if words and self.rng.random() < often else ""

    def perform(self, move: Move) -> Step:
        message = self.phrase(move.act, tells=move.tells, item=move.item.title if move.item else "")
        mood = {True: self.persona.pleased, False: self.persona.displeased, None: ()}[move.pleased]
        return Step(
            message=_text(self.flavour(mood), message),
            done=move.ending is not None,
            outcome=move.ending,
            thoughts=self._thoughts(move),
            satisfaction=self._satisfaction(move),
            rationale=move.why,
            item=move.item.label if move.item and move.ending else None,
        )

    def _thoughts(self, move: Move) -> str:
        mood = {True: self.persona.pleased, False: self.persona.displeased}.get(move.pleased or False)
        feeling = self.rng.choice(mood) if mood and move.pleased is not None else ""
        if move.item is None:
            return _text(feeling, f"I {'am done' if move.ending else 'have no item to think about yet'}.")
        held = belief(move.item, self.wish.attributes, self.scene.said, self.memory.seen)
        open_wishes = [wanted for wanted in self.wish.attributes if not held.get(wanted)]
        lacks = (
            f"I have yet to hear of {joined(open_wishes)}" if open_wishes else "I heard all that I hoped for"
        )
        return _text(feeling, f"About {move.item.title} {lacks}.")

    def _satisfaction(self, move: Move) -> int | None:
        """1-5 by rule: 5 for an acceptance without a setback, 1 for giving up."""
        if move.ending is None:
            return None
        if move.ending is not Ending.ACCEPTED:
            return 1 if move.ending is Ending.GAVE_UP else 2
        setbacks = self.memory.setbacks
        return 5 if setbacks == 0 else 4 if setbacks <= 2 else 3


def _text(*parts: str) -> str:
    return " ".join(part for part in parts if part)


KIND = Kind(
    name="scripted",
    place=40,
    says="speaks by rule, the same for the same seed: asks, answers, criticises, and accepts what has all of its wishes",
    backend=Backend.RULES,
    settings={"max_rounds": Setting(*ROUNDS, MAX_ROUNDS)},
    knows=(
        "user.persona",
        "user.persona_description",
        "user.age_group",
        "user.attributes",
        "ground_truth",
        "items",
    ),
    build=lambda config: Scripted(
        config.seed, temperature=config.temperature, catalogue=config.catalogue, **config.settings
    ),
    example=Example(
        log={
            "messages": [
                {"role": "user", "content": "A playful mystery, please."},
                {
                    "role": "assistant",
                    "content": "I recommend Dr. Moth (1991). It is a playful mystery.",
                    "recommendations": ["Dr. Moth (1991)"],
                },
            ],
            "user": {"persona": "Trust", "attributes": ["playful", "mystery"]},
            "items": [
                {"title": "Dr. Moth (1991)", "attributes": {"genre": ["mystery"], "mood": ["playful"]}}
            ],
        },
        answer={"done": True, "outcome": "accepted", "item": "Dr. Moth (1991)", "satisfaction": 5},
        worked="The first suggestion, Dr. Moth, has both attributes that the user wants: it accepts, with satisfaction 5.",
    ),
)
