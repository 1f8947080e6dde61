"""A factor of quality: what it rates, on which scale, and which standard gives which score."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum


class Protocol(StrEnum):
    """The paper that defines a factor; `custom` for factors of an operator's or a caller's own."""

    CORE = "core"
    CONCEPT = "concept"
    PEPPER = "pepper"
    IEVALM = "ievalm"
    CUSTOM = "custom"


class Need(StrEnum):
    """An input without which a factor cannot be judged."""

    MESSAGES = "messages"
    REPLIES = "replies"
    RECOMMENDATIONS = "recommendations"
    GROUND_TRUTH = "ground_truth"
    THOUGHTS = "thoughts"
    PREFERENCES = "preferences"
    VERDICTS = "verdicts"


@dataclass(frozen=True, slots=True)
class Scale:
    """The closed range of integer levels, `min` the worst."""

    min: int
    max: int

    @property
    def levels(self) -> range:
        return range(self.min, self.max + 1)


@dataclass(frozen=True, slots=True)
class Step:
    """One rung of a ladder: the values that reach `level`. `inclusive` says whether the bound
    itself does."""

    bound: float
    inclusive: bool
    level: int


@dataclass(frozen=True, slots=True)
class Ladder:
    """How an exact count or share becomes a level: the first step that holds decides, `floor` where
    none does. `falling` ladders (errors) bound the value from above, rising ones from below."""

    steps: tuple[Step, ...]
    floor: int
    falling: bool = False

    def level(self, value: float) -> int:
        """The level of a count (0, 1, 2...) or a share (0-1). Never raises the level as a falling
        ladder's value grows, nor lowers it as a rising one's does.

        Raises ValueError for a negative or non-finite value."""
        if not 0 <= value < math.inf:
            raise ValueError(f"a ladder takes a finite value of at least 0, not {value}")
        for step in self.steps:
            beyond = value < step.bound if self.falling else value > step.bound
            if beyond or (step.inclusive and value == step.bound):
                return step.level
        return self.floor


@dataclass(frozen=True, slots=True)
class Factor:
    """One factor as its file defines it. Without its `needs` it cannot be
    judged, its `uses` make the judgement surer. `levels` maps each level of `scale` to its standard;
    `excludes` says what the factor does not cover; `notes` maps a domain to what changes there;
    `position` orders it within its protocol; `no_occasion` is the level of a log that gives no occasion for what it
    rates, None where such a log has no score;
    `ladders` names the ladders by which computed evidence becomes a level; `weight` counts in the mean of a summary."""

    slug: str
    name: str
    protocol: Protocol
    dimension: str
    position: int
    scale: Scale
    needs: tuple[Need, ...]
    uses: tuple[Need, ...]
    rates: str
    definition: str
    levels: Mapping[int, str]
    steps: tuple[str, ...]
    excludes: tuple[str, ...]
    notes: Mapping[str, str]
    ladders: Mapping[str, Ladder]
    source: str
    revision: int
    no_occasion: int | None = None
    weight: float = 1.0

    def note(self, domain: str) -> str | None:
        """What changes for this factor in a domain, or in domains that have no note of their own."""
        return self.notes.get(domain.casefold(), self.notes.get("other"))
