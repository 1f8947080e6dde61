"""`target-free`: a user who knows its taste and no target, and looks at what is shown (PEPPER)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from rapidfuzz import fuzz

from ...catalogue.catalogue import Catalogue
from ...domain.completion import Call, ChatMessage
from ...domain.conversation import Item, SeenItem
from ...domain.verdict import Flag
from ...errors import InvalidRequest
from ...prompts import neutralise, one_line, render
from ...text.words import title_key
from ..asker import Asker, Unanswered, prompt
from ..form import Form
from ..kind import ROUNDS, Backend, Example, Kind, Setting
from ..offers import ItemLookup
from ..phrases import fresh_sentence, joined, style_of
from ..scene import Scene
from ..speaking import speak
from ..step import ROUNDS_DONE, Step
from ..transcript import numbered_cards

MAX_ROUNDS = 20
ITEMS_ON_SCREEN = 4
REPEATED = 90.0


class _Opinion(Form):
    number: int
    likes: list[str]
    dislikes: list[str]


class _Opinions(Form):
    items: list[_Opinion]


_Card = tuple[Item, SeenItem | None]
"""An item on the user's screen, with its own review where it knows the item."""


@dataclass(frozen=True, slots=True)
class TargetFree:
    """A user with general preferences that has no item in mind.

    Each turn it looks at the first `items_on_screen` of the last list with what is known of them. It forms likes and dislikes for
    each: of one that it has seen from its own review, else from its preferences. These reflected preferences are reported as
    `thoughts`. Then it replies, with something new each time. It never settles; the session ends after `max_rounds`. What the log
    holds of wanted items is never read, so none of it can reach a prompt."""

    asker: Asker
    seed: int = 0
    max_rounds: int = MAX_ROUNDS
    items_on_screen: int = ITEMS_ON_SCREEN
    catalogue: Catalogue | None = field(default=None, compare=False)

    accepts = False

    async def open(self, scene: Scene, call: Call) -> Step:
        """Ask for what suits its taste. Raises InvalidRequest without preferences."""
        return await self._draft(scene, "target_free_open", Step(message=None), call)

    async def react(self, scene: Scene, call: Call) -> Step:
        screen = self._screen(scene)
        reflected = await self._reflect(scene, screen, call) if screen else Step(message=None)
        return await self._draft(scene, "target_free_react", reflected, call)

    async def close(self, _scene: Scene, _call: Call) -> Step:
        return ROUNDS_DONE

    def fallback(self, scene: Scene) -> str:
        """A plain request, without the preferences: they are addressed to the user, not spoken by it."""
        act = "ask_suggestion_vague" if scene.opened else "open_vague"
        return fresh_sentence(act, scene.draws(self.seed), style_of(scene.log.domain).slots, scene.own_text)

    def _screen(self, scene: Scene) -> list[_Card]:
        """The items at the top of the last list that was shown."""
        lookup = ItemLookup.of(scene.log, self.catalogue)
        labels: Sequence[str] = next(
            (m.recommendations for m in reversed(scene.last_reply) if m.recommendations), ()
        )
        known = {title_key(lookup.title(seen.item)): seen for seen in scene.user.seen}
        return [
            (lookup.get(label) or Item(title=label), known.get(title_key(lookup.title(label))))
            for label in labels[: self.items_on_screen]
        ]

    async def _reflect(self, scene: Scene, screen: Sequence[_Card], call: Call) -> Step:
        text = render(
            prompt("reflect"),
            plural=style_of(scene.log.domain).plural,
            preferences=_preferences(scene),
            items=numbered_cards(item for item, _ in screen),
            reviews=_reviews(screen),
        )
        answer = await self.asker.ask([ChatMessage("user", text)], _Opinions, call)
        if isinstance(answer, Unanswered):
            flag = Flag("reflection_failed", f"it formed no opinion of what was shown: {answer.detail}")
            return Step(message=None, flags=(flag,), usage=answer.usage)
        opinions = {opinion.number: opinion for opinion in answer.value.items}
        return Step(message=None, thoughts=_reflections(screen, opinions) or None, usage=answer.usage)

    async def _draft(self, scene: Scene, task: str, reflected: Step, call: Call) -> Step:
        """Draft a reply; one that only repeats an earlier one is drawn once more."""

        def keep(draft: str) -> str:
            own = (message.content.casefold() for message in scene.own)
            return "" if any(fuzz.ratio(draft.casefold(), text) > REPEATED for text in own) else draft

        step = await speak(
            self.asker,
            _instructions(scene, reflected.thoughts or "", task),
            scene,
            call,
            fallback=self.fallback,
            keep=keep,
            again=(prompt("repeated"), "the model said twice what it had said before"),
            spent=reflected.usage,
        )
        return replace(step, thoughts=reflected.thoughts, flags=(*reflected.flags, *step.flags))


