"""The verdicts that answers make. Each answer is read in the way that was asked for: a verdict, one weighed by probabilities, a list
that code counts, a list of faults. One or several draws become one verdict. Everything derived is computed here."""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, fields, replace
from functools import cached_property, partial
from itertools import islice
from statistics import fmean
from typing import Any

from ...domain.completion import NO_USAGE, Completion, Usage
from ...domain.conversation import ConversationLog
from ...domain.rubric import Factor, Scale
from ...domain.verdict import Failed, Flag, NotAssessable, Scored, Verdict, VerdictBase, nearest_level
from ...llm.failures import soonest
from ...llm.repair import WARMER
from ..evaluation import JudgeInput
from .answer import Failure, RatedAnswer, Unreadable, answer_problem, checked, read_answer
from .expected import weighed
from .faulted.entries import check_faults, faults_problem, read_faults, unread_replies
from .faulted.scoring import FaultScorer, combine
from .itemised.entries import EntryList, lists_problem, read_entries
from .itemised.outline import Outline
from .itemised.scoring import score_items
from .rubrics import occasions
from .schemas import fault_schema, items_schema, response_schema

Outcome = RatedAnswer | Unreadable | Failure
ProblemOf = Callable[[str], str | None]
ENTRY_TOKENS = 80
"""Tokens that an entry of a list may take, its quotation included."""
REPLY_TOKENS = 150
"""Tokens that the faults of a reply may take, their quotes included."""


@dataclass(frozen=True)
class RatingReader:
    """A level with its reasons. `room` is the tokens that an answer may take beside these."""

    group: tuple[Factor, ...]
    room: int = 0

    @cached_property
    def schema(self) -> str:
        """The form of the answer."""
        return response_schema(self.group)

    @property
    def problem_of(self) -> ProblemOf:
        """Tells why an answer does not hold a verdict for every factor; small, since a worker sends it to its parent."""
        return partial(answer_problem, factors=self.group)

    def read(self, completion: Completion) -> Mapping[str, Outcome]:
        """Each factor's verdict."""
        return dict(read_answer(completion.text, self.group))


@dataclass(frozen=True)
class ExpectedReader(RatingReader):
    """A level with its reasons, weighed by the probabilities of all levels."""

    def read(self, completion: Completion) -> Mapping[str, Outcome]:
        """Each factor's verdict, its score the mean of the levels by their probabilities."""
        rated_answers = super().read(completion)
        return {
            factor.slug: weighed(rated, completion, factor, alone=len(self.group) == 1)
            if isinstance(rated := rated_answers[factor.slug], RatedAnswer) and rated.score is not None
            else rated
            for factor in self.group
        }


@dataclass(frozen=True)
class ListReader:
    """A list, from which code finds the level."""

    group: tuple[Factor, ...]
    outline: Outline
    judge_input: JudgeInput

    @property
    def room(self) -> int:
        """Tokens of all entries."""
        return sum(ENTRY_TOKENS * self.outline.expected(factor) for factor in self.group)

    @cached_property
    def schema(self) -> str:
        """The form of the answer."""
        return items_schema(self.group, self.outline)

    @property
    def problem_of(self) -> ProblemOf:
        """Tells why an answer does not hold a list for every factor."""
        return partial(lists_problem, factors=self.group, outline=self.outline)

    def read(self, completion: Completion) -> Mapping[str, Outcome]:
        """The level of each factor's list."""
        lists = read_entries(completion.text, self.group, self.outline)
        return {factor.slug: self._level(lists[factor.slug], factor) for factor in self.group}

    def _level(self, found: EntryList | Unreadable, factor: Factor) -> Outcome:
        """Return the level of a list. Of a list that does not cover all replies it is a fallback: none if the list is empty."""
        if isinstance(found, Unreadable):
            return found
        outcome = score_items(found.entries, factor, self.judge_input, self.outline)
        if found.unread is None:
            return outcome
        if not found.entries:
            return Unreadable(
                found.unread, Failure("replies_not_read", f"the list is empty, and {found.unread}")
            )
        if isinstance(outcome, RatedAnswer):
            outcome = replace(outcome, flags=(*outcome.flags, Flag("replies_not_read", found.unread)))
        return Unreadable(found.unread, outcome)


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


@dataclass(frozen=True, slots=True)
class Draw:
    """One factor's part of one answer. `model` is what the provider calls itself, None where it did
    not answer; `usage` is this factor's share. `whole` is False where the answer lacks something that was asked for. `warmer`:
    the answer before was cut off, and this one was asked for at a higher temperature."""

    outcome: RatedAnswer | Failure
    model: str | None = None
    cached: bool = False
    repaired: bool = False
    whole: bool = True
    warmer: bool = False
    usage: Usage = NO_USAGE


_SNAPSHOT = re.compile(
    r"(-(latest|preview|exp|\d{2,8}|(ud-)?i?q\d+(-([01klms]|x{1,2}[sl]))*|\d{1,2}bit|mlx|b?f(16|32)|fp\d+|int\d+|gguf|awq|gptq))*"
)


