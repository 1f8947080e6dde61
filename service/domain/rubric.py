"""A factor of quality: what it rates, on which scale, and which standard gives which score."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from statistics import pstdev

from .modes import Variant
from .rounding import Whole
from .verdict import Ladder


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
    """The levels that a factor has, both ends included."""

    min: Whole
    max: Whole

    @property
    def levels(self) -> range:
        return range(self.min, self.max + 1)

    def share(self, score: float) -> float:
        """Return where a score lies on the scale: 0 for the worst, 1 for the best."""
        return (score - self.min) / (self.max - self.min)

    def agreement(self, scores: Sequence[float]) -> float:
        """Return how near scores are to one another: 1 where all are alike, 0 where half are at either end of the scale."""
        return 1 - pstdev(scores) / ((self.max - self.min) / 2)


class Form(StrEnum):
    """The content of a list for an itemised verdict: replies or the user's notes, each meeting a standard
    or not; faults; stretches of text; the user's objections; titles in the text; or recommended items by
    their likeness to what was wanted, by how well known they are, or by their characteristics."""

    REPLIES = "replies"
    NOTES = "notes"
    FAULTS = "faults"
    STRETCHES = "stretches"
    OBJECTIONS = "objections"
    TITLES = "titles"
    SIMILARITY = "similarity"
    FAMILIARITY = "familiarity"
    CHARACTERISTICS = "characteristics"


class Part(StrEnum):
    """A part of an entry of such a list; each factor gives it a name."""

    NOTE = "note"
    SOURCE = "source"
    APPLIES = "applies"
    HOLDS = "holds"
    QUOTE = "quote"
    KIND = "kind"
    ITEM = "item"
    CORRECTED_BY = "corrected_by"
    CHARACTERISTICS = "characteristics"


@dataclass(frozen=True, slots=True)
class Key:
    """The name of a part in the answer, and the instruction for what the model writes there."""

    name: str
    instruction: str


@dataclass(frozen=True, slots=True)
class Kind:
    """The count of a fault of one kind, and its ladder."""

    ladder: str
    weight: float = 1.0


@dataclass(frozen=True, slots=True)
class Itemised:
    """The list that a model gives in place of a level. `keys` holds its parts in the order of the answer, `kinds` the kinds of
    faults by domain. `quoted` says whether entries that meet the standard are quoted, or those that do not; `wording` words the
    result."""

    form: Form
    asks: str
    wording: str
    keys: Mapping[Part, Key]
    kinds: Mapping[str, Mapping[str, Kind]]
    quoted: bool | None = None

    def kinds_in(self, domain: str) -> Mapping[str, Kind]:
        """The kinds of faults in a domain."""
        return self.kinds.get(domain.casefold(), self.kinds.get("other", {}))


@dataclass(frozen=True, slots=True)
class Anchor:
    """A worked example of one level: a piece of a conversation or a list, and why it has that level."""

    level: int
    talk: str
    why: str


@dataclass(frozen=True, slots=True)
class Contrast:
    """A worked example that tells the factor from another one that it is easily confused with."""

    factor: str
    talk: str
    why: str


@dataclass(frozen=True, slots=True)
class Factor:
    """One factor as its file defines it. Without its `needs` it cannot be
    judged, its `uses` make the judgement surer. `levels` maps each level of `scale` to its standard;
    `excludes` says what the factor does not cover; `notes` maps a domain to what changes there;
    `position` orders it within its protocol; `no_occasion` is the level of a log that gives no occasion for what it
    rates, None where such a log has no score;
    `ladders` names the ladders by which computed evidence becomes a level; `weight` counts in the mean of a summary.
    `anchors` and `contrast` are worked examples, shown where they are asked for; `itemised` is the list by which code finds the level, None where there is no ladder;
    `deviations` says where this reading departs from the paper. `published` is the factor as the paper reads it, None where no
    paper defines it."""

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
    deviations: tuple[str, ...] = ()
    published: "Factor | None" = None
    itemised: Itemised | None = None
    anchors: tuple[Anchor, ...] = ()
    contrast: Contrast | None = None

    def read_as(self, variant: Variant) -> "Factor":
        """Return the factor in a reading: itself where there is only one."""
        return self.published or self if variant is Variant.PUBLISHED else self

    def note(self, domain: str) -> str | None:
        """Return what changes for this factor in a domain, or in domains that have no note."""
        return self.notes.get(domain.casefold(), self.notes.get("other"))
