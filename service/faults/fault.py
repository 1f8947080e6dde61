"""The fault catalogue: one TOML file per fault, read and validated once."""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from pathlib import Path
from typing import Annotated, Self

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, model_validator

from ..errors import ConfigurationError
from ..text.toml_file import read_toml, wrong_toml

FOLDER = Path(__file__).parent
Text = Annotated[str, StringConstraints(min_length=1, strip_whitespace=True)]
Slug = Annotated[str, StringConstraints(pattern=r"^[a-z]+(-[a-z]+)*$")]
Cost = Annotated[float, Field(gt=0, le=4, allow_inf_nan=False)]


class Detector(StrEnum):
    """A way to find a fault: by computation, by a trained network, or by a language model."""

    COMPUTED = "computed"
    LEARNED = "learned"
    MODEL = "model"


@dataclass(frozen=True, slots=True)
class FaultExample:
    """A minimal pair. `before` holds messages as "U: ..." (user), "A: ..." (recommender) or "T: ..." (tool)."""

    before: tuple[str, ...]
    good: str
    bad: str
    """Empty where the fault is a missing reply."""


@dataclass(frozen=True, slots=True)
class Fault:
    """One thing that a reply can do wrong.

    `costs` maps each CoRE factor that the fault lowers to points of 4, the home factor first. `certain` says when code
    can prove the fault, None where it cannot. `context` faults can be decided only with the messages before the reply.
    `wording` continues "message 3 ..." in a rationale."""

    slug: str
    name: str
    home: str
    costs: Mapping[str, float]
    found_by: tuple[Detector, ...]
    certain: str | None
    context: bool
    wording: str
    definition: str
    excludes: tuple[str, ...]
    example: FaultExample


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class _ExampleDocument(_Strict):
    before: list[Annotated[str, StringConstraints(pattern=r"^[UAT]: .")]] = Field(min_length=1)
    good: Text
    bad: str


class _FaultDocument(_Strict):
    slug: Slug
    name: Text
    home: Slug
    cost: Cost
    also: dict[Slug, Cost] = {}
    found_by: list[Detector] = Field(min_length=1)
    certain: Text | None = None
    context: bool
    wording: Text
    definition: Text
    excludes: list[Text] = Field(min_length=1)
    example: _ExampleDocument

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        if self.home in self.also:
            raise ValueError(f"also.{self.home} repeats the home factor")
        if self.certain and Detector.COMPUTED not in self.found_by:
            raise ValueError("only a computed fault can be certain")
        if self.example.good == self.example.bad:
            raise ValueError("example.bad is the same as example.good")
        return self

    def fault(self) -> Fault:
        return Fault(
            slug=self.slug,
            name=self.name,
            home=self.home,
            costs={self.home: self.cost, **self.also},
            found_by=tuple(self.found_by),
            certain=self.certain,
            context=self.context,
            wording=self.wording,
            definition=self.definition,
            excludes=tuple(self.excludes),
            example=FaultExample(tuple(self.example.before), self.example.good, self.example.bad),
        )


class FaultCatalogue(dict[str, Fault]):
    """The faults by slug, in the order of their files. Never changed once it is made."""

    @property
    def revision(self) -> str:
        """12 hex of SHA-256 over everything that affects a score: slugs and costs."""
        parts = sorted((fault.slug, sorted(fault.costs.items())) for fault in self.values())
        return hashlib.sha256(repr(parts).encode()).hexdigest()[:12]


@cache
def load_faults(folder: Path = FOLDER) -> FaultCatalogue:
    """Read every `<slug>.toml` in a folder.

    Raises:
        ConfigurationError: A file is incomplete, misnamed or not TOML. The message names the file and the field."""
    faults = [_load(path) for path in sorted(folder.glob("*.toml"))]
    if not faults:
        raise ConfigurationError(f"{folder}: no fault files (<slug>.toml) found")
    return FaultCatalogue({fault.slug: fault for fault in faults})


def _load(path: Path) -> Fault:
    document = read_toml(path, _FaultDocument)
    if document.slug != path.stem:
        raise wrong_toml(path, ["slug"], f"{document.slug!r} is not the name of the file")
    return document.fault()
