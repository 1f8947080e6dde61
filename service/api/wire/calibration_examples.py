"""The example of `/calibrate`: eight judged conversations, four of them with labels. A test asks for its answer."""

from typing import Any

_JUDGED = (3, 4, 3, 2, 4, 3, 1, 4)
_LABELS = (2, 4, 3, 1)
REQUEST: dict[str, Any] = {
    "ratings": [
        {"conversation": f"s{number}", "factor": "coherence", "rater": rater, "kind": kind, "score": score}
        for rater, kind, scores in (("builtin", "judge", _JUDGED), ("anna", "human", _LABELS))
        for number, score in enumerate(scores, start=1)
    ],
    "target": "future",
}
ANSWER: dict[str, Any] = {
    "means": [
        {
            "system": None,
            "factor": "coherence",
            "label": "coherence",
            "judge": "builtin",
            "scale": {"min": 0, "max": 4},
            "mean": 2.5,
            "interval": {"low": 0.1448, "high": 4, "level": 0.95},
            "standard_error": 0.6002,
            "degrees_of_freedom": 3,
            "plain": {"mean": 2.5, "interval": {"low": 0.2416, "high": 4, "level": 0.95}},
            "judge_mean": 3,
            "bias": {"value": 0.5, "interval": {"low": -1.0373, "high": 2.2373, "level": 0.95}},
            "n": 4,
            "judged": 8,
            "worth": 0.916,
            "correlation": 0.9487,
            "weight": 0.75,
            "annotators": {"raters": 1, "overlap": 0, "spread": None, "alpha": None},
            "warnings": ["few_labels", "one_annotator"],
        }
    ],
    "differences": [],
    "maps": [
        {
            "factor": "coherence",
            "label": "coherence",
            "judge": {"name": "builtin", "model": None},
            "evaluator_revision": None,
            "comparison_key": None,
            "systems": [],
            "domains": [],
            "form": "identity",
            "scales": {"judge": {"min": 0, "max": 4}, "people": {"min": 0, "max": 4}},
            "knots": [
                {"score": 0, "value": 0, "low": None, "high": None},
                {"score": 4, "value": 4, "low": None, "high": None},
            ],
            "n": 4,
            "error_before": None,
            "error": None,
            "level": 0.9,
            "coverage": None,
            "hash": "530f58f975361a54",
        }
    ],
    "plan": [
        {
            "system": None,
            "factor": "coherence",
            "judge": "builtin",
            "half_width": 0.2,
            "half_width_now": 1.9276,
            "labels": 223,
            "labels_without_judge": 223,
            "labels_with_more_judged": 165,
        }
    ],
    "warnings": [
        {
            "code": "few_labels",
            "detail": "builtin on coherence: 4 labels. Below 20 intervals may hold less than they say.",
        },
        {
            "code": "one_annotator",
            "detail": "coherence: one person gave all labels. The intervals hold for this person's "
            "judgement.",
        },
    ],
}