def is_other_model(asked: str, reported: str) -> bool:
    """Return whether a reported name means another model than requested. Paths, file endings, snapshot dates
    and weight precisions do not count."""
    short, long = sorted((_plain(asked), _plain(reported)), key=len)
    return not (long.startswith(short) and _SNAPSHOT.fullmatch(long, len(short)))


def other_models(asked: str | None, reported: Iterable[str | None]) -> tuple[Flag, ...]:
    """Return a flag if one of the names that a provider reported means another model than requested; None is no name."""
    others = (name for name in reported if asked and name and is_other_model(asked, name))
    return tuple(
        Flag("other_model", f"the server answered with the model {name[:100]}, not with {asked}")
        for name in islice(others, 1)
    )


def _plain(name: str) -> str:
    last = re.split(r"[/\\]", name.casefold().rstrip("/"))[-1]
    return re.sub(r"[._:]", "-", last).removesuffix("-latest")


def verdict_fields(base: VerdictBase) -> dict[str, Any]:
    """Return the fields that all kinds of verdict share, by name."""
    return {one.name: getattr(base, one.name) for one in fields(VerdictBase)}


def build_verdict(
    base: VerdictBase, scale: Scale, draws: Sequence[Draw], log: ConversationLog, known_as: str | None = None
) -> Verdict:
    """Combine all draws into a verdict. Scored if over half are readable: their mean score, or for lists of
    faults the score of all faults together. Not assessable if most readable ones say so; else failed.

    `base` holds what is known before the draws are read. `known_as` is the name that the provider last reported for the judge's
    model: a verdict without an answer names it alike."""
    common = partial(_common, base, draws, known_as)
    read = [draw.outcome for draw in draws if isinstance(draw.outcome, RatedAnswer)]
    scored = [rated for rated in read if rated.score is not None]
    scores = tuple(float(rated.score) for rated in scored if rated.score is not None)
    if 2 * len(read) <= len(draws):
        return Failed(**common((), scores), **_failure(draws))
    together = combine(read, base.factor)
    if together is None and 2 * len(scored) > len(read):
        # The reasons are those of the draw nearest to the score.
        mean = fmean(scores)
        chosen = min(scored, key=lambda rated: abs((rated.score or 0) - mean))
    else:
        chosen = together or next(rated for rated in read if rated.score is None)
        if chosen.score is None:
            return NotAssessable(**common(chosen.flags, ()), code="no_occasion", detail=chosen.rationale)
        mean = chosen.score
    evidence, flags = checked(chosen.quotes, log)
    flags = (*flags, *chosen.flags)
    if not chosen.assessable:
        flags = (*flags, Flag("no_occasion", "the log gave no occasion for what this factor rates"))
    shares = [rated.scale_share for rated in scored if rated.scale_share is not None]
    return Scored(
        **common(flags, scores) | {"faults": together.faults if together else ()},
        score=mean,
        level=nearest_level(mean),
        rationale=chosen.rationale,
        evidence=evidence or chosen.evidence,
        turns=chosen.turns,
        confidence=scale.agreement(scores) if len(scores) > 1 else chosen.confidence,
        counts=chosen.counts,
        scale_share=fmean(shares) if shares else None,
    )


def _failure(draws: Sequence[Draw]) -> dict[str, Any]:
    failures = [draw.outcome for draw in draws if isinstance(draw.outcome, Failure)]
    code, _ = Counter(failure.code for failure in failures).most_common(1)[0]
    detail = next(failure.detail for failure in failures if failure.code == code)
    later = soonest(failure.retry_after for failure in failures)
    return {"code": code, "detail": detail, "retry_after": later}


def _common(
    base: VerdictBase,
    draws: Sequence[Draw],
    known_as: str | None,
    flags: tuple[Flag, ...],
    scores: tuple[float, ...],
) -> dict[str, Any]:
    asked = base.judge.model
    models = Counter(draw.model for draw in draws if draw.model is not None).most_common(1)
    flags = (*flags, *other_models(asked, (draw.model for draw in draws)))
    answered = [draw for draw in draws if isinstance(draw.outcome, RatedAnswer)]
    if any(draw.repaired for draw in answered):
        flags = (*flags, Flag("repaired", "the first answer could not be used; this is the second"))
    if any(draw.warmer for draw in answered):
        detail = f"the first answer was cut off; this one was asked for at temperature {WARMER:g} with another seed"
        flags = (*flags, Flag("temperature_raised", detail))
    return verdict_fields(base) | {
        "judge": replace(base.judge, model=models[0][0] if models else known_as or asked),
        "flags": (*base.flags, *flags),
        "samples": replace(base.samples, scores=scores),
        "cached": bool(answered) and all(draw.cached for draw in draws),
        "usage": sum((draw.usage for draw in draws), NO_USAGE),
    }


def share(usage: Usage, parts: int, index: int) -> Usage:
    """One of `parts` nearly equal shares of a call's usage; all of them add up to it."""
    counts = {name: number for name, number in asdict(usage).items() if name != "cost"}
    cost = None if usage.cost is None else usage.cost / parts
    return Usage(
        **{name: number // parts + (index < number % parts) for name, number in counts.items()}, cost=cost
    )
