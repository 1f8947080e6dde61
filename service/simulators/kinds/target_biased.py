"""`target-biased`: a user who knows what the wanted items are like, and not what they are called (PEPPER, section 3.2)."""

from dataclasses import dataclass, field, replace

from ...catalogue.catalogue import Catalogue
from ...domain.completion import Call
from ...domain.conversation import Item
from ...errors import InvalidRequest
from ...prompts import render
from ..asker import Asker, prompt
from ..guard import names, remove_leaks
from ..kind import ROUNDS, Backend, Example, Kind, Setting
from ..offers import ItemLookup
from ..phrases import style_of
from ..scene import Scene
from ..speaking import speak
from ..step import ROUNDS_DONE, Step
from ..transcript import item_card
from .scripted import by_rule

MAX_ROUNDS = 20


@dataclass(frozen=True, slots=True)
class TargetBiased:
    """A user that asks for the attributes and plots of the log's `ground_truth` items until its rounds are done.

    It shows what such users do to an evaluation: a recommender finds what they describe, and little else. Titles
    reach no prompt. It never settles, so that it talks as long as a `target-free` user does."""

    asker: Asker
    seed: int = 0
    max_rounds: int = MAX_ROUNDS
    catalogue: Catalogue | None = field(default=None, compare=False)

    accepts = False

    async def open(self, scene: Scene, call: Call) -> Step:
        """Ask for what it describes. Raises InvalidRequest without items of which more than a title is known."""
        return await self._draft(scene, "target_biased_open", call)

    async def react(self, scene: Scene, call: Call) -> Step:
        return await self._draft(scene, "target_biased_react", call)

    async def close(self, _scene: Scene, _call: Call) -> Step:
        return ROUNDS_DONE

    def fallback(self, scene: Scene) -> str:
        """A message by rule, from the wanted items' attributes."""
        return by_rule(replace(scene.log, user=None), self.seed, self.catalogue)

    async def _draft(self, scene: Scene, task: str, call: Call) -> Step:
        style = style_of(scene.log.domain)
        text = render(
            prompt("target_biased"), plural=style.plural, wanted=self._wanted(scene), task=prompt(task)
        )
        return await speak(self.asker, text, scene, call, fallback=self.fallback)

    def _wanted(self, scene: Scene) -> str:
        """Return what is known of the wanted items, without their titles."""
        lookup = ItemLookup.of(scene.log, self.catalogue)
        known = [item for label in scene.log.ground_truth or () if (item := lookup.get(label)) is not None]
        titles = [lookup.title(label) for label in scene.log.ground_truth or ()]
        cards = [card for item in known if (card := _card(item, titles))]
        if not cards:
            fix = "give `ground_truth`, and `items` or a `catalog` with their attributes"
            raise InvalidRequest.at(
                "/log/ground_truth", "a `target-biased` user needs items to describe", fix
            )
        return "\n\n".join(cards)


def _card(item: Item, titles: list[str]) -> str:
    attributes = {
        dimension: kept
        for dimension, values in item.attributes.items()
        if (kept := tuple(value for value in values if not any(names(title, value) for title in titles)))
    }
    about = remove_leaks(item.description, titles)[0] if item.description else None
    described = item_card(replace(item, attributes=attributes, description=about or None))
    return "\n".join(described.splitlines()[1:])  # the first is the title


KIND = Kind(
    name="target-biased",
    place=35,
    says="knows attributes and plots of the wanted items without their titles, and never settles (PEPPER's counterexample)",
    backend=Backend.MODEL,
    settings={"max_rounds": Setting(*ROUNDS, MAX_ROUNDS)},
    knows=("ground_truth", "items"),
    build=lambda config: TargetBiased(
        config.asker(), config.seed, catalogue=config.catalogue, **config.settings
    ),
    example=Example(
        log={
            "messages": [],
            "ground_truth": ["Dr. Moth (1991)"],
            "items": [{"title": "Dr. Moth (1991)", "attributes": {"genre": ["mystery"]}}],
        },
        answers=[{"message": "I look for a mystery."}],
        answer={"message": "I look for a mystery.", "done": False, "outcome": None},
        worked="The model learns that the genre of the wanted item is mystery, but not its title.",
    ),
)
