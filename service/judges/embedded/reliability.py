"""Confidence in verdicts: by the number of replies, the faults found in tests, and agreement with people."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from statistics import fmean

from ...domain.conversation import UNKNOWN_DOMAIN
from ...domain.verdict import DetectedFault, Flag
from ...faults.measured import share_reported
from ...text.patterns import Lexicon
from .features import ConversationFeatures
from .findings import Finding, phrase, sure

LITTLE_TESTED = "little_tested"
#: Replies from which on a conversation is like those that were labelled.
FEWEST = 2
CERTAIN = 0.9
"""Least confidence in a score whose costliest fault is certain."""


@dataclass(frozen=True, slots=True)
class DomainReliability:
    """A kind of conversation: its name, its domains, the number of labelled ones, and the agreement on
    them."""

    name: str
    description: str
    domains: frozenset[str]
    n: int
    agreement: float


@cache
def domain_reliabilities() -> tuple[DomainReliability, ...]:
    """The kinds that were measured, the one that this judge was made for first."""
    return tuple(
        DomainReliability(
            name, row["description"], frozenset(row["domains"].split()), row["n"], row["agreement"]
        )
        for name, row in Lexicon(__package__, "reliability").tables.items()
    )


def confidence_in(
    features: ConversationFeatures, factor: str, count: int, faults: Sequence[DetectedFault] = ()
) -> float:
    """Return the confidence in a score of this many replies. It grows with their number, up to the mean of two shares:
    faults of the factor that are reported, and agreement with people on such conversations."""
    domain, (_, *others) = nearest_domain(features), domain_reliabilities()
    agreement = domain.agreement if domain else fmean(each.agreement for each in others)
    confidence = round(sure(count) * (share_reported(factor) + agreement) / 2, 2)
    return max(confidence, CERTAIN) if faults and faults[0].certain else confidence


def with_little_tested(features: ConversationFeatures, found: Finding) -> Finding:
    """Return a finding with a flag where its kind of conversation is little tested."""
    home, *others = domain_reliabilities()
    domain = nearest_domain(features)
    if not (unusual := list(_unusual(features, domain))):
        return found
    near = [domain] if domain and domain is not home else ([home] if domain else others)
    flag = Flag(LITTLE_TESTED, phrase("tested.flag", unusual="; ".join(unusual), measured=_measured(near)))
    return replace(found, flags=(*found.flags, flag))


def nearest_domain(features: ConversationFeatures) -> DomainReliability | None:
    """The log's kind, by domain and by whether anything was recommended; None if none fits."""
    by_name = {one.name: one for one in domain_reliabilities()}
    name = features.log.domain.casefold()
    found = next((one for one in by_name.values() if name in one.domains), None)
    if found is by_name["films"] and not (features.session_list or features.recommending):
        return by_name["interviews"]
    return found


def _unusual(features: ConversationFeatures, domain: DomainReliability | None) -> Iterator[str]:
    """Yield differences from the conversations that this judge was made for."""
    if domain is None:
        known = features.log.domain != UNKNOWN_DOMAIN
        yield (phrase("tested.domain", domain=features.log.domain) if known else phrase("tested.no-domain"))
    elif domain is not domain_reliabilities()[0]:
        yield phrase("tested.films")
    if len(features.log.replies) < FEWEST:
        yield phrase("tested.single-reply")


def _measured(near: Sequence[DomainReliability]) -> str:
    return "; ".join(
        phrase("tested.measured", kind=each.description, agreement=each.agreement, n=each.n) for each in near
    )
