"""The kind of conversation that a verdict is about, and how well this judge agreed with people on conversations of that
kind: confidence counts for as much as that bears out, and little tested ground is told.

Within a kind nothing that this judge sees tells how far a score is off (docs/embedded-judge.md, "Confidence"); between
kinds agreement differs much."""

import tomllib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from importlib.resources import files
from statistics import fmean

from ....domain.verdict import Flag
from ..observations.reading import Reading
from ..rules.findings import Finding
from ..wording import say

LITTLE_TESTED = "little_tested"
#: Replies from which on a conversation is like those that were labelled.
FEWEST = 2


@dataclass(frozen=True, slots=True)
class Ground:
    """A kind of conversation: what it is called, its domains, how many were labelled, and the agreement on them."""

    name: str
    told: str
    domains: frozenset[str]
    n: int
    agreement: float


@cache
def grounds() -> tuple[Ground, ...]:
    """The kinds that were measured, the one that this judge was made for first."""
    stored = tomllib.loads((files(__package__) / "grounds.toml").read_text(encoding="utf-8"))
    return tuple(
        Ground(name, row["told"], frozenset(row["domains"].split()), row["n"], row["agreement"])
        for name, row in stored.items()
    )


def on_ground(reading: Reading, found: Finding) -> Finding:
    """Return a finding about replies with the confidence that its ground bears out, and a flag where that is little tested."""
    home, *others = grounds()
    ground = nearest(reading)
    agreement = ground.agreement if ground else fmean(each.agreement for each in others)
    strange = list(_strange(reading, ground))
    if not strange:
        return found
    near = [ground] if ground and ground is not home else ([home] if ground else others)
    flag = Flag(LITTLE_TESTED, say("ground.flag", strange="; ".join(strange), measured=_measured(near)))
    share = agreement / home.agreement * (0.5 if len(reading.replies) < FEWEST else 1.0)
    return replace(found, confidence=round(found.confidence * share, 2), flags=(*found.flags, flag))


def nearest(reading: Reading) -> Ground | None:
    """The kind that a log is of, by its domain and by whether anything was recommended; None where none is."""
    by_name = {ground.name: ground for ground in grounds()}
    found = next((ground for ground in grounds() if reading.log.domain.casefold() in ground.domains), None)
    if found is by_name["films"] and not reading.session_list:
        return by_name["interviews"]
    return found


def _strange(reading: Reading, ground: Ground | None) -> Iterator[str]:
    """Tell what sets a log apart from the conversations that this judge was made for."""
    if ground is None:
        yield say("ground.domain", domain=reading.log.domain)
    elif ground is not grounds()[0]:
        yield say("ground.films")
    if len(reading.replies) < FEWEST:
        yield say("ground.single-reply")


def _measured(near: Sequence[Ground]) -> str:
    told = (say("ground.measured", told=each.told, agreement=each.agreement, n=each.n) for each in near)
    return "; ".join(told)
