"""A stronger judge's scores in the place of people's labels."""

from collections.abc import Sequence

from ..exits import CommandError
from ..labelling.labels import Label
from ..records import Record
from .judged_scores import judged_scores, judges_of


def judge_labels(records: Sequence[Record]) -> tuple[list[Label], str]:
    """Each score of these results as a label, and the judge who gave them all. Raises CommandError where there are
    several judges or none."""
    scores = [score for score in judged_scores(records) if score.revision is not None]
    judges = judges_of(scores)
    if len(judges) != 1:
        told = ", ".join(judges) or "nobody"
        raise CommandError(f"The labels are to be one judge's; these results are by {told}.")
    labels = [
        Label(
            conversation=score.record.conversation,
            system=score.record.system,
            factor=score.factor,
            rater=score.judge,
            score=score.score,
            digest=score.record.digest,
        )
        for score in scores
    ]
    return labels, judges[0]
