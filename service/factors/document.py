"""The form of a factor's file, and the checks that keep its standards total and monotone."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction
from typing import Annotated, Any, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, model_validator

from ..domain.rubric import (
    Anchor,
    Contrast,
    Factor,
    Form,
    Itemised,
    Key,
    Kind,
    Need,
    Part,
    Protocol,
    Scale,
)
from ..domain.verdict import Ladder, Step

Text = Annotated[str, StringConstraints(min_length=1, strip_whitespace=True)]
Slug = Annotated[str, StringConstraints(pattern=r"^[a-z]+(-[a-z]+)*$")]


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class StepDocument(_Strict):
    """One rung: exactly one of the three bounds, as a number or a fraction in quotes ("2/3")."""

    at_most: Fraction | None = Field(None, ge=0)
    at_least: Fraction | None = Field(None, ge=0)
    above: Fraction | None = Field(None, ge=0)
    level: int

    @model_validator(mode="after")
    def _one_bound(self) -> Self:
        if sum(bound is not None for bound in (self.at_most, self.at_least, self.above)) != 1:
            raise ValueError("a step has exactly one of at_most, at_least, above")
        return self

    @property
    def falling(self) -> bool:
        return self.at_most is not None

    def step(self) -> Step:
        bound = next(b for b in (self.at_most, self.at_least, self.above) if b is not None)
        return Step(float(bound), self.above is None, self.level)


class LadderDocument(_Strict):
    """Steps from the best level down; `floor` is the level below the last, the worst one by default."""

    steps: list[StepDocument] = Field(min_length=1)
    floor: int | None = None

    @model_validator(mode="after")
    def _monotone(self) -> Self:
        if len({step.falling for step in self.steps}) > 1:
            raise ValueError("at_most cannot be mixed with at_least or above")
        steps = [step.step() for step in self.steps]
        sign = 1 if self.steps[0].falling else -1
        # At one bound an inclusive step must come before an exclusive one, or it is never reached.
        places = [(sign * step.bound, not step.inclusive) for step in steps]
        levels = [step.level for step in steps] + ([] if self.floor is None else [self.floor])
        if places != sorted(set(places)) or levels != sorted(set(levels), reverse=True):
            raise ValueError("steps must go from the best level down, each bound easier than the one before")
        return self

    def ladder(self, scale: Scale) -> Ladder:
        floor = scale.min if self.floor is None else self.floor
        return Ladder(tuple(step.step() for step in self.steps), floor, self.steps[0].falling)


class ScaleDocument(_Strict):
    """A closed range of levels."""

    min: int = Field(ge=0)
    max: int = Field(le=100)


def _scale_of_levels(values: dict[str, Any]) -> ScaleDocument:
    levels = [int(level) for level in values.get("levels", {0: "", 1: ""})]
    return ScaleDocument(min=min(levels), max=max(levels))


class AnchorDocument(_Strict):
    """A worked example of one level."""

    level: int
    talk: Text
    why: Text


class ContrastDocument(_Strict):
    """A worked example that tells the factor from another one."""

    factor: Slug
    talk: Text
    why: Text


_PARTS: Mapping[Form, frozenset[Part]] = {
    Form.REPLIES: frozenset({Part.HOLDS}),
    Form.NOTES: frozenset({Part.HOLDS}),
    Form.FAULTS: frozenset({Part.QUOTE}),
    Form.STRETCHES: frozenset({Part.QUOTE}),
    Form.OBJECTIONS: frozenset({Part.QUOTE, Part.CORRECTED_BY}),
    Form.TITLES: frozenset({Part.ITEM}),
    Form.SIMILARITY: frozenset({Part.ITEM, Part.KIND}),
    Form.FAMILIARITY: frozenset({Part.ITEM, Part.HOLDS}),
    Form.CHARACTERISTICS: frozenset({Part.ITEM, Part.CHARACTERISTICS}),
}
"""The parts that an entry of each form must have."""

_LADDERS: Mapping[Form, tuple[str, ...]] = {
    Form.STRETCHES: ("share",),
    Form.OBJECTIONS: ("count",),
    Form.TITLES: ("share",),
    Form.SIMILARITY: ("very-similar", "somewhat-similar"),
    Form.FAMILIARITY: ("share", "count"),
    Form.CHARACTERISTICS: ("widest", "second-widest"),
}
"""The ladders that code climbs by a list of each form, where they do not depend on the factor."""


class KeyDocument(_Strict):
    """A part of an entry: its name in the answer, and the instruction for its content."""

    key: Annotated[str, StringConstraints(pattern=r"^[a-z]+(_[a-z]+)*$")]
    say: Text


class KindDocument(_Strict):
    """The ladder that a kind of fault counts on, and how much it counts."""

    ladder: Slug = "count"
    weight: float = Field(1.0, ge=0, allow_inf_nan=False)


class ItemisedDocument(_Strict):
    """The list that a model gives for an itemised verdict."""

    form: Form
    asks: Text
    told: Text
    keys: dict[Part, KeyDocument] = Field(min_length=1)
    kinds: dict[Slug, dict[Slug, KindDocument]] = {}
    quoted: bool | None = None

    @model_validator(mode="after")
    def _whole(self) -> Self:
        if missing := sorted(_PARTS[self.form] - set(self.keys)):
            raise ValueError(f"an entry of the form {self.form.value} needs keys.{missing[0].value}")
        if self.form is Form.FAULTS and (Part.KIND in self.keys) is not ("other" in self.kinds):
            raise ValueError("keys.kind and kinds.other go together")
        return self

    def itemised(self) -> Itemised:
        return Itemised(
            form=self.form,
            asks=self.asks,
            wording=self.told,
            keys={part: Key(key.key, key.say) for part, key in self.keys.items()},
            kinds={domain: kinds_of(kinds) for domain, kinds in self.kinds.items()},
            quoted=self.quoted,
        )


def kinds_of(kinds: Mapping[str, KindDocument]) -> dict[str, Kind]:
    """Return the kinds of faults by name."""
    return {name: Kind(kind.ladder, kind.weight) for name, kind in kinds.items()}


def checked_ladders(itemised: Itemised, ladders: Mapping[str, Ladder]) -> None:
    """Raise ValueError unless the factor has every ladder that its list climbs, the right way up: more faults never give a
    higher level."""
    falling = itemised.form in {Form.FAULTS, Form.OBJECTIONS}
    needed: tuple[str, ...]
    if itemised.form is Form.FAULTS:
        kinds = [kind for one in itemised.kinds.values() for kind in one.values()]
        needed = tuple({kind.ladder for kind in kinds}) or ("count",)
    elif itemised.form in {Form.REPLIES, Form.NOTES}:
        falling = "count" in ladders
        needed = ("count" if falling else "share",)
    else:
        needed = _LADDERS[itemised.form]
    if missing := sorted(set(needed) - set(ladders)):
        raise ValueError(
            f"itemised.form {itemised.form.value} climbs ladders.{missing[0]}, which is not there"
        )
    if wrong := sorted(name for name in needed if ladders[name].falling is not falling):
        bounds = "at_most" if falling else "at_least or above"
        raise ValueError(
            f"ladders.{wrong[0]} must have steps with {bounds} for itemised.form {itemised.form.value}"
        )


class PublishedDocument(_Strict):
    """Differences of the paper's reading of a factor. Notes for domains are the paper's own: without any,
    none."""

    definition: Text | None = None
    levels: dict[int, Text] | None = None
    steps: list[Text] | None = Field(None, min_length=1)
    notes: dict[Slug, Text] = {}
    kinds: dict[Slug, KindDocument] | None = None
    asks: Text | None = None
    no_occasion: int | None = None

    def of(self, factor: Factor) -> Factor:
        return replace(
            factor,
            definition=self.definition or factor.definition,
            levels=dict(sorted(self.levels.items(), reverse=True)) if self.levels else factor.levels,
            steps=tuple(self.steps) if self.steps else factor.steps,
            notes=dict(self.notes),
            no_occasion=factor.no_occasion if self.no_occasion is None else self.no_occasion,
            itemised=factor.itemised and self._itemised(factor.itemised),
            # Worked examples are ours: the papers have none.
            anchors=(),
            contrast=None,
        )

    def _itemised(self, itemised: Itemised) -> Itemised:
        kinds = itemised.kinds_in("other") if self.kinds is None else kinds_of(self.kinds)
        return replace(itemised, asks=self.asks or itemised.asks, kinds={"other": kinds} if kinds else {})


class FactorDocument(_Strict):
    """A factor's file, field by field; see `domain.rubric.Factor` for their meaning."""

    slug: Slug
    levels: dict[int, Text] = Field(min_length=2)
    name: Text
    protocol: Protocol
    dimension: Slug
    position: int
    scale: ScaleDocument
    needs: list[Need]
    uses: list[Need] = []
    rates: Text
    definition: Text
    steps: list[Text] = Field(min_length=1)
    excludes: list[Text] = Field(min_length=1)
    source: Text
    revision: int = Field(ge=1)
    no_occasion: int | None = None
    notes: dict[Slug, Text] = {}
    ladders: dict[Slug, LadderDocument] = {}
    weight: float = Field(1.0, gt=0, le=1000, allow_inf_nan=False)
    deviations: list[Text] = []
    published: PublishedDocument = PublishedDocument()
    itemised: ItemisedDocument | None = None
    anchors: list[AnchorDocument] = []
    contrast: ContrastDocument | None = None

    @model_validator(mode="after")
    def _complete(self) -> Self:
        levels = set(range(self.scale.min, self.scale.max + 1))
        if len(levels) < 2 or set(self.levels) != levels:
            raise ValueError(f"levels must define {sorted(levels)}, no more and no less")
        if self.published.levels is not None and set(self.published.levels) != levels:
            raise ValueError(f"published.levels must define {sorted(levels)}, no more and no less")
        for level in (self.no_occasion, self.published.no_occasion):
            if level is not None and level not in levels:
                raise ValueError(f"no_occasion is {level}, which is no level of the scale")
        for name, ladder in self.ladders.items():
            used = {step.level for step in ladder.steps} | (
                {ladder.floor} if ladder.floor is not None else set()
            )
            if not used <= levels:
                raise ValueError(f"ladders.{name} uses levels outside the scale: {sorted(used - levels)}")
        if wrong := {anchor.level for anchor in self.anchors} - levels:
            raise ValueError(f"anchors show levels outside the scale: {sorted(wrong)}")
        if self.itemised:
            ladders = {
                name: one.ladder(Scale(self.scale.min, self.scale.max)) for name, one in self.ladders.items()
            }
            checked_ladders(self.itemised.itemised(), ladders)
        repeated = [text for text, n in Counter(self.levels.values()).items() if n > 1]
        if repeated:
            raise ValueError(f"two levels have the same standard: {repeated[0]!r}")
        return self

    def factor(self) -> Factor:
        """The value that the rest of the service uses."""
        scale = Scale(self.scale.min, self.scale.max)
        as_written = {name: tuple(one) if isinstance(one, list) else one for name, one in self}
        different: dict[str, Any] = {
            "scale": scale,
            "levels": dict(sorted(self.levels.items(), reverse=True)),
            "ladders": {name: ladder.ladder(scale) for name, ladder in self.ladders.items()},
            "itemised": self.itemised.itemised() if self.itemised else None,
            "anchors": tuple(Anchor(**anchor.model_dump()) for anchor in self.anchors),
            "contrast": Contrast(**self.contrast.model_dump()) if self.contrast else None,
            "published": None,
        }
        factor = Factor(**{**as_written, **different})
        return replace(factor, published=self.published.of(factor))


class CustomDocument(FactorDocument):
    """A factor of somebody's own: slug, definition and levels are enough. `scale` is that of the levels by default."""

    name: Text = ""
    protocol: Literal[Protocol.CUSTOM] = Protocol.CUSTOM
    dimension: Slug = "custom"
    position: int = 0
    scale: ScaleDocument = Field(default_factory=_scale_of_levels)
    needs: list[Need] = [Need.MESSAGES]
    rates: Text = "the conversation"
    steps: list[Text] = Field(
        [
            "Find the messages that the definition speaks of.",
            "Compare them with each level's standard.",
            "Take the level whose standard fits best.",
        ],
        min_length=1,
    )
    excludes: list[Text] = Field(["whatever the definition does not name"], min_length=1)
    source: Text = "custom"
    revision: int = Field(1, ge=1)

    def factor(self) -> Factor:
        """The value that the rest of the service uses; without a name it is called by its slug."""
        named = self.name or self.slug.removeprefix("custom-").replace("-", " ").capitalize()
        return replace(super().factor(), name=named, published=None)
