"""`POST /simulate/audit`."""

import asyncio
from collections.abc import Sequence
from typing import Any, Self

from fastapi import APIRouter, Request
from pydantic import ConfigDict, Field, model_validator
from starlette.responses import Response

from ...catalogue.catalogue import Catalogue
from ...domain.completion import NO_USAGE, CacheMode, Usage
from ...domain.conversation import UNKNOWN_DOMAIN, ConversationLog
from ...simulators import audit as domain
from ...simulators.audit import PUBLISHED, audit_acceptances, audit_choices
from ...simulators.conduct import acts, divergence, traits
from ...simulators.likeness import human_likeness
from ..answers import json_response
from ..body import read, unless_gone
from ..deployment import CurrentDeployment, Deployment
from ..openapi_parts import posted
from ..plans.scoring import checked_log, named_catalogue
from ..plans.simulation import model_of
from ..wire.log import Item, Log
from ..wire.model import MANY, MOST, Figure, Incoming, NonBlank, Outgoing
from ..wire.score import JudgeText
from ..wire.verdict import JudgeRef

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
        """The value that the audit reads."""
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


router = APIRouter(tags=["simulate"])


@router.post(
    "/simulate/audit",
    summary="Audit simulated users",
    **posted(AuditRequest, AuditAnswer, 502, 504),
)
async def audit_users(request: Request, deployment: CurrentDeployment) -> Response:
    """Audits logs of simulated users. Counts how often they name the item that they want, repeat themselves, and say their
    wishes in the catalogue's words. Counts how often they accept what was not granted. Measures how much their acts differ from those of people.
    Measures whether a discriminator tells them from people, and how much less they accept from a worse recommender.
    Of `choices`, counts how often a taste prefers the item that its user rated higher."""
    body = await read(request, AuditRequest, deployment.limits)
    return json_response(await unless_gone(request.receive, _audit(body, deployment)))


async def _audit(body: AuditRequest, deployment: Deployment) -> AuditAnswer:
    catalogue = named_catalogue(body.catalog, deployment)
    logs, people, worse = (
        [checked_log(log, deployment).value() for log in given or ()]
        for given in (body.logs, body.people, body.worse)
    )
    asker = model_of(body.judge, deployment, pointer="/judge") if body.choices else None
    findings, usage = [], NO_USAGE
    if logs:
        findings = await asyncio.to_thread(_conduct, logs, people, worse, catalogue)
    if body.choices and asker:
        cases = [choice.value() for choice in body.choices]
        chosen, usage = await audit_choices(
            cases, body.domain or UNKNOWN_DOMAIN, asker, deployment.call(body.cache)
        )
        findings.append(_finding(chosen.name, chosen.value, chosen.n))
    return AuditAnswer(
        findings=findings,
        acts=acts(logs),
        acts_of_people=acts(people) if people else None,
        judge=JudgeRef.of(asker.name) if asker else None,
        usage=usage,
    )


def _conduct(
    logs: Sequence[ConversationLog],
    people: Sequence[ConversationLog],
    worse: Sequence[ConversationLog],
    catalogue: Catalogue | None,
) -> list[AuditFinding]:
    own, theirs, there = (
        {one.name: one for one in (*traits(given, catalogue), audit_acceptances(given, catalogue))}
        for given in (logs, people, worse)
    )
    found = [
        _finding(name, one.value, one.n, people=theirs[name].value, worse=there[name].value)
        for name, one in own.items()
    ]
    if people:
        apart = divergence(acts(logs), acts(people))
        found.append(_finding("acts_unlike_people", apart, own["words_a_message"].n))
        found.append(_finding("human_likeness", human_likeness(logs, people), len(logs), people=0.5))
    if worse:
        sound, with_faults = own["accepts"], there["accepts"]
        lost = None if sound.value is None or with_faults.value is None else sound.value - with_faults.value
        found.append(_finding("notices_faults", lost, sound.n + with_faults.n))
    return found


def _finding(
    audit: str, value: float | None, n: int, people: float | None = None, worse: float | None = None
) -> AuditFinding:
    return AuditFinding(
        audit=audit, value=value, n=n, people=people, worse=worse, published=PUBLISHED.get(audit)
    )
