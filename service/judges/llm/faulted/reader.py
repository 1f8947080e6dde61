"""Reads the answers to a question for faults."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from ....domain.completion import Completion
from ....domain.rubric import Factor
from ..answer import Failure, Unreadable
from ..verdicts import ListReader, Outcome, ProblemOf
from .entries import check_faults, faults_problem, read_faults, unread_replies
from .question import fault_schema, occasions
from .scoring import FaultScorer

REPLY_TOKENS = 150
"""Tokens that the faults of a reply may take, their quotes included."""


@dataclass(frozen=True)
class FaultReader:
    """Makes a score for each factor of one list of faults. `lists` reads the lists of items beside it, for factors of the same
    group."""

    group: tuple[Factor, ...]
    scorer: FaultScorer
    lists: ListReader

    @property
    def _slugs(self) -> tuple[str, ...]:
        counted = {factor.slug for factor in self.lists.group}
        return tuple(factor.slug for factor in self.group if factor.slug not in counted)

    @property
    def room(self) -> int:
        """Tokens of all entries."""
        return REPLY_TOKENS * len(self.scorer.judge_input.log.replies) + self.lists.room

    @property
    def schema(self) -> str:
        """The form of the answer."""
        return fault_schema(self._slugs, self.lists.group, self.lists.outline)

    @property
    def problem_of(self) -> ProblemOf:
        """Tells why an answer does not hold the faults of all replies, and every list of items."""
        of_faults = partial(faults_problem, outline=self.lists.outline, lists=occasions(self._slugs))
        return partial(_first_problem, parts=(of_faults, self.lists.problem_of))

    def read(self, completion: Completion) -> Mapping[str, Outcome]:
        """Return each factor's score, a fallback if the answer does not cover all replies."""
        return {**self._read_faults(completion.text), **self.lists.read(completion)}

    def _read_faults(self, text: str) -> Mapping[str, Outcome]:
        listed = read_faults(text, self.lists.outline, occasions(self._slugs))
        if isinstance(listed, Unreadable):
            return dict.fromkeys(self._slugs, listed)
        checked = check_faults(listed, self.scorer.judge_input.log, self.scorer.catalogue)
        outcomes = {slug: self.scorer.outcome(slug, checked) for slug in self._slugs}
        problem = unread_replies(listed, self.lists.outline)
        if problem is None:
            return outcomes
        if not listed.entries or listed.replies_read == 0:
            # If replies may be missing, an empty list does not mean that nothing is wrong.
            failure = Failure("replies_not_read", f"the answer cannot be used: {problem}")
            return dict.fromkeys(self._slugs, Unreadable(problem, failure))
        return {slug: Unreadable(problem, outcome) for slug, outcome in outcomes.items()}


def _first_problem(text: str, parts: Sequence[ProblemOf]) -> str | None:
    return next(filter(None, (problem_of(text) for problem_of in parts)), None)