def _preferences(scene: Scene) -> str:
    if not (scene.user.preferences or "").strip():
        fix = "write what the user likes and dislikes; POST /simulate/profile makes it from reviews"
        raise InvalidRequest.at("/log/user/preferences", "a `target-free` user needs preferences", fix)
    return neutralise(scene.user.preferences or "")


def _instructions(scene: Scene, thoughts: str, task: str) -> str:
    style = style_of(scene.log.domain)
    reflections = f"What you think of the items on your screen:\n<screen>\n{neutralise(thoughts)}\n</screen>"
    return render(
        prompt("target_free"),
        plural=style.plural,
        noun=style.noun,
        preferences=_preferences(scene),
        reflections=reflections if thoughts else "There is nothing on your screen at the moment.",
        task=render(prompt(task), plural=style.plural) if task.endswith("open") else prompt(task),
    )


def _reviews(screen: Sequence[_Card]) -> str:
    """The user's own reviews of what it has seen of these."""
    known = [(number, seen) for number, (_, seen) in enumerate(screen, start=1) if seen is not None]
    if not known:
        return "You know none of them."
    lines = [
        f'<review number="{number}">{neutralise(seen.review or "You know it, and wrote nothing about it.")}</review>'
        for number, seen in known
    ]
    return "\n".join(("You know these already, and wrote of them:", *lines))


def _reflections(screen: Sequence[_Card], opinions: Mapping[int, _Opinion]) -> str:
    """Likes and dislikes as lines, one for each item that an opinion was formed of."""
    lines = []
    for number, (item, seen) in enumerate(screen, start=1):
        opinion = opinions.get(number)
        said = {"likes": opinion.likes, "dislikes": opinion.dislikes} if opinion else {}
        parts = [f"{verb} {joined(list(filter(None, words)))}" for verb, words in said.items() if any(words)]
        if parts:
            lines.append(f"{one_line(item.title)} ({'seen' if seen else 'unseen'}): {'; '.join(parts)}.")
    return "\n".join(lines)


KIND = Kind(
    name="target-free",
    place=30,
    says="knows its taste and has no item in mind; looks at what is shown, and never settles (PEPPER)",
    backend=Backend.MODEL,
    settings={
        "max_rounds": Setting(*ROUNDS, MAX_ROUNDS),
        "items_on_screen": Setting(0, 50, ITEMS_ON_SCREEN, "how many items of a list it looks at"),
    },
    knows=("user.preferences", "user.seen", "items"),
    build=lambda config: TargetFree(
        config.asker(), config.seed, catalogue=config.catalogue, **config.settings
    ),
    example=Example(
        log={
            "messages": [
                {"role": "user", "content": "Something quiet, please."},
                {
                    "role": "assistant",
                    "content": "How about these?",
                    "recommendations": ["Paper Comets (2015)", "Heat (2001)"],
                },
            ],
            "user": {"preferences": "You like quiet films and dislike crime."},
        },
        settings={"items_on_screen": 1},
        answers=[
            {"items": [{"number": 1, "likes": ["animation"], "dislikes": []}]},
            {"message": "The first looks lovely. Is there more like it?"},
        ],
        answer={
            "message": "The first looks lovely. Is there more like it?",
            "thoughts": "Paper Comets (2015) (unseen): likes animation.",
            "done": False,
            "outcome": None,
        },
        worked="The screen shows one item: the user forms an opinion of Paper Comets, none of Heat, and replies accordingly.",
    ),
)
