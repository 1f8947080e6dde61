"""The embedded debate, whatever the verdicts: monotone, bounded, whole numbers, the same every time."""

import asyncio
from collections.abc import Mapping

from hypothesis import given
from hypothesis import strategies as st

from service.debates.embedded import EmbeddedDebater
from service.debates.roles import DebateRole, default_roles, load_roles
from service.debates.rounds import Terms
from service.debates.statement import Debate, DebateSubject, Participant
from service.domain.completion import Call
from service.domain.verdict import Flag, Verdict
from service.factors import load_factors
from service.judges.evaluation import JudgeInput
from tests import factories
from tests.factories import gap, known, talk
from tests.unit.debates.scripted import finish

FACTORS = load_factors()
SHIPPED = default_roles(load_roles(FACTORS))

score = st.integers(0, 8).map(lambda halves: halves / 2)
scores = st.dictionaries(st.sampled_from(list(FACTORS)), st.none() | score, min_size=1).filter(
    lambda found: any(value is not None for value in found.values())
)
silent = st.sets(st.sampled_from(list(FACTORS)))
domain = st.sampled_from(["movie", "health", "garden"])
custom = st.lists(
    st.lists(st.sampled_from(list(FACTORS)), min_size=1, unique=True), min_size=3, max_size=8
).map(lambda some: tuple(DebateRole(f"r{i}", f"R{i}", "You rate.", tuple(f)) for i, f in enumerate(some)))
roles = st.just(SHIPPED) | custom


def _verdict(factor: str, value: float | None, quiet: bool) -> Verdict:
    if value is None:
        return gap(factor)
    scale = FACTORS[factor].scale
    flags = (Flag("no_occasion", ""),) if quiet else ()
    return factories.scored(factor, min(max(value, scale.min), scale.max), flags=flags)


def _debate(
    found: Mapping[str, float | None], quiet: set[str], where: str, who: tuple[DebateRole, ...], seed: int = 0
) -> Debate:
    log = talk("u: Hello?", "a: Hello.", domain=where)
    verdicts = [_verdict(slug, value, slug in quiet) for slug, value in found.items()]
    subject = DebateSubject.of(JudgeInput(log), verdicts, FACTORS)
    return asyncio.run(
        finish(subject, [Participant(r, EmbeddedDebater()) for r in who], Terms(seed=seed), Call())
    )


@given(scores, silent, domain, roles, st.data())
def test_raising_one_verdict_never_lowers_the_overall(
    found: dict[str, float | None],
    quiet: set[str],
    where: str,
    who: tuple[DebateRole, ...],
    data: st.DataObject,
) -> None:
    scored = sorted(slug for slug, value in found.items() if value is not None)
    slug = data.draw(st.sampled_from(scored))
    before = known(found[slug])
    raised = data.draw(score.filter(lambda value: value >= before))
    low, high = _debate(found, quiet, where, who), _debate({**found, slug: raised}, quiet, where, who)
    assert high.overall >= low.overall


@given(scores, silent, domain, roles, st.integers(0, 10**6))
def test_the_same_verdicts_give_the_same_debate_and_order_changes_nothing(
    found: dict[str, float | None], quiet: set[str], where: str, who: tuple[DebateRole, ...], seed: int
) -> None:
    first = _debate(found, quiet, where, who)
    assert first == _debate(dict(reversed(found.items())), quiet, where, who)
    assert first.overall == _debate(found, quiet, where, who, seed).overall
