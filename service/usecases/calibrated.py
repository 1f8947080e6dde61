"""Finished verdicts, summaries and debates on people's scale."""

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

from ..domain.calibration import Calibrated, CalibrationMap
from ..domain.rubric import Factor, Scale
from ..domain.verdict import Flag, Scored, Verdict
from ..errors import InvalidRequest
from ..scoring.summary import Summary
from .plans.calibration import AT, OVERALL, places
from .plans.scoring import ScoringPlan
from .wire import verdict as wire
from .wire.score import Notice

ELSEWHERE = "calibration_elsewhere"


def calibrated_verdict(verdict: Verdict, scoring: ScoringPlan) -> wire.Verdict:
    """Return a verdict on the wire, with its score on people's scale where the request's calibration has a map.

    Raises InvalidRequest where the map was made for another judge or revision."""
    scale = scoring.factors[verdict.factor].scale
    maps = scoring.calibration.of(verdict.factor)
    if not isinstance(verdict, Scored) or not maps:
        return wire.Verdict.on_scale(verdict, scale)
    chosen = _chosen(verdict, maps, elsewhere=scoring.calibration.elsewhere)
    away = [*_revision(verdict, chosen), *places(chosen, scoring.evaluation.judge_input.log)]
    if away:
        detail = f"The map of {verdict.factor} was {'; '.join(away)}."
        verdict = replace(verdict, flags=(*verdict.flags, Flag(ELSEWHERE, detail)))
    return wire.Verdict.on_scale(verdict, scale, chosen.apply(verdict.score))


@contextmanager
def attach_partial_verdicts(verdicts: Sequence[Verdict], scoring: ScoringPlan) -> Iterator[None]:
    """Let a refusal carry the verdicts that were had before it."""
    try:
        yield
    except InvalidRequest as refusal:
        refusal.partial |= {"verdicts": dumped(verdicts, scoring.factors)}
        raise


def dumped(verdicts: Sequence[Verdict], factors: Mapping[str, Factor]) -> list[dict[str, Any]]:
    """Return verdicts as the members of a problem."""
    return [wire.Verdict.on_scale(one, factors[one.factor].scale).model_dump(mode="json") for one in verdicts]


def calibrated_key(key: str, scoring: ScoringPlan) -> str:
    """Return the comparison key of an answer whose key without its calibration is `key`."""
    if not scoring.calibration.maps:
        return key
    whole = f"{key},{scoring.calibration.hash},{scoring.calibration.elsewhere}"
    return hashlib.sha256(whole.encode()).hexdigest()[: len(key)]


def calibrated_mean(
    mean: float | None, key: str, scoring: ScoringPlan, *, of: str = OVERALL, scale: Scale | None = None
) -> Calibrated | None:
    """Return on people's scale a debate's score, or a summary's mean (`of` its protocol). `key` is the comparison key of the
    answer without its calibration.

    Raises InvalidRequest where the map was made for answers that do not compare with this one."""
    chosen = None if mean is None else _map_of_answer(of, scale, key, scoring)
    return chosen.apply(mean) if chosen and mean is not None else None


def calibration_notices(
    verdicts: Sequence[Verdict],
    key: str,
    scoring: ScoringPlan,
    *,
    summaries: Sequence[Summary] = (),
    debated: bool = False,
) -> list[Notice]:
    """Warn of verdicts without a map, and of summaries and debates whose map was made for other answers, systems or domains.

    `key` is the comparison key of the answer without its calibration, `debated` says that the answer holds a debate's score."""
    calibration = scoring.calibration
    found: list[Notice] = []
    bare = [v.factor for v in verdicts if isinstance(v, Scored) and not calibration.of(v.factor)]
    if calibration.maps and bare:
        detail = f"The calibration has no map of {', '.join(bare)}: these scores stay on the judge's scale."
        found.append(Notice(code="not_calibrated", detail=detail))
    answers: list[tuple[str, Scale | None]] = [
        (one.protocol, one.scale) for one in summaries if one.mean is not None
    ]
    answers += [(OVERALL, None)] if debated else []
    for name, scale in answers:
        if (chosen := _map_of_answer(name, scale, key, scoring)) is None:
            if scale and (others := calibration.of(name)):
                made = others[0].judge_scale
                detail = (
                    f"The map of {name} is for scores on {made.min} to {made.max}. This summary's {scale.min} to {scale.max} stays on "
                    "the judge's scale: make a map with this scale in `scales` of /calibrate."
                )
                found.append(Notice(code="not_calibrated", detail=detail))
            continue
        away = [*_other_answers(chosen, key), *places(chosen, scoring.evaluation.judge_input.log)]
        if away:
            found.append(Notice(code=ELSEWHERE, detail=f"The map of {name} was {'; '.join(away)}."))
    return found


def _chosen(verdict: Scored, maps: Sequence[CalibrationMap], *, elsewhere: bool) -> CalibrationMap:
    """The map of the verdict's judge and revision; of its judge alone where the caller wants that."""
    of_judge = [one for one in maps if one.judge == verdict.judge]
    exact = [one for one in of_judge if one.evaluator_revision == verdict.evaluator_revision]
    if exact:
        return exact[0]
    if not of_judge:
        raise InvalidRequest.at(
            AT,
            f"the map of {verdict.factor} was made for the judge {maps[0].judge}, and {verdict.judge} answered",
            "make a map for this judge with /calibrate",
        )
    if not elsewhere:
        raise InvalidRequest.at(
            AT,
            f"the map of {verdict.factor} was {next(_revision(verdict, of_judge[0]))}",
            "make a map from scores of this revision with /calibrate, or send `elsewhere: true`",
        )
    return of_judge[0]


def _revision(verdict: Scored, chosen: CalibrationMap) -> Iterator[str]:
    if chosen.evaluator_revision != verdict.evaluator_revision:
        made = chosen.evaluator_revision or "an unknown one"
        yield f"made for the judge's revision {made}, not for {verdict.evaluator_revision}"


def _map_of_answer(name: str, scale: Scale | None, key: str, scoring: ScoringPlan) -> CalibrationMap | None:
    """The map of a summary on this scale, or of a debate: the one for this comparison key, or any if the caller wants that."""
    maps = [one for one in scoring.calibration.of(name) if scale in (None, one.judge_scale)]
    if not maps:
        return None
    exact = [one for one in maps if one.comparison_key == key]
    if not exact and not scoring.calibration.elsewhere:
        raise InvalidRequest.at(
            AT,
            f"the map of {name} was {next(_other_answers(maps[0], key))}",
            "make a map from answers that were asked for in this way, or send `elsewhere: true`",
        )
    return (exact or maps)[0]


def _other_answers(chosen: CalibrationMap, key: str) -> Iterator[str]:
    if chosen.comparison_key != key:
        made = chosen.comparison_key or "unknown"
        yield f"made from answers with the comparison key {made}, and this one's is {key}"
