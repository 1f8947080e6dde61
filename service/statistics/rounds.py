"""Debates, round by round: how often all debaters, or most of them, give one score.

The debaters of a log are the judges whose ratings of it carry a `round`. A debate that has ended
keeps its last round in all later ones, so that every round is a share of the same debates."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from enum import StrEnum

import numpy as np

from .ratings import FactorSheet, Rated
from .rows import FigureUnit, StatRow, Workshop

MAJORITY = 0.75
"""CoRE's major agreement: at least three quarters of the roles give the same score."""


class Rounds(StrEnum):
    """A figure of a round."""

    DEBATE_ALL_AGREE = "debate_all_agree"
    DEBATE_MAJOR_AGREE = "debate_major_agree"
    DEBATE_SPREAD = "debate_spread"


def debate_rows(sheet: FactorSheet, names: Sequence[Rounds], work: Workshop) -> Iterator[StatRow]:
    """One row a round and statistic. The spread is the highest score less the lowest."""
    debates = _debates(sheet)
    if not debates:
        return
    last = max(number for rounds in debates.values() for number in rounds)
    for number in range(1, last + 1):
        if stands := [standing for rounds in debates.values() if (standing := _standing(rounds, number))]:
            yield from (_row(sheet.factor, name, number, stands, work) for name in names)


def _debates(sheet: FactorSheet) -> dict[Rated, dict[int, list[float]]]:
    """Scores by debate and round, of debates that at least two judges spoke in."""
    found: dict[Rated, dict[int, list[float]]] = {}
    speakers: Counter[Rated] = Counter()
    for units in sheet.rounds.values():
        for unit, rounds in units.items():
            speakers[unit] += 1
            for number, score in rounds.items():
                found.setdefault(unit, {}).setdefault(number, []).append(score)
    return {unit: rounds for unit, rounds in found.items() if speakers[unit] > 1}


def _standing(rounds: Mapping[int, list[float]], number: int) -> list[float] | None:
    """The scores after that round."""
    held = [given for given in rounds if given <= number]
    return rounds[max(held)] if held else None


def _row(
    factor: str, name: Rounds, number: int, stands: Sequence[Sequence[float]], work: Workshop
) -> StatRow:
    work.check()
    values = np.array([_value(name, scores) for scores in stands])
    return StatRow(
        statistic=name.value,
        value=float(values.mean()),
        unit=FigureUnit.POINTS if name is Rounds.DEBATE_SPREAD else FigureUnit.SHARE,
        n=len(values),
        conversations=len(values),
        interval=work.interval(len(values), 1, lambda w: np.asarray(w @ values / len(values))),
        factor=factor,
        round=number,
    )


def _value(name: Rounds, scores: Sequence[float]) -> float:
    if name is Rounds.DEBATE_SPREAD:
        return max(scores) - min(scores)
    share = MAJORITY if name is Rounds.DEBATE_MAJOR_AGREE else 1.0
    return float(max(Counter(scores).values()) >= share * len(scores))
