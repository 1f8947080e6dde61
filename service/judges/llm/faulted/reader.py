"""Reads the answers to a question for faults."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial

from ....domain.completion import Completion
from ....domain.rubric import Factor
from ..answer import Failure, Reading, Unreadable
from .checking import check_faults
from .entries import FaultList, FaultOutline, is_whole, outline_faults, read_faults
from .question import fault_schema, occasions
from .scoring import FaultScorer

REPLY_TOKENS = 150
"""Tokens that the faults of a reply may take, their quotes included."""


@dataclass(frozen=True)
class FaultReader:
    """Makes a score for each factor of one list of faults."""

    group: tuple[Factor, ...]
    scorer: FaultScorer

    @property
    def _slugs(self) -> tuple[str, ...]:
        return tuple(factor.slug for factor in self.group)

    @property
    def _outline(self) -> FaultOutline:
        return outline_faults(self.scorer.case, occasions(self._slugs))

    @property
    def room(self) -> int:
        """Tokens of all entries."""
        return REPLY_TOKENS * len(self.scorer.case.log.replies)

    @property
    def schema(self) -> str:
        """The form of the answer."""
        return fault_schema(self._slugs)

    @property
    def accepts(self) -> Callable[[str], bool]:
        """Return whether an answer holds the faults of all replies."""
        return partial(is_whole, outline=self._outline)

    def read(self, completion: Completion) -> Mapping[str, Reading | Unreadable | Failure]:
        """The score of each factor. Of an answer that does not cover all replies it is a fallback."""
        listed = read_faults(completion.text, self._outline)
        if isinstance(listed, Unreadable):
            return dict.fromkeys(self._slugs, listed)
        checked = check_faults(listed, self.scorer.case.log, self.scorer.catalogue)
        outcomes = {slug: self.scorer.outcome(slug, checked) for slug in self._slugs}
        replies = len(self.scorer.case.log.replies)
        if listed.replies_read == replies:
            return outcomes
        problem = (
            f'"replies_read" is {listed.replies_read}, and the log has {replies} messages of the recommender'
        )
        unread = (
            None
            if _is_of_use(listed)
            else Failure("replies_not_read", f"the answer cannot be used: {problem}")
        )
        return {slug: Unreadable(problem, unread or outcome) for slug, outcome in outcomes.items()}


def _is_of_use(listed: FaultList) -> bool:
    """Return whether a list that may miss replies says anything: an empty one does not say that nothing is wrong."""
    return bool(listed.entries) and listed.replies_read > 0
