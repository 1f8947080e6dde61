"""Exams of judges: the pairs, how a judge is asked, and the report."""

import asyncio
from collections.abc import Container, Iterator, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import TypeVar

from ..catalogue.catalogue import Catalogue
from ..domain.conversation import ConversationLog, Role
from ..domain.verdict import NotAssessable, Verdict
from ..errors import ConfigurationError, FieldError, InvalidRequest
from ..exams.estimate import estimate
from ..exams.pair import Exam, narrowed, pair_errors, sampled
from ..exams.report import ExamReport, report
from ..exams.run import sit
from ..exams.trust import Trusts, trusts
from ..faults import load_faults
from ..scoring.score import in_order
from .deployment import Deployment
from .parsing import Limits
from .plans.scoring import ScoringPlan, plan_score_request
from .score import raise_if_upstream_failed
from .validation_errors import read_document, read_folder
from .wire.exam import ExamAnswer, ExamPair, ExamRequest, RatedConversation
from .wire.log import Log, Message
from .wire.score import ScoreRequest

FOLDER = Path(__file__).parents[1] / "exam"

Document = TypeVar("Document", ExamPair, RatedConversation, ExamAnswer)


async def examine_judge(body: ExamRequest, deployment: Deployment) -> ExamAnswer:
    """Have a judge take an exam. Raises as `take_exam` does."""
    answer, _ = await take_exam(body, deployment)
    return answer


async def take_exam(body: ExamRequest, deployment: Deployment) -> tuple[ExamAnswer, Sequence[Verdict]]:
    """Have a judge take an exam, or estimate what it takes; also return the judge's verdicts. Raises CrsEvalError where the
    judge could not be reached."""
    exam, plan = await asyncio.to_thread(plan_exam, body, deployment), plan_questions(body, deployment)
    expected = estimate(exam, plan.evaluation, plan.assignments)
    found, verdicts = (None, ()) if body.estimate else await examined(exam, plan)
    return ExamAnswer(estimate=expected, report=found), verdicts


def plan_exam(body: ExamRequest, deployment: Deployment) -> Exam:
    """Return the part of the exam that a request asks for.

    Raises InvalidRequest for wrong pairs, unknown faults and ids, and logs beyond this deployment's limits. Raises it too
    where neither the request nor this installation has an exam."""
    exam = _own(body, deployment) if body.pairs or body.absolute else shipped_exam()
    if not exam.pairs and not exam.rated:
        raise InvalidRequest.at("/pairs", "this installation ships no exam", "send pairs of your own")
    _check_known("/faults", body.faults or (), load_faults(), "GET /faults lists the faults")
    _check_known("/ids", body.ids or (), exam.ids, "send ids of this exam")
    chosen = narrowed(exam, faults=body.faults or (), ids=body.ids or ())
    if not chosen.pairs and not chosen.rated:
        raise InvalidRequest.at("/faults", "no pair has these faults", "name other faults, or add pairs")
    return chosen if body.sample is None else sampled(chosen, body.sample, body.seed or 0)


def plan_questions(body: ExamRequest, deployment: Deployment) -> ScoringPlan:
    """Return how the judge is asked about each conversation; the plan's own log is a placeholder.

    Raises InvalidRequest for a judge that this deployment does not have."""
    log = Log(messages=[Message(role=Role.USER, content="-")])
    asked = ScoreRequest(
        log=log, judge=body.judge, judging=body.judging, grouping=body.grouping, cache=body.cache
    )
    return plan_score_request(asked, deployment)


@cache
def shipped_exam(folder: Path = FOLDER) -> Exam:
    """Return the exam in `pairs.jsonl` and `absolute.jsonl` of a folder; a missing file is empty.

    Raises ConfigurationError that names the file, the line and the field of a wrong entry."""
    pairs = _lines(folder / "pairs.jsonl", ExamPair)
    rated = _lines(folder / "absolute.jsonl", RatedConversation)
    for error in _errors(pairs, rated):
        _, name, index, field = error.pointer.split("/", 3)
        place = f"{name}.jsonl, line {int(index) + 1}: {field}"
        raise ConfigurationError(f"{place}: {error.detail}; {error.fix}")
    return Exam(tuple(one.value() for one in pairs), tuple(one.value() for one in rated))


