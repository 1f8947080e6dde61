"""Body and answer of `/computational-metrics`; `/evaluate` answers with the same table."""

from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Any

from pydantic import AfterValidator, ConfigDict, Field

from ...computed_metrics import METRICS, Matching, reply_pairs
from ...computed_metrics.abilities import AbilityPart
from ...computed_metrics.figures import Label, MetricRow
from ...domain import conversation
from ...statistics.bootstrap import Interval
from .log import Log
from .model import FEW, MANY, MOST, PLENTY, WHOLE, Figure, Incoming, NonBlank, Outgoing, choice
from .verdict import Verdict


def log_value(log: Log) -> conversation.ConversationLog:
    """A log as the metrics read it: an empty `ground_truth` stays empty here, since coverage of no
    wanted item at all is bad input, not an unknown."""
    value = log.value()
    return replace(value, ground_truth=()) if log.ground_truth == [] else value


if TYPE_CHECKING:
    LogValue = conversation.ConversationLog
    Metric = str
else:
    # Each log becomes its value before the next is read: as they came, thousands take three times as much.
    LogValue = Annotated[Log, AfterValidator(log_value)]
    Metric = choice("Metric", METRICS, "Metrics that a request can name.")

Cut = Annotated[int, Field(ge=1), WHOLE]
Group = Annotated[
    dict[str, str],
    Field(description="The labels of `group_by`, and those that distinguish figures of one metric."),
]

_REQUEST: dict[str, Any] = {
    "logs": [
        {
            "system": "our-crs-2.3",
            "messages": [
                {"role": "user", "content": "Something tense, please."},
                {
                    "role": "assistant",
                    "content": "How about The Pelican Protocol (2019)?",
                    "recommendations": ["The Pelican Protocol (2019)", "Glass Harvest (2018)"],
                },
                {"role": "user", "content": "I will watch The Pelican Protocol."},
            ],
            "ground_truth": ["Glass Harvest (2018)"],
            "outcome": {"accepted": True, "message": 2},
        }
    ],
    "metrics": ["recall", "success_rate", "deceptive_acceptances"],
    "k": [1, 10],
    "group_by": ["system"],
}


class Reply(Incoming):
    """A recommender's reply to one wording of a message."""

    content: str
    recommendations: list[NonBlank] | None = Field(None, max_length=PLENTY)
    """The list shown with it, best first; leave it out where none is recorded."""


class ReplyPair(Incoming):
    """Replies to two wordings of one message, after the same conversation."""

    first: Reply
    second: Reply
    attributes: list[str] | None = Field(None, max_length=MANY)
    """The user's wishes: they distinguish diverse recommendations from sensitive ones."""

    def value(self) -> reply_pairs.ReplyPair:
        attributes = tuple(self.attributes or ())
        return reply_pairs.ReplyPair(
            self.first.to(reply_pairs.Reply), self.second.to(reply_pairs.Reply), attributes
        )


class MetricsRequest(Incoming):
    """Logs to compute metrics over."""

    model_config = ConfigDict(json_schema_extra={"examples": [_REQUEST]})

    logs: list[LogValue] = Field(max_length=MOST)
    verdicts: list[Annotated[list[Verdict], Field(max_length=MANY)]] | None = Field(None, max_length=MOST)
    """For each log, in order, its verdicts: CONCEPT's abilities read those of its factors."""
    reply_pairs: list[ReplyPair] | None = Field(None, max_length=PLENTY)
    """Pairs of replies for reliability, which also needs `catalog` and the `items` of all logs; not
    grouped."""
    metrics: list[Metric] | None = Field(
        None, min_length=1, max_length=FEW, examples=[["recall", "success_rate"]]
    )
    """Default: all."""
    k: list[Cut] | None = Field(None, max_length=100, examples=[[1, 10]])
    """Lengths at which lists are cut, beside the whole list; 1, 10, 25, 50 by default."""
    turns: list[Cut] | None = Field(None, max_length=100, examples=[[5, 10]])
    """Turns at which sessions are cut for success, beside the whole; 3, 5, 10 by default."""
    group_by: list[Label] | None = Field(None, max_length=FEW, examples=[["system", "persona"]])
    """Any of system, persona, age_group, attributes, domain: figures for each combination that occurs."""
    spread_over: list[Label] | None = Field(None, max_length=FEW, examples=[["persona"]])
    """Labels of `group_by`. Each adds the mean and the population standard deviation of every figure over
    its groups (`group.over`, `group.statistic`), within each combination of the other labels. Groups
    weigh alike."""
    catalog: str | None = Field(None, examples=["films"])
    """Name of a catalogue that the operator provides."""
    matching: Matching | None = None
    """`strict` by default; `published` repeats the rules behind CONCEPT's tables, unsound as they are."""


class AbilityScore(Outgoing):
    """One ability of one group."""

    group: Group
    score: Figure | None
    """1 to 5, higher is better; coordination: from 0, lower is steadier."""
    interval: Interval | None
    n: int = Field(description="Conversations; reply pairs for reliability; groups for coordination.")
    parts: list[AbilityPart]
    missing: list[str]
    """Parts that have no value; an ability of 1 to 5 has no score without all of them."""
    undefined: str | None = Field(description="A code from a published list that may grow.")


class Abilities(Outgoing):
    """CONCEPT's six abilities, each with a score for each group."""

    quality: list[AbilityScore]
    reliability: list[AbilityScore]
    cooperation: list[AbilityScore]
    social_awareness: list[AbilityScore]
    identity: list[AbilityScore]
    coordination: list[AbilityScore]


class MetricsAnswer(Outgoing):
    """A tidy table, one row a figure, and the abilities."""

    rows: list[MetricRow]
    abilities: Abilities
