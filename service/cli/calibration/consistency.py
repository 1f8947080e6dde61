"""Steadiness of annotators: what each said when a conversation came a second time, unannounced."""

from collections.abc import Mapping
from dataclasses import dataclass

from .matching import Matched


@dataclass(frozen=True)
class Consistency:
    """One label over all annotators: `pairs` of answers to the same conversation, how many of them are the `same`, and by
    how many points they differ on average."""

    pairs: int
    same: int
    difference: float


def consistency(matched: Matched) -> Mapping[str, Consistency]:
    """The consistency by label; labels without a second answer are left out."""
    first = {
        (one.record.conversation, one.record.system, one.label.factor, one.label.rater): one.label.score
        for one in matched.first
    }
    found: dict[str, list[float]] = {}
    for one in matched.again:
        name = (one.record.conversation, one.record.system, one.label.factor, one.label.rater)
        if name in first:
            found.setdefault(one.label.factor, []).append(abs(one.label.score - first[name]))
    return {
        factor: Consistency(len(gaps), sum(gap == 0 for gap in gaps), sum(gaps) / len(gaps))
        for factor, gaps in found.items()
    }