def stored_trusts(folder: Path) -> Trusts:
    """Read every report, `*.json`, of a folder. Raises ConfigurationError that names the file and the field."""
    answers = read_folder(folder, "exams", ExamAnswer).values()
    return trusts((one.report.sitting for one in answers if one.report), load_faults())


def _own(body: ExamRequest, deployment: Deployment) -> Exam:
    pairs, rated = body.pairs or (), body.absolute or ()
    if errors := [*_errors(pairs, rated), *_too_long(pairs, rated, deployment.limits)]:
        raise InvalidRequest.of(errors)
    return Exam(tuple(one.value() for one in pairs), tuple(one.value() for one in rated))


def _errors(pairs: Sequence[ExamPair], rated: Sequence[RatedConversation]) -> Iterator[FieldError]:
    """Yield what is wrong with the entries of an exam beside their form."""
    seen: set[str] = set()
    parts: tuple[tuple[str, Sequence[ExamPair | RatedConversation]], ...] = (
        ("pairs", pairs),
        ("absolute", rated),
    )
    for name, entries in parts:
        for index, one in enumerate(entries):
            at = f"/{name}/{index}"
            if one.id in seen:
                yield FieldError(
                    f"{at}/id", "is the id of an earlier entry", "give each entry a different id"
                )
            seen.add(one.id)
            if isinstance(one, ExamPair):
                found = pair_errors(one.value(), load_faults())
                yield from (replace(error, pointer=f"{at}/{error.pointer}") for error in found)
                continue
            for rater, ratings in one.ratings.items():
                if ratings.get("overall") is None:
                    detail = f"the rater {rater[:40]!r} rates no `overall`"
                    yield FieldError(f"{at}/ratings", detail, "add the rating")


def _too_long(
    pairs: Sequence[ExamPair], rated: Sequence[RatedConversation], limits: Limits
) -> Iterator[FieldError]:
    counts = [(f"/pairs/{n}/good", len(one.good)) for n, one in enumerate(pairs)]
    counts += [(f"/pairs/{n}/bad", len(one.bad)) for n, one in enumerate(pairs)]
    counts += [(f"/absolute/{n}/messages", len(one.messages)) for n, one in enumerate(rated)]
    for at, count in counts:
        yield from limits.too_long(at, count)


def _check_known(at: str, names: Sequence[str], known: Container[str], fix: str) -> None:
    for index, name in enumerate(names):
        if name not in known:
            raise InvalidRequest.at(f"{at}/{index}", "there is no such entry", fix)


def _lines(path: Path, model: type[Document]) -> list[Document]:
    if not path.is_file():
        return []
    lines = path.read_bytes().splitlines()
    return [
        read_document(f"{path.name}, line {n}", line, model)
        for n, line in enumerate(lines, 1)
        if line.strip()
    ]


async def examined(exam: Exam, plan: ScoringPlan) -> tuple[ExamReport, Sequence[Verdict]]:
    """Have the judge take the exam. Raises CrsEvalError where it could not be reached."""

    async def ask(log: ConversationLog) -> Sequence[Verdict]:
        catalogue = Catalogue.of_log(log, None) if log.items or log.card_items else None
        judge_input = replace(plan.evaluation.judge_input, log=log, catalogue=catalogue)
        evaluation = replace(plan.evaluation, judge_input=judge_input)
        found = [one async for one in replace(plan, evaluation=evaluation).verdicts()]
        return in_order(found, evaluation.factors)

    sitting, verdicts = await sit(exam, ask, plan.factors)
    # Factors that a log gives no occasion for are no sign that the judge can be reached.
    asked = [one for one in verdicts if not isinstance(one, NotAssessable)]
    raise_if_upstream_failed(asked, plan.factors)
    faults = load_faults()
    return await asyncio.to_thread(report, sitting, faults, faults.revision), verdicts
