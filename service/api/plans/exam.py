"""The exam that a request asks for, its own or the one that ships; and stored reports of exams."""

from collections.abc import Container, Iterator, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import TypeVar

from pydantic import ValidationError

from ... import exam as package
from ...catalogue.catalogue import Catalogue
from ...domain.conversation import ConversationLog, Role
from ...errors import ConfigurationError, FieldError, InvalidRequest
from ...exam.pair import Exam, narrowed, pair_errors, sampled
from ...exam.trust import Trusts, trusts
from ...faults import load_faults
from ...judges.inquiry import Inquiry
from ..body import Limits
from ..services import Services
from ..validation_errors import read_document, read_folder
from ..wire.exam import ExamAnswer, ExamPair, ExamRequest, RatedConversation
from ..wire.log import Log, Message
from ..wire.score import ScoreRequest
from .scoring import ScoringPlan, plan_score_request

FOLDER = Path(package.__file__).parent
Document = TypeVar("Document", ExamPair, RatedConversation, ExamAnswer)
_SAME_IDS = "two of `items` have the same id"


def plan_exam(body: ExamRequest, here: Services) -> Exam:
    """Return the part of the exam that a request asks for.

    Raises InvalidRequest for wrong pairs, unknown faults and ids, and logs beyond this deployment's limits. Raises it too
    where neither the request nor this installation has an exam."""
    exam = _own(body, here) if body.pairs or body.absolute else shipped_exam()
    if not exam.pairs and not exam.rated:
        raise InvalidRequest.at("/pairs", "this installation ships no exam", "send pairs of your own")
    _check_known("/faults", body.faults or (), load_faults(), "GET /faults lists the faults")
    _check_known("/ids", body.ids or (), exam.ids, "send ids of this exam")
    chosen = narrowed(exam, faults=body.faults or (), ids=body.ids or ())
    if not chosen.pairs and not chosen.rated:
        raise InvalidRequest.at("/faults", "no pair has these faults", "name other faults, or add pairs")
    return chosen if body.sample is None else sampled(chosen, body.sample, body.seed or 0)


def plan_questions(body: ExamRequest, here: Services) -> ScoringPlan:
    """Return how the judge is asked about each conversation; the plan's own log is a placeholder.

    Raises InvalidRequest for a judge that this deployment does not have."""
    log = Log(messages=[Message(role=Role.USER, content="-")])
    asked = ScoreRequest(
        log=log, judge=body.judge, judging=body.judging, grouping=body.grouping, cache=body.cache
    )
    return plan_score_request(asked, here)


def with_log(plan: ScoringPlan, log: ConversationLog) -> Inquiry:
    """Return the plan's inquiry about a conversation."""
    catalogue = Catalogue.of_log(log, None) if log.items or log.card_items else None
    return replace(plan.inquiry, case=replace(plan.inquiry.case, log=log, catalogue=catalogue))


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
    return trusts((one.report.sitting() for one in answers if one.report), load_faults())


def _own(body: ExamRequest, here: Services) -> Exam:
    pairs, rated = body.pairs or (), body.absolute or ()
    if errors := [*_errors(pairs, rated), *_too_long(pairs, rated, here.limits)]:
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
            yield from _pair_errors(one, at) if isinstance(one, ExamPair) else _rating_errors(one, at)


def _pair_errors(one: ExamPair, at: str) -> Iterator[FieldError]:
    try:
        found = list(pair_errors(one.value(), load_faults()))
    except ValidationError:
        yield FieldError(f"{at}/items", _SAME_IDS, "give each item a different id")
        return
    for error in found:
        yield FieldError(f"{at}/{error.field}", error.detail, error.fix)


def _rating_errors(one: RatedConversation, at: str) -> Iterator[FieldError]:
    for rater, ratings in one.ratings.items():
        if ratings.get("overall") is None:
            yield FieldError(
                f"{at}/ratings", f"the rater {rater[:40]!r} rates no `overall`", "add the rating"
            )
    try:
        one.value()
    except ValidationError:
        yield FieldError(f"{at}/items", _SAME_IDS, "give each item a different id")


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
