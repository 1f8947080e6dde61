"""The parts of CONCEPT's abilities, computed from logs, verdicts and reply pairs."""

from collections.abc import Sequence

from .abilities import JUDGED
from .families import recommendation, reliability, sincerity
from .figures import Figure, Undefined, Unit, View, parts
from .reading import Cuts, Reading
from .reply_pairs import Comparison

# A roll-up reads success within CONCEPT's ten rounds and recall of its longest lists.
ROUNDS = 10
LIST = 50

READ_BY_ABILITIES = ("recall", "success_rate", "nonexistent_items", "deceptive_acceptances")
"""Metrics whose readings the parts below ask for."""


def log_parts(readings: Sequence[Reading]) -> dict[str, Figure]:
    """The parts that logs and verdicts give, by name."""
    none = Cuts()
    figures = {
        "recall_at_50": recommendation.last_recall(readings, LIST),
        "success_rate_lists": recommendation.success(readings, View.LISTS, ROUNDS),
        "success_rate_text": recommendation.success(readings, View.TEXT, ROUNDS),
        "acceptance_rate": next(recommendation.acceptance_rate(readings, none)),
        "nonexistent_items": next(sincerity.nonexistent_items(readings, none)),
        "deceptive_acceptances": next(sincerity.deceptive_acceptances(readings, none)),
    }
    for name, factor in JUDGED.items():
        scores = (reading.scores.get(factor) for reading in readings)
        figures[name] = Figure(name, Unit.POINTS, *parts(scores), Undefined.NO_VERDICTS)
    return figures


def pair_parts(pairs: Sequence[Comparison | None], view: View) -> dict[str, Figure]:
    """The parts that reply pairs give, by name."""
    return {
        "consistent_action": reliability.consistent_action(pairs, view),
        "sensitive_pairs": reliability.sensitive_pairs(pairs, view),
    }
