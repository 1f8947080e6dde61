"""A factor file's description of the list that a model gives for an itemised verdict."""

from collections.abc import Mapping
from typing import Annotated, Self

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, model_validator

from ..domain.rubric import Form, Itemised, Key, Kind, Part
from ..domain.verdict import Ladder

Text = Annotated[str, StringConstraints(min_length=1, strip_whitespace=True)]
Slug = Annotated[str, StringConstraints(pattern=r"^[a-z]+(-[a-z]+)*$")]

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


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class KeyDocument(_Strict):
    """A part of an entry: its name in the answer, and what stands there."""

    key: Annotated[str, StringConstraints(pattern=r"^[a-z]+(_[a-z]+)*$")]
    say: Text


class KindDocument(_Strict):
    """The ladder that a kind of fault counts on, and how much it counts."""

    ladder: Slug = "count"
    weight: float = Field(1.0, ge=0, allow_inf_nan=False)

    def kind(self) -> Kind:
        return Kind(self.ladder, self.weight)


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
            told=self.told,
            keys={part: Key(key.key, key.say) for part, key in self.keys.items()},
            kinds={domain: kinds_of(kinds) for domain, kinds in self.kinds.items()},
            quoted=self.quoted,
        )


def kinds_of(kinds: Mapping[str, KindDocument]) -> dict[str, Kind]:
    """Return the kinds of faults by name."""
    return {name: kind.kind() for name, kind in kinds.items()}


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
