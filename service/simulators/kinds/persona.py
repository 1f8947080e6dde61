"""`persona`: a user with a mood, an age and wishes, and with no catalogue (CONCEPT)."""

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

from pydantic import Field, field_validator

from ...catalogue.catalogue import Catalogue
from ...domain.completion import NO_USAGE, Call, ChatMessage, Usage
from ...domain.verdict import Flag
from ...errors import InvalidRequest
from ...prompts import one_line, render
from ...text.words import FUNCTION_WORDS, title_key, words
from ..asker import Answered, Asker, Unanswered, prompt
from ..claims import stem
from ..form import Form
from ..guard import names
from ..kind import ROUNDS, Backend, Example, Kind, Setting
from ..offers import ItemLookup, offers
from ..phrases import joined, own_words, persona_of, sentence, style_of
from ..scene import Scene
from ..speaking import refusal_of, spoken_by_rule
from ..step import Ending, Step
from ..transcript import transcript
from .scripted import by_rule

MAX_ROUNDS = 10
MOST_SHOWN = 10
BELIEF, PUBLISHED = "crs-eval", "published"
LONGEST_WORDING = 15
"""Words of a wording: a longer one is a lecture."""
_EVERYWHERE = ("film", "movie", "book", "story")
"""Words that no wording can do without, and that give nothing away."""


class _Wording(Form):
    number: int
    words: str


class _Wordings(Form):
    wordings: list[_Wording]


class _Wish(Form):
    number: int
    met: Literal["yes", "no", "unknown"]


class _Felt(Form):
    feelings: str
    item: str
    decision: Literal["accept", "continue"]
    message: str

    @field_validator("item", mode="before")
    @classmethod
    def _no_item(cls, value: object) -> object:
        return "" if value is None else value


class _Turn(_Felt):
    wishes: list[_Wish]


class _LookingBack(Form):
    feelings: str
    satisfaction: int = Field(ge=1, le=5)


