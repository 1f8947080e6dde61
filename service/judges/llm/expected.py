"""A score weighed by the probabilities that a model gave the levels, at the place where it wrote one."""

import math
import re
from dataclasses import replace

from ...domain.completion import Completion, TokenOdds
from ...domain.rubric import Factor, Scale
from ...domain.verdict import Flag
from .answer import Failure, RatedAnswer

LEAST_SHARE = 0.2
"""The share of the probability below which the levels say little."""

EXPECTED_REVISION = 1
"""Raised with every change that makes another score of the same probabilities."""

# A quotation mark inside a text of the answer follows a backslash: this is a key, and never quoted.
_SCORE = re.compile(r'(?<!\\)"score"\s*:\s*"?(?=-?\d)')
_DIGIT = re.compile(r"\W{0,8}(\d)\W{0,8}")


def weighed(
    rated: RatedAnswer, completion: Completion, factor: Factor, *, alone: bool
) -> RatedAnswer | Failure:
    """Return the reading scored by the levels' probability-weighted mean, and their share of all probability.
    A failure if the provider gave no probabilities there."""
    odds = _odds(completion, factor, alone=alone)
    if odds is None:
        return Failure("no_logprobs", "the provider gave no probabilities of the score's levels")
    levels = _levels(odds, factor.scale)
    share = sum(levels.values())
    if share <= 0:
        return Failure(
            "no_logprobs", "no level of the scale is among the probabilities that the provider gave"
        )
    mean = sum(level * part for level, part in levels.items()) / share
    variance = sum((level - mean) ** 2 * part for level, part in levels.items()) / share
    width = (factor.scale.max - factor.scale.min) / 2
    share = min(1.0, share)
    flags = rated.flags
    if share < LEAST_SHARE:
        detail = (
            f"the levels hold {share:.0%} of the probability: the model was about to write something else"
        )
        flags = (*flags, Flag("low_scale_share", detail))
    confidence = share * max(0.0, 1 - math.sqrt(variance) / width)
    return replace(rated, score=mean, scale_share=share, confidence=confidence, flags=flags)


def _odds(completion: Completion, factor: Factor, *, alone: bool) -> TokenOdds | None:
    """The alternatives at the score of a factor's last verdict."""
    start = 0
    if not alone:
        key = re.compile(rf'(?<!\\)"{re.escape(factor.slug)}"\s*:\s*\{{')
        found = list(key.finditer(completion.text))
        if not found:
            return None
        start = found[-1].end()
    places = [match.end() for match in _SCORE.finditer(completion.text, start)]
    if not places:
        return None
    at = places[-1] if alone else places[0]
    return next((odds for odds in completion.odds if odds.start <= at < odds.stop), None)


def _levels(odds: TokenOdds, scale: Scale) -> dict[int, float]:
    """The probability of each level: tokens that differ only in blanks and marks are one."""
    levels: dict[int, float] = {}
    for token, logprob in dict(odds.alternatives).items():
        found = _DIGIT.fullmatch(token)
        if found and int(found[1]) in scale.levels:
            level = int(found[1])
            levels[level] = levels.get(level, 0.0) + math.exp(min(0.0, logprob))
    return levels
