"""Body and answer of `/exam`."""

from typing import Annotated

from pydantic import ConfigDict, Field

from ...domain.completion import CacheMode
from ...domain.modes import Judging
from ...exams import pair
from ...exams.estimate import ExamEstimate
from ...exams.report import ExamReport
from ...judges.evaluation import Grouping
from . import examples
from .log import Items, Log, Message, User
from .model import FEW, MANY, MOST, PLENTY, WHOLE, Incoming, Outgoing
from .score import JudgeText

Id = Annotated[str, Field(min_length=1, max_length=200)]
Rating = Annotated[float, Field(ge=0, le=4)]


class ExamPair(Incoming):
    """A good conversation, and the same with one fault."""

    id: Id = Field(examples=["budget-1"])
    writer: str | None = None
    domain: str | None = Field(None, description="Domain of both conversations; `movie` by default.")
    language: str | None = Field(None, description="Language tag; `en` by default.", examples=["en"])
    fault: str = Field(description="A fault of GET /faults.", examples=["breaks-constraint"])
    message: Annotated[int, Field(ge=0), WHOLE]
    """Index in `good` of the reply that has the fault in `bad`."""
    reacts: bool | None = None
    """True where the user of `bad` reacts to the fault, so that later messages differ too."""
    good: list[Message] = Field(min_length=1, max_length=MOST)
    bad: list[Message] = Field(min_length=1, max_length=MOST)
    """`good` with one message changed: the reply, or one before it that makes it faulty. Of `no-reply`:
    without it."""
    items: Items = None
    user: User | None = None

    def log(self, messages: list[Message]) -> Log:
        return Log(messages=messages, domain=self.domain, items=self.items, user=self.user)

    def value(self) -> pair.MinimalPair:
        return pair.MinimalPair(
            id=self.id,
            fault=self.fault,
            message=self.message,
            good=self.log(self.good).value(),
            bad=self.log(self.bad).value(),
            language=self.language or "en",
            reacts=bool(self.reacts),
            writer=self.writer,
        )


class RatedConversation(Incoming):
    """A conversation that people rated."""

    id: Id
    writer: str | None = None
    domain: str | None = None
    language: str | None = None
    messages: list[Message] = Field(min_length=1, max_length=MOST)
    items: Items = None
    user: User | None = None
    style: str | None = Field(None, description="A label of the kind of conversation.")
    ratings: dict[str, dict[str, Rating | None]] = Field(
        min_length=1,
        description="Ratings from 0 to 4 by rater: `overall`, and factors where they were rated (null where they do not apply).",
        examples=[{"first": {"overall": 3.5, "coherence": 4}, "second": {"overall": 3}}],
    )

    def value(self) -> pair.ExamConversation:
        log = Log(messages=self.messages, domain=self.domain, items=self.items, user=self.user)
        ratings = {
            rater: {name: rating for name, rating in given.items() if rating is not None}
            for rater, given in self.ratings.items()
        }
        return pair.ExamConversation(self.id, log.value(), ratings)


class ExamRequest(Incoming):
    """A judge, and the part of the exam that it takes."""

    model_config = ConfigDict(json_schema_extra={"examples": [examples.EXAM_REQUEST]})

    judge: JudgeText = None
    judging: Judging | None = None
    """Form of a model's answer. Default: the operator's setting."""
    grouping: Grouping | None = None
    """Factors that one call to a model answers; `separate` by default."""
    cache: CacheMode | None = None
    sample: Annotated[int, Field(ge=1, le=PLENTY), WHOLE] | None = None
    """Number of pairs to draw, evenly over the faults. Default: all pairs."""
    seed: Annotated[int, Field(ge=0), WHOLE] | None = None
    """Seed of the sample; 0 by default. The same seed draws the same pairs."""
    faults: list[str] | None = Field(None, min_length=1, max_length=FEW)
    """Faults to examine, without the rated conversations."""
    ids: list[Id] | None = Field(None, min_length=1, max_length=PLENTY)
    """Ids of the pairs and rated conversations to judge: a long exam in several requests."""
    pairs: list[ExamPair] | None = Field(None, min_length=1, max_length=MANY * 10)
    """Your own pairs, in place of the shipped exam."""
    absolute: list[RatedConversation] | None = Field(None, min_length=1, max_length=MANY * 10)
    """Your own rated conversations."""
    estimate: bool | None = Field(None, description="True for the estimate alone: no judge is asked.")


class ExamAnswer(Outgoing):
    """The estimate, and the report unless the estimate alone was asked for."""

    estimate: ExamEstimate
    report: ExamReport | None