@dataclass(frozen=True, slots=True)
class PersonaUser:
    """A user that notes how it feels before it speaks, and asks about every item it is offered. It knows of an item only what the
    recommender says.

    It accepts when it believes, from what was *said*, that one item meets all its wishes, true or
    not: deception could not be seen otherwise. The belief is asked for wish by wish and put
    together here; a decision that contradicts it is asked once more, and then not followed. The
    published variant decides as its mood does (CONCEPT, appendix B.2.2): an explanation that makes it feel that its
    wishes are met is enough. The wishes reach the model in words other than the catalogue's. The session ends after
    `max_rounds` in any case, and with a question for the user's satisfaction, 1-5. What the log holds of wanted items
    is never read."""

    asker: Asker
    seed: int = 0
    max_rounds: int = MAX_ROUNDS
    variant: str = BELIEF
    catalogue: Catalogue | None = field(default=None, compare=False)
    _words: dict[tuple[str, ...], Mapping[str, str]] = field(
        default_factory=dict, init=False, compare=False, repr=False
    )
    """Wishes in everyday words as the model put them, for the steps of one session."""

    accepts = True

    async def open(self, scene: Scene, call: Call) -> Step:
        """The first message. Raises InvalidRequest for a user without wishes."""
        step = await self._turn(scene, "persona_open", call)
        return replace(step, done=False, outcome=None, item=None)

    async def react(self, scene: Scene, call: Call) -> Step:
        """The next message, or an acceptance."""
        step = await self._turn(scene, "persona_react", call)
        return await self._looking_back(scene, step, call) if step.done else step

    async def close(self, scene: Scene, call: Call) -> Step:
        """The last message, which may still accept."""
        step = await self._turn(scene, "persona_close", call)
        if not step.done:
            step = replace(step, done=True, outcome=Ending.TURN_LIMIT)
        return await self._looking_back(scene, step, call)

    def fallback(self, scene: Scene) -> str:
        """A message by rule that asks for what it wants."""
        return by_rule(replace(scene.log, ground_truth=None), self.seed, self.catalogue)

    async def _turn(self, scene: Scene, task: str, call: Call) -> Step:
        wishes, before = await self._wishes(scene, call)
        form = _Felt if self.variant == PUBLISHED else _Turn
        file = "persona_published" if self.variant == PUBLISHED else "persona"
        messages = (_instructions(scene, wishes, file, task), ChatMessage("user", transcript(scene)))
        answer = await self.asker.ask(messages, form, call)
        usage = before + answer.usage
        if isinstance(answer, Answered) and (problem := _disagreement(answer.value, wishes)) is not None:
            said = ChatMessage("assistant", answer.value.model_dump_json())
            note = ChatMessage("user", render(prompt("persona_disagree"), problem=problem))
            answer = await self.asker.ask((*messages, said, note), form, call, draw=1)
            usage += answer.usage
        if isinstance(answer, Unanswered):
            return spoken_by_rule(self.fallback(scene), refusal_of(answer, usage), usage)
        return self._decided(scene, wishes, answer, usage)

    def _decided(
        self, scene: Scene, wishes: Mapping[int, str], answer: Answered[_Felt], usage: Usage
    ) -> Step:
        turn = answer.value
        step = Step(
            message=turn.message,
            thoughts=turn.feelings or None,
            rationale=_beliefs(turn, wishes),
            usage=usage,
            model=answer.model,
        )
        if turn.decision != "accept":
            return step
        problem = _disagreement(turn, wishes) or _unheard_of(turn.item, scene, self.catalogue)
        if problem is None:
            return replace(step, done=True, outcome=Ending.ACCEPTED, item=turn.item)
        flags = (Flag("acceptance_without_belief", f"the model accepted, but {problem}"),)
        return replace(step, message=_doubt(scene, turn.item, self.seed), flags=flags)

    async def _wishes(self, scene: Scene, call: Call) -> tuple[dict[int, str], Usage]:
        """The wanted attributes by number, in everyday words: those of our table, else the model's; what it took to
        have them. Raises InvalidRequest for a user without wishes."""
        attributes = [attribute for attribute in scene.user.attributes if attribute.strip()]
        if not attributes:
            fix = "say what the wanted items must be like, or use the `target` or `target-free` simulator"
            raise InvalidRequest.at("/log/user/attributes", "a `persona` user needs wishes", fix)
        rng = random.Random(f"{self.seed}/words")  # noqa: S311 - a play, not a secret
        known = [own_words(wish, rng) for wish in attributes]
        missing = tuple(wish for wish, words in zip(attributes, known, strict=True) if words is None)
        usage = NO_USAGE
        if missing and missing not in self._words:
            self._words[missing], usage = await _everyday_words(self.asker, missing, scene.log.domain, call)
        wordings = self._words.get(missing, {})
        named = [words or wordings.get(wish, wish) for wish, words in zip(attributes, known, strict=True)]
        return dict(enumerate(named, start=1)), usage

    async def _looking_back(self, scene: Scene, step: Step, call: Call) -> Step:
        style = style_of(scene.log.domain)
        wishes, before = await self._wishes(scene, call)
        text = render(
            prompt("persona_satisfaction"),
            plural=style.plural,
            description=one_line(persona_of(scene.user).description),
            wishes=_listed(wishes),
            conversation=transcript(scene),
        )
        answer = await self.asker.ask([ChatMessage("user", text)], _LookingBack, call)
        usage = step.usage + before + answer.usage
        if isinstance(answer, Unanswered):
            flag = Flag("satisfaction_unknown", answer.detail)
            return replace(step, usage=usage, flags=(*step.flags, flag))
        thoughts = " ".join(filter(None, (step.thoughts, answer.value.feelings)))
        return replace(step, usage=usage, thoughts=thoughts or None, satisfaction=answer.value.satisfaction)


async def _everyday_words(
    asker: Asker, wishes: Sequence[str], domain: str, call: Call
) -> tuple[Mapping[str, str], Usage]:
    """Other words for each of these, and what they took. A wording that is too long, or that holds a word of its wish, is
    left out; so are all where the model gives no usable answer."""
    style = style_of(domain)
    listed = "\n".join(f"{number}. {one_line(wish)}" for number, wish in enumerate(wishes, start=1))
    text = render(prompt("persona_words"), plural=style.plural, noun=style.noun, words=listed)
    answer = await asker.ask([ChatMessage("user", text)], _Wordings, call)
    if not isinstance(answer, Answered):
        return {}, answer.usage
    given = {one.number: one.words for one in answer.value.wordings}
    common = {stem(word) for word in (style.noun, style.plural, *_EVERYWHERE)}
    found = {
        wish: given[number]
        for number, wish in enumerate(wishes, start=1)
        if number in given and _is_everyday(given[number], wish, common)
    }
    return found, answer.usage


