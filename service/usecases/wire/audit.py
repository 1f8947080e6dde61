"""Requests and answers of `/simulate/audit`."""

from typing import Any, Self

from pydantic import ConfigDict, Field, model_validator

from ...domain.completion import CacheMode, Usage
from ...simulators import audit as domain
from .log import Item, Log
from .model import MANY, MOST, Figure, Incoming, NonBlank, Outgoing
from .score import JudgeText
from .verdict import JudgeRef

_REQUEST: dict[str, Any] = {
    "logs": [
        {
            "ground_truth": ["Paper Comets (2015)"],
            "messages": [
                {"role": "user", "content": "Something quiet, please."},
                {"role": "assistant", "content": "Do you like animation?"},
                {"role": "user", "content": "I do."},
            ],
        }
    ]
}


class Choice(Incoming):
    """Two items that a user rated; neither may stand among what its preferences were made from."""

    preferences: NonBlank = Field(description="The user's taste, in any words.")
    better: Item = Field(description="The one that it rated higher.")
    worse: Item

    def value(self) -> domain.RatedPair:
        return domain.RatedPair(self.preferences, self.better.value(), self.worse.value())


class AuditRequest(Incoming):
    """Logs of simulated users, choices that such users should make, or both."""

    model_config = ConfigDict(json_schema_extra={"examples": [_REQUEST]})

    logs: list[Log] | None = Field(None, min_length=1, max_length=MOST, description="Their sessions.")
    people: list[Log] | None = Field(None, min_length=1, max_length=MOST)
    """Sessions of real users, to be compared with."""
    worse: list[Log] | None = Field(None, min_length=1, max_length=MOST)
    """Sessions of the same simulated users with a worse recommender, such as one with planted faults. Users who are
    like people accept less there, and object more."""
    choices: list[Choice] | None = Field(None, min_length=1, max_length=MANY)
    """Put to a model in both orders (PEPPER, table 2)."""
    domain: str | None = Field(None, description="Of `choices`; null is unknown.", examples=["movie"])
    catalog: str | None = Field(None, description="Name of a catalogue that the operator provides.")
    judge: JudgeText = None
    cache: CacheMode | None = Field(None, description="For `choices`; `use` by default.")

    @model_validator(mode="after")
    def _something(self) -> Self:
        if self.logs is None and self.choices is None:
            raise ValueError("send `logs` of simulated users, `choices`, or both")
        return self


class AuditFinding(Outgoing):
    """One figure of the simulated users."""

    audit: str = Field(examples=["leaks_title"])
    """`leaks_title`, `repeats_itself`, `says_catalogue_words`, `accepts_against_preferences`,
    `words_a_message`, `different_words`, `objects`, `accepts`, `acts_unlike_people`, `human_likeness`,
    `notices_faults`, `prefers_higher_rated`. The list may grow."""
    value: Figure | None
    """A share, 0-1; words for `words_a_message`; bits, 0-1, for `acts_unlike_people`; a difference of
    shares for `notices_faults`."""
    n: int
    """Number of units that the share is taken over: messages, wishes, words, sessions or choices."""
    people: Figure | None = Field(description="The same of `people`.")
    worse: Figure | None = Field(description="The same of `worse`.")
    published: Figure | None = Field(description="The paper's figure of its own simulator.")


class AuditAnswer(Outgoing):
    """The conduct of simulated users beside what it should be, and beside that of people."""

    findings: list[AuditFinding]
    acts: dict[str, Figure] = Field(description="The share of each act of the users' messages.")
    acts_of_people: dict[str, Figure] | None
    judge: JudgeRef | None = Field(description="The judge that chose; null without `choices`.")
    usage: Usage
