"""The answers of `/debate`."""

from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from typing import TypeVar

from ..debates import statement
from ..domain import verdict as domain
from ..domain.completion import NO_USAGE
from ..errors import CrsEvalError
from ..pipeline.debate import Plan, debate_log
from ..pipeline.evaluate import Evaluation
from ..scoring.score import comparison_key, in_order
from ..scoring.summary import judges_of, total_usage
from .calibrated import (
    attach_partial_verdicts,
    calibrated_key,
    calibrated_overall,
    calibrated_verdict,
    calibration_notices,
    dumped,
)
from .deployment import Deployment
from .plans.debate import PlannedDebate, plan_debate
from .score import verdict_notices
from .wire.debate import DebateAnswer, DebateRequest, DebateResult, Round
from .wire.score import Notice
from .wire.verdict import USAGE, JudgeRef

Step = TypeVar("Step")


End = TypeVar("End", statement.Debate, Evaluation)


async def debate_one_log(body: DebateRequest, deployment: Deployment) -> DebateAnswer:
    """Have roles debate a log to one score. Raises CrsEvalError, which carries what was done, where there is no score."""
    planned = plan_debate(body, deployment)
    return debate_answer(*await end_of(debate_log(planned.plan, planned.scoring.call), planned), planned)


async def checked_steps(
    steps: AsyncGenerator[Step, None], asked: list[domain.Verdict], planned: PlannedDebate
) -> AsyncGenerator[Step, None]:
    """The steps of a debate or an evaluation, whose verdicts go into `asked`. An error carries what was done before it.
    Raises InvalidRequest where the calibration was not made for a verdict."""
    async with aclosing(steps):
        while True:
            try:
                step = await anext(steps)
            except StopAsyncIteration:
                return
            except CrsEvalError as error:
                _carry_on_wire(error, planned)
                raise
            if isinstance(step, domain.Verdict):
                asked.append(step)
                with attach_partial_verdicts(all_verdicts(planned.plan, asked), planned.scoring):
                    calibrated_verdict(step, planned.scoring)
            yield step


async def end_of(
    steps: AsyncGenerator[domain.Verdict | statement.Round | End, None], planned: PlannedDebate
) -> tuple[End, list[domain.Verdict]]:
    """The last step of a debate or an evaluation, and the verdicts before it. Raises CrsEvalError, which carries what was
    done, where it has no result."""
    asked: list[domain.Verdict] = []
    async with aclosing(checked_steps(steps, asked, planned)) as made:
        async for step in made:
            if not isinstance(step, domain.Verdict | statement.Round):
                return step, asked
    raise AssertionError("it ends in a result or an error")


def debate_answer(
    debate: statement.Debate, asked: Sequence[domain.Verdict], planned: PlannedDebate
) -> DebateAnswer:
    """The answer of `/debate`."""
    verdicts = all_verdicts(planned.plan, asked)
    scoring, key = planned.scoring, debate_key(verdicts, debate, planned)
    with attach_partial_verdicts(verdicts, scoring):
        result = DebateResult.of(debate, calibrated=calibrated_overall(debate.overall, key, scoring))
        return DebateAnswer(
            **{name: getattr(result, name) for name in DebateResult.model_fields},
            verdicts=[calibrated_verdict(verdict, scoring) for verdict in verdicts],
            judges=judge_refs(verdicts, debate),
            comparison_key=calibrated_key(key, scoring),
            usage=total_usage(asked) + debate.usage,
            warnings=[
                *notices(verdicts, debate),
                *calibration_notices(verdicts, key, scoring, debated=True),
            ],
        )


def all_verdicts(plan: Plan, asked: Sequence[domain.Verdict]) -> list[domain.Verdict]:
    """Those that the caller brought, then those asked for in the order asked."""
    return [*plan.given, *in_order(asked, plan.evaluation.factors)]


def judge_refs(verdicts: Sequence[domain.Verdict], debate: statement.Debate | None) -> list[JudgeRef]:
    """All who scored or spoke, each once."""
    names = [*judges_of(verdicts), *(_speakers(debate) if debate else ())]
    return [JudgeRef.of(name) for name in dict.fromkeys(names)]


def debate_key(
    verdicts: Sequence[domain.Verdict], debate: statement.Debate | None, planned: PlannedDebate
) -> str:
    """The key of comparability without a calibration: that of the verdicts, and of the debate where there is one."""
    if debate is None:
        return comparison_key(verdicts, planned.scoring.options)
    speakers = ",".join(sorted(map(str, set(_speakers(debate)))))
    return comparison_key(verdicts, {**planned.options, "debate": debate.revision, "speakers": speakers})


def notices(verdicts: Sequence[domain.Verdict], debate: statement.Debate | None) -> list[Notice]:
    """Return what a reader of the whole answer must not miss."""
    found = [Notice.of(warning) for warning in (debate.warnings if debate else ())]
    found += verdict_notices(verdicts)
    if debate and debate.roles_counted < len(debate.rounds[-1].speeches):
        detail = (
            f"The overall score rests on {debate.roles_counted} of {len(debate.rounds[-1].speeches)} roles."
        )
        found.append(Notice(code="roles_missing", detail=detail))
    return found


def _carry_on_wire(error: CrsEvalError, planned: PlannedDebate) -> None:
    """Put what was done before an error on the wire: verdicts, rounds, usage."""
    done = error.partial
    error.partial = {
        "verdicts": dumped(done.get("verdicts") or planned.plan.given, planned.scoring.factors),
        "rounds": [Round.of(one).model_dump(mode="json") for one in done.get("rounds", ())],
        "usage": USAGE.dump_python(done.get("usage", NO_USAGE), mode="json"),
    }


def _speakers(debate: statement.Debate) -> list[domain.JudgeName]:
    speeches = [speech for one in debate.rounds for speech in one.speeches]
    return [s.spoke if isinstance(s, statement.Statement) else s.judge for s in speeches]
