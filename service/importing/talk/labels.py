"""People's labels in fields that are named as labels are: a rating, thumbs, scores by name."""

import math
from collections.abc import Mapping
from typing import Any, NamedTuple

FIELDS = (
    "rating", "ratings", "score", "scores", "satisfaction", "csat", "nps", "stars", "thumbs", "feedback", "user_feedback",
    "user_rating", "utterance_feedback", "human_rating", "human_ratings", "human_scores", "labels", "annotations", "vote",
)  # fmt: skip
_GROUPS = frozenset({
    "ratings", "scores", "feedback", "user_feedback", "human_ratings", "human_scores", "labels", "annotations",
})  # fmt: skip
"""Fields whose parts are labels by names of their own."""
_FACTORS = ("name", "factor", "key", "criterion", "aspect", "metric", "question")
_VALUES = ("score", "value", "rating", "label")
_RATERS = ("rater", "annotator", "annotator_id", "worker", "user", "source")
_THUMBS = {
    "up": 1.0, "thumbs_up": 1.0, "thumbsup": 1.0, "thumbs-up": 1.0, "like": 1.0, "liked": 1.0, "positive": 1.0, "👍": 1.0,
    "down": 0.0, "thumbs_down": 0.0, "thumbsdown": 0.0, "thumbs-down": 0.0, "dislike": 0.0, "disliked": 0.0, "negative": 0.0,
    "👎": 0.0,
}  # fmt: skip
PEOPLE = "annotators"
MAPPED = "label:"
"""The field of a label for this factor begins so: `label:overall`."""


class Label(NamedTuple):
    """A person's score for a factor."""

    factor: str
    score: float
    rater: str = PEOPLE
    kind: str = "human"


def labels_in(value: Mapping[str, Any]) -> tuple[list[Label], set[str]]:
    """The labels in an object, and the fields that hold them. Fields whose values are no scores are none of them."""
    found = {name: labels for name in FIELDS if name in value and (labels := _labels(name, value[name]))}
    return [label for labels in found.values() for label in labels], {*found}


def as_score(value: Any) -> float | None:
    """A number, a number in words, or a thumb (1 up, 0 down); None for anything else."""
    if not isinstance(value, bool | int | float | str):
        return None
    word = value.strip().casefold() if isinstance(value, str) else value
    try:
        number = float(word)
    except (ValueError, OverflowError):
        return _THUMBS.get(str(word)) if isinstance(word, str) else None
    return number if math.isfinite(number) else None


def _labels(name: str, value: Any) -> list[Label]:
    """All that a field says, a list by annotator or by object; nothing where a part of it is no score."""
    made = [_scored(name, value)]
    if isinstance(value, list):
        made = [
            _one(part) if isinstance(part, Mapping) else _scored(name, part, f"annotator {index}")
            for index, part in enumerate(value, 1)
        ]
    elif isinstance(value, Mapping) and name in _GROUPS:
        one = _one(value)
        made = [one] if one else [_scored(str(factor), part) for factor, part in value.items()]
    labels = [label for label in made if label is not None]
    return labels if len(labels) == len(made) else []


def _scored(factor: str, value: Any, rater: str = PEOPLE) -> Label | None:
    score = as_score(value)
    return None if score is None else Label(factor, score, rater)


def _one(value: Mapping[str, Any]) -> Label | None:
    factor = next((value[field] for field in _FACTORS if isinstance(value.get(field), str)), None)
    score = next((found for field in _VALUES if (found := as_score(value.get(field))) is not None), None)
    rater = next((str(value[field]) for field in _RATERS if isinstance(value.get(field), str | int)), PEOPLE)
    kind = "judge" if value.get("kind") == "judge" else "human"
    return None if factor is None or score is None else Label(factor, score, rater, kind)


def mapped(metadata: dict[str, str]) -> list[Label]:
    """Remove the labels that the caller mapped (`label:overall=stars`) from the extra fields of a message or conversation."""
    given = [
        (name.removeprefix(MAPPED), value) for name, value in metadata.items() if name.startswith(MAPPED)
    ]
    found = [label for label in (_scored(*one) for one in given) if label is not None]
    for label in found:
        del metadata[f"{MAPPED}{label.factor}"]
    return found
