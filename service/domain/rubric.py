"""A factor of quality: what it rates, on which scale, and which standard gives which score."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum


class Protocol(StrEnum):
    """The paper that defines a factor."""

    CORE = "core"
    CONCEPT = "concept"
    PEPPER = "pepper"
    IEVALM = "ievalm"


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
class Ladder:
    """How an exact count or share becomes a level. `counts` holds the lowest level's count
    downwards: `counts[i]` is the least count that loses `i + 1` levels. `shares` are
    (least share, inclusive, level) steps from the top; below the last step the level is the minimum."""

    kind: str
    steps: tuple[tuple[float, bool, int], ...]
    floor: int

    def level(self, value: float) -> int:
        """The level of a count (`kind` "errors": fewer is better) or of a share 0-1 or count
        (`kind` "share", "amount": more is better). The first step that holds decides.

        Raises ValueError for a negative or non-finite value."""
        if not 0 <= value < float("inf"):
            raise ValueError(f"a ladder takes a finite value of at least 0, not {value}")
        for bound, inclusive, level in self.steps:
            if self.kind == "errors":
                if value <= bound:
                    return level
            elif value > bound or (inclusive and value == bound):
                return level
        return self.floor


@dataclass(frozen=True, slots=True)
class Factor:
    """One factor as its file defines it. `levels` maps each level of `scale` to its standard;
    `excludes` says what the factor does not cover; `notes` maps a domain to what changes there;
    `ladders` names the ladders by which computed evidence becomes a level."""

    slug: str
    name: str
    protocol: Protocol
    dimension: str
    scale: Scale
    needs: tuple[Need, ...]
    rates: str
    definition: str
    levels: Mapping[int, str]
    steps: tuple[str, ...]
    excludes: tuple[str, ...]
    notes: Mapping[str, str]
    ladders: Mapping[str, Ladder]
    source: str
    revision: int

    def note(self, domain: str) -> str | None:
        """What changes for this factor in a domain, or in domains that have no note of their own."""
        return self.notes.get(domain.casefold(), self.notes.get("other"))
