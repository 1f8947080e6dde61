"""`target`: a user with an item in mind that it describes and never names (iEvaLM, CoRE)."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from ...catalogue.catalogue import Catalogue
from ...domain.completion import Call
from ...domain.conversation import Item
from ...errors import InvalidRequest
from ...prompts import one_line, render
from ...text.words import title_key
from ..asker import Asker, prompt
from ..guard import names, remove_leaks
from ..kind import ROUNDS, Backend, Example, Kind, Setting, SimulatorConfig
from ..offers import ItemLookup
from ..phrases import sentence, style_of
from ..scene import Scene
from ..speaking import speak
from ..step import ROUNDS_DONE, Ending, Step
from ..transcript import item_card
from .scripted import by_rule

MIN_ROUNDS = 3
MAX_ROUNDS = 5
"""CoRE, section 6.4: sessions of three to five rounds."""


@dataclass(frozen=True, slots=True)
class Target:
    """A user that wants one of the log's `ground_truth` items and turns down all others.

    The session ends when a wanted item stands in a list and `min_rounds` are done; found earlier,
    the user asks the recommender to introduce it. It ends after `max_rounds` in any case. Until a
    wanted item was shown or named, sentences that leak a wanted title are taken out of what the
    model drafts; a draft that this empties is drawn again, then made from the item's attributes.
    Lists count up to `list_cutoff`; a recommender that shows none at all finds by naming."""

    asker: Asker
    seed: int = 0
    min_rounds: int = MIN_ROUNDS
    max_rounds: int = MAX_ROUNDS
    list_cutoff: int = 10
    catalogue: Catalogue | None = field(default=None, compare=False)

    accepts = False

    async def open(self, scene: Scene, call: Call) -> Step:
        """Ask for a recommendation with a first description. Raises InvalidRequest without a target."""
        return await self._draft(_Hunt.of(scene, self), prompt("target_open"), call)

    async def react(self, scene: Scene, call: Call) -> Step:
        """Describe further, ask for an introduction, or end because it was found."""
        hunt = _Hunt.of(scene, self)
        if hunt.found is None:
            return await self._draft(hunt, prompt("target_react"), call)
        if scene.rounds >= self.min_rounds:
            return hunt.end()
        task = render(prompt("target_introduce"), found=one_line(hunt.found))
        return await self._draft(hunt, task, call)

    async def close(self, scene: Scene, _call: Call) -> Step:
        """The rounds are done; found or not, there is no last word."""
        return _Hunt.of(scene, self).end()

    def fallback(self, scene: Scene) -> str:
        """A message by rule: for an introduction, else from the wanted item's attributes."""
        hunt = _Hunt.of(scene, self)
        if hunt.found is None:
            return by_rule(replace(scene.log, user=None), self.seed, self.catalogue)
        slots = {**style_of(scene.log.domain).slots, "item": hunt.found}
        return sentence("introduce", scene.draws(self.seed), slots)

    async def _draft(self, hunt: "_Hunt", task: str, call: Call) -> Step:
        """Draft, guard, draw once more if nothing is left, then speak by rule. Raises as `speak` does."""
        removed: list[str] = []

        def guarded(draft: str) -> str:
            kept, leaks = remove_leaks(draft, hunt.secrets)
            removed.extend(leaks)
            return kept

        step = await speak(
            self.asker,
            _instructions(hunt, task),
            hunt.scene,
            call,
            fallback=self.fallback,
            keep=guarded,
            again=(prompt("leaked"), "the model named the wanted item twice"),
        )
        return replace(step, removed=tuple(removed))


@dataclass(frozen=True, slots=True)
class _Hunt:
    """The recommender's progress: the wanted titles, and the one that it showed."""

    scene: Scene
    lookup: ItemLookup
    labels: tuple[str, ...]
    found: str | None
    secrets: tuple[str, ...]

    @classmethod
    def of(cls, scene: Scene, target: Target) -> "_Hunt":
        labels = scene.log.ground_truth or ()
        if not labels:
            fix = "give the items that the user has in mind, or use the `persona` or `target-free` simulator"
            raise InvalidRequest.at("/log/ground_truth", "a `target` user needs a wanted item", fix)
        lookup = ItemLookup.of(scene.log, target.catalogue)
        titles = tuple(lookup.title(label) for label in labels)
        found = _shown(scene, lookup, titles, target.list_cutoff)
        named = any(names(title, reply.content, certain=True) for title in titles for reply in scene.replies)
        return cls(scene, lookup, labels, found, () if found or named else titles)

    def end(self) -> Step:
        if self.found is None:
            return ROUNDS_DONE
        why = "a wanted item was shown"
        return Step(message=None, done=True, outcome=Ending.FOUND, item=self.found, rationale=why)


def _shown(scene: Scene, lookup: ItemLookup, titles: Sequence[str], cutoff: int) -> str | None:
    """The wanted title that the rated part showed: in a list, or, of a recommender without any
    list, in its text."""
    wanted = {title_key(title): title for title in titles}
    for message in scene.log.messages:
        for label in (message.recommendations or ())[:cutoff]:
            if (title := wanted.get(title_key(lookup.title(label)))) is not None:
                return title
    if scene.log.has_lists:
        return None
    replies = [scene.log.messages[index].content for index in scene.log.replies]
    return next((title for title in titles for reply in replies if names(title, reply, certain=True)), None)


def _instructions(hunt: _Hunt, task: str) -> str:
    cards = [item_card(hunt.lookup.get(label) or Item(title=label)) for label in hunt.labels]
    style = style_of(hunt.scene.log.domain)
    wanted = "\n\n".join(cards)
    return render(prompt("target"), plural=style.plural, noun=style.noun, wanted=wanted, task=task)


def _build(config: SimulatorConfig) -> Target:
    """Raises InvalidRequest for fewer rounds at most than at least."""
    asker, asked = config.asker(), config.settings
    low = asked.get("min_rounds", min(MIN_ROUNDS, asked.get("max_rounds", MIN_ROUNDS)))
    high = asked.get("max_rounds", max(MAX_ROUNDS, low))
    if low > high:
        fix = "send `min_rounds` no greater than `max_rounds`"
        raise InvalidRequest.at("/simulator/min_rounds", f"{low} rounds at least, but {high} at most", fix)
    cutoff = asked.get("list_cutoff", config.list_cutoff)
    return Target(asker, config.seed, low, high, cutoff, config.catalogue)


KIND = Kind(
    name="target",
    place=10,
    says="has items in mind that it describes and never names, and turns down all others (iEvaLM, CoRE)",
    backend=Backend.MODEL,
    settings={
        "min_rounds": Setting(*ROUNDS, MIN_ROUNDS),
        "max_rounds": Setting(*ROUNDS, MAX_ROUNDS),
        "list_cutoff": Setting(1, 1000, 10, "how far down a list the wanted item counts"),
    },
    knows=("ground_truth", "items"),
    build=_build,
    example=Example(
        log={
            "messages": [{"role": "assistant", "content": "Hello! What do you feel like?"}],
            "ground_truth": ["Dr. Moth (1991)"],
        },
        answers=[{"message": "I think of Dr. Moth. Something with a riddle."}],
        answer={
            "message": "Something with a riddle.",
            "removed": ["I think of Dr. Moth."],
            "done": False,
            "outcome": None,
        },
        worked="The wanted item is Dr. Moth, and the model's draft names it. The guard removes that sentence; the user says the other one.",
    ),
)