def _is_everyday(wording: str, wish: str, common: set[str]) -> bool:
    said = {stem(word) for word in words(wording)}
    own = {stem(word) for word in words(wish) if word not in FUNCTION_WORDS} - common
    return 0 < len(words(wording)) <= LONGEST_WORDING and not said & own


def _listed(wishes: Mapping[int, str]) -> str:
    return "\n".join(f"{number}. {one_line(words)}" for number, words in wishes.items())


def _instructions(scene: Scene, wishes: Mapping[int, str], file: str, task: str) -> ChatMessage:
    style = style_of(scene.log.domain)
    text = render(
        prompt(file),
        plural=style.plural,
        noun=style.noun,
        description=one_line(persona_of(scene.user).description),
        wishes=_listed(wishes),
        task=prompt(task),
    )
    return ChatMessage("system", text)


def _disagreement(turn: _Felt, wishes: Mapping[int, str]) -> str | None:
    """Return the reason why a decision does not follow from the beliefs; None where it does, and where none were
    asked for. Going on although all is met is no contradiction: there may be a question left."""
    met = {wish.number for wish in turn.wishes if wish.met == "yes"} if isinstance(turn, _Turn) else wishes
    open_wishes = [str(number) for number in wishes if number not in met]
    if turn.decision == "accept" and open_wishes:
        return f"it accepts although wish {joined(open_wishes)} is not believed to be met"
    if turn.decision == "accept" and not turn.item:
        return "it accepts without naming an item"
    return None


def _beliefs(turn: _Felt, wishes: Mapping[int, str]) -> str:
    if not isinstance(turn, _Turn):
        return f"{turn.item or 'no item'} (as it feels: {turn.decision})"
    stands = {wish.number: wish.met for wish in turn.wishes}
    parts = [f"{words}: {stands.get(number, 'unknown')}" for number, words in wishes.items()]
    return f"{turn.item or 'no item'} ({'; '.join(parts)})"


def _unheard_of(item: str, scene: Scene, catalogue: Catalogue | None) -> str | None:
    """Return the reason why an accepted item is not one of the recommender's; None where it is."""
    lookup = ItemLookup.of(scene.log, catalogue)
    shown: Sequence[str] = [offer.title for offer in offers(scene.replies, lookup, MOST_SHOWN)]
    listed = any(title_key(title) == title_key(lookup.title(item)) for title in shown)
    if listed or any(names(item, reply.content) for reply in scene.replies):
        return None
    return f"the recommender never put {item!r} forward"


def _doubt(scene: Scene, item: str, seed: int) -> str:
    """Return what is said in place of an acceptance that was not believed."""
    slots = {**style_of(scene.log.domain).slots, "item": item}
    return sentence("ask_item_more" if item else "ask_suggestion_vague", scene.draws(seed), slots)


KIND = Kind(
    name="persona",
    place=20,
    says="has a mood, an age and wishes; knows only what the recommender says about items (CONCEPT)",
    backend=Backend.MODEL,
    settings={"max_rounds": Setting(*ROUNDS, MAX_ROUNDS)},
    knows=("user.persona", "user.persona_description", "user.age_group", "user.attributes"),
    variants={
        BELIEF: "accepts when it believes that every wish is met",
        PUBLISHED: "decides as its mood does, as the paper's user",
    },
    build=lambda config: PersonaUser(
        config.asker(),
        config.seed,
        variant=config.variant or BELIEF,
        catalogue=config.catalogue,
        **config.settings,
    ),
    example=Example(
        log={
            "messages": [
                {"role": "user", "content": "A quiet film with animals, please."},
                {"role": "assistant", "content": "I recommend Paper Comets (2015). It is quiet."},
            ],
            "user": {"persona": "Trust", "age_group": "adults", "attributes": ["quiet", "animals"]},
        },
        answers=[
            {"wordings": [{"number": 1, "words": "creatures on four legs"}]},
            {
                "feelings": "Curious.",
                "item": "Paper Comets (2015)",
                "wishes": [{"number": 1, "met": "yes"}, {"number": 2, "met": "unknown"}],
                "decision": "continue",
                "message": "Are there animals in it?",
            },
        ],
        answer={
            "message": "Are there animals in it?",
            "done": False,
            "outcome": None,
            "thoughts": "Curious.",
        },
        worked="The model rewords “animals”; the service itself rewords “quiet”. The recommender said that Paper Comets is quiet, and "
        "nothing about animals. The user believes that one of two wishes is met, so it keeps asking.",
    ),
)
