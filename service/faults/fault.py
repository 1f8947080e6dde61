"""The fault catalogue: one TOML file per fault, read and validated once."""

import hashlib
import re
from collections.abc import Mapping
from dataclasses import InitVar, dataclass, field
from enum import StrEnum
from functools import cache
from pathlib import Path
from typing import Annotated

from pydantic import ConfigDict, Field, StringConstraints
from pydantic.dataclasses import dataclass as checked_dataclass

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


@checked_dataclass(frozen=True, kw_only=True, config=ConfigDict(extra="forbid"))
class Fault:
    """One thing that a reply can do wrong.

    `costs` maps each CoRE factor that the fault lowers to points of 4, the home factor first. `certain` says when code
    can prove the fault, None where it cannot. `context` faults can be decided only with the messages before the reply.
    `wording` continues "message 3 ..." in a rationale."""

    slug: Slug
    name: Text
    home: Slug
    cost: InitVar[Cost]
    also: InitVar[Mapping[Slug, Cost] | None] = None
    costs: Mapping[str, float] = field(init=False)
    found_by: Annotated[tuple[Detector, ...], Field(min_length=1)]
    certain: Text | None = None
    context: bool
    wording: Text
    definition: Text
    excludes: Annotated[tuple[Text, ...], Field(min_length=1)]
    example: FaultExample

    def __post_init__(self, cost: float, also: Mapping[str, float] | None) -> None:
        others = also or {}
        if self.home in others:
            raise ValueError(f"also.{self.home} repeats the home factor")
        if self.certain and Detector.COMPUTED not in self.found_by:
            raise ValueError("only a computed fault can be certain")
        if not all(re.match("[UAT]: .", message) for message in self.example.before or ("",)):
            raise ValueError("example.before holds messages that begin with `U: `, `A: ` or `T: `")
        if self.example.good in ("", self.example.bad):
            raise ValueError("example.good is empty, or the same as example.bad")
        object.__setattr__(self, "costs", {self.home: cost, **others})


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
    fault = read_toml(path, Fault)
    if fault.slug != path.stem:
        raise wrong_toml(path, ["slug"], f"{fault.slug!r} is not the name of the file")
    return fault
