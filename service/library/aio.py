"""The library as coroutines that work in this process. A log is a dict as the API reads it, or a ConversationLog.

In the examples, `log` is `{"messages": [{"role": "user", "content": "A tense film, please."}, {"role": "assistant",
"content": "Try Paper Lanterns (2009), a slow thriller."}]}`. All functions raise ConfigurationError for settings that do
not work, and CrsEvalError where a language model gave nothing usable. The `settings` default to the `CRS_EVAL_` variables
of the environment, as the service reads them."""

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, TypeVar

from pydantic import BaseModel
from pydantic_core import to_jsonable_python

from ..domain.conversation import ConversationLog
from ..errors import CrsEvalError, InvalidRequest
from ..settings import Settings
from ..simulators.machine import UserPolicy
from ..simulators.recommender import Recommender
from ..usecases.alignment import align_pairs
from ..usecases.compare import compare_logs
from ..usecases.debate import debate_one_log, evaluate_log
from ..usecases.deployment import Deployment
from ..usecases.exam import examine_judge
from ..usecases.metrics import compute_metrics
from ..usecases.parsing import checked
from ..usecases.recommenders.functions import Function, FunctionRecommender, FunctionUser, UserFunction
from ..usecases.score import score_log
from ..usecases.simulate import simulate as run_simulation
from ..usecases.wire.alignment import AlignmentAnswer, AlignmentRequest
from ..usecases.wire.compare import CompareAnswer, CompareRequest
from ..usecases.wire.debate import DebateAnswer, DebateRequest, EvaluateAnswer, EvaluateRequest
from ..usecases.wire.exam import ExamAnswer, ExamRequest
from ..usecases.wire.metrics import MetricsAnswer, MetricsRequest
from ..usecases.wire.score import ScoreAnswer, ScoreRequest
from ..usecases.wire.simulate import SessionLog, SimulateAnswer, SimulateRequest
from .evaluator import evaluator

Log = Mapping[str, Any] | ConversationLog
Body = TypeVar("Body", bound=BaseModel)
Answer = TypeVar("Answer")


async def score(
    log: Log,
    *,
    factors: Sequence[str] | None = None,
    judge: str | None = None,
    settings: Settings | None = None,
    **options: Any,
) -> ScoreAnswer:
    """Judge a conversation on each factor.

    Args:
        log: The conversation.
        factors: Slugs or names of protocols; `core` by default.
        judge: `builtin` or `name:model`; the settings' judge by default.
        settings: The settings of the service.
        options: Other fields of `POST /score`, such as `panel`, `samples` or `rubrics`.

    Returns:
        One verdict per factor, in the order asked, with summaries and the frequency of each fault.

    Raises:
        InvalidRequest: A field is wrong; `errors` name each field and its fix.

    Example:
        >>> crs_eval.score(log, factors=["coherence"]).verdicts[0].status.value
        'scored'
    """
    body = _request(ScoreRequest, options, log=log, factors=factors, judge=judge)
    return await _run(score_log, body, settings)


async def evaluate(
    log: Log,
    *,
    factors: Sequence[str] | None = None,
    judge: str | None = None,
    settings: Settings | None = None,
    **options: Any,
) -> EvaluateAnswer:
    """Score a conversation, have roles debate the verdicts, and compute its metrics.

    Args:
        log: The conversation.
        factors: Slugs or names of protocols; `core` and the roles' factors by default.
        judge: `builtin` or `name:model`; the settings' judge by default.
        settings: The settings of the service.
        options: Other fields of `POST /evaluate`, such as `debate=False` or `max_rounds`.

    Returns:
        Verdicts, summaries, metrics, and the debate or the reason why it failed.

    Raises:
        InvalidRequest: A field is wrong; `errors` name each field and its fix.

    Example:
        >>> crs_eval.evaluate(log, factors=["coherence"], debate=False).debate is None
        True
    """
    body = _request(EvaluateRequest, options, log=log, factors=factors, judge=judge)
    return await _run(evaluate_log, body, settings)


async def debate(
    log: Log,
    *,
    judge: str | None = None,
    max_rounds: int | None = None,
    settings: Settings | None = None,
    **options: Any,
) -> DebateAnswer:
    """Have roles debate a conversation to one score from 0 to 100.

    Args:
        log: The conversation.
        judge: `builtin` or `name:model`, who judges and speaks; the settings' judge by default.
        max_rounds: Rounds from 1 to 10; 4 by default.
        settings: The settings of the service.
        options: Other fields of `POST /debate`, such as `roles`, `verdicts` or `budget`.

    Returns:
        The overall score, each round's statements, and the verdicts that the roles argue about.

    Raises:
        InvalidRequest: A field is wrong; `errors` name each field and its fix.
        NothingToDebate: No factor of the roles could be scored.

    Example:
        >>> 0 <= crs_eval.debate(log, max_rounds=1).overall <= 100
        True
    """
    body = _request(DebateRequest, options, log=log, judge=judge, max_rounds=max_rounds)
    return await _run(debate_one_log, body, settings)


async def compare(
    first: Log,
    second: Log,
    *,
    factors: Sequence[str] | None = None,
    judge: str | None = None,
    settings: Settings | None = None,
    **options: Any,
) -> CompareAnswer:
    """Say on each factor, and overall, which of two conversations is better.

    Args:
        first: A conversation.
        second: Another one.
        factors: Slugs or names of protocols; `core` by default.
        judge: `builtin` or `name:model`; the settings' judge by default.
        settings: The settings of the service.
        options: Other fields of `POST /compare`, such as `swap`.

    Returns:
        A preference per factor, in the order asked, and the overall one.

    Raises:
        InvalidRequest: A field is wrong; `errors` name each field and its fix.

    Example:
        >>> crs_eval.compare(log, log, factors=["coherence"]).preferences[0].preferred.value
        'tie'
    """
    body = _request(CompareRequest, options, first=first, second=second, factors=factors, judge=judge)
    return await _run(compare_logs, body, settings)


async def behavior_alignment(
    pairs: Iterable[Mapping[str, Any]] | None = None,
    *,
    method: str = "implicit",
    judge: str | None = None,
    settings: Settings | None = None,
    **options: Any,
) -> AlignmentAnswer:
    """Compare the strategies of a recommender's replies with those of people.

    Args:
        pairs: Mappings with a `candidate` reply and a `reference`; else give `candidate_log` and `reference_log`.
        method: `explicit`, `implicit` or `llm`.
        judge: The model that labels, `name:model`, for `llm`.
        settings: The settings of the service.
        options: Other fields of `POST /behavior-alignment`, such as `denominator`.

    Returns:
        The share of aligned pairs with its interval. Its `pairs` can be read once.

    Raises:
        InvalidRequest: A field is wrong; `errors` name each field and its fix.

    Example:
        >>> pair = {"candidate": "You should watch Glass Harvest.", "reference": "What films do you like?"}
        >>> crs_eval.behavior_alignment([pair]).method.value
        'implicit'
    """
    body = _request(AlignmentRequest, options, pairs=pairs, method=method, judge=judge)
    return await _run(align_pairs, body, settings)


async def metrics(
    logs: Iterable[Log],
    *,
    metrics: Sequence[str] | None = None,
    settings: Settings | None = None,
    **options: Any,
) -> MetricsAnswer:
    """Compute metrics over many conversations, without a judge.

    Args:
        logs: The conversations.
        metrics: Names of metrics; all by default.
        settings: The settings of the service.
        options: Other fields of `POST /computational-metrics`, such as `k`, `turns` or `group_by`.

    Returns:
        A row per metric, with the number of cases and an interval, and CONCEPT's six abilities.

    Raises:
        InvalidRequest: A field is wrong; `errors` name each field and its fix.

    Example:
        >>> len(crs_eval.metrics([log]).rows) > 0
        True
    """
    body = _request(MetricsRequest, options, logs=logs, metrics=metrics)
    return await _run(compute_metrics, body, settings)


async def exam(
    *,
    judge: str | None = None,
    sample: int | None = None,
    estimate: bool = False,
    settings: Settings | None = None,
    **options: Any,
) -> ExamAnswer:
    """Have a judge take an exam: pairs of a good conversation and the same with one fault.

    Args:
        judge: `builtin` or `name:model`; the settings' judge by default.
        sample: Number of pairs to draw; all by default.
        estimate: True for the calls and tokens alone; no judge is asked.
        settings: The settings of the service.
        options: Other fields of `POST /exam`, such as `faults`, `ids` or your own `pairs`.

    Returns:
        The estimate, and the report on how often the judge sees each fault.

    Raises:
        InvalidRequest: A field is wrong; `errors` name each field and its fix.

    Example:
        >>> crs_eval.exam(sample=2, estimate=True).report is None
        True
    """
    body = _request(ExamRequest, options, judge=judge, sample=sample, estimate=estimate)
    return await _run(examine_judge, body, settings)


async def simulate(
    log: Log,
    *,
    simulator: str | Mapping[str, Any] | UserFunction = "scripted",
    recommender: str | Function | None = None,
    judge: str | None = None,
    settings: Settings | None = None,
    **options: Any,
) -> SimulateAnswer:
    """Let a simulated user say the next message, or talk to a recommender to the end.

    Args:
        log: The conversation so far; its `user` says who the user is.
        simulator: The `type` of user, or a mapping with its other fields, such as `seed`. Or a function from the messages so far
            to the user's next one: a text, None to end the session, or a mapping with `content`, `accepted` and `done`.
        recommender: For a whole session: a function from the messages so far to a reply, which is a text or a mapping with
            `content` and `recommendations`. Or the name of a recommender in `CRS_EVAL_CRS_ENDPOINTS`.
        judge: The model that plays the user, `name:model`, where its type needs one.
        settings: The settings of the service.
        options: Other fields of `POST /simulate`, such as `score` or `catalog`.

    Returns:
        The message, and in a session its log and how it ended.

    Raises:
        InvalidRequest: A field is wrong; `errors` name each field and its fix.

    Example:
        >>> wanted = {"messages": [], "ground_truth": ["Night Line"]}
        >>> crs_eval.simulate(wanted, recommender=lambda messages: "Try Night Line.").outcome
        'accepted'
    """
    user: UserPolicy | None = None
    if callable(simulator):
        user, simulator = FunctionUser(simulator), "scripted"
        if judge is not None:
            raise InvalidRequest.at("/judge", "a function plays the user", "leave out `judge`")
    kind = {"type": simulator} if isinstance(simulator, str) else simulator
    if judge is not None and isinstance(kind, Mapping):
        kind = {**kind, "judge": judge}
    own: dict[str, Recommender] = {}
    if not isinstance(recommender, str | None):
        own["recommender"] = FunctionRecommender(recommender)
        recommender = "recommender"
    body = _request(SimulateRequest, options, log=log, simulator=kind, crs=recommender)

    async def work(body: SimulateRequest, deployment: Deployment) -> SimulateAnswer:
        deployment = replace(deployment, recommenders={**deployment.recommenders, **own}, user=user)
        return await run_simulation(body, deployment)

    return await _run(work, body, settings)


async def _run(
    work: Callable[[Body, Deployment], Awaitable[Answer]], body: Body, settings: Settings | None
) -> Answer:
    """Return the result of a use case on the evaluator's loop. Errors get their fixes as notes, which tracebacks show."""
    chosen = await asyncio.to_thread(evaluator, settings)

    async def answer() -> Answer:
        return await work(body, chosen.deployment)

    try:
        return await asyncio.wrap_future(chosen.submit(answer()))
    except CrsEvalError as error:
        for fault in error.errors:
            error.add_note(f"{fault.pointer or 'The request'}: {fault.fix}")
        raise


def _request(model: type[Body], options: Mapping[str, Any], **fields: Any) -> Body:
    """Return the request that these fields make; None leaves a field out. Raises InvalidRequest."""
    given = {name: value for name, value in {**fields, **options}.items() if value is not None}
    try:
        sent = plain(given)
    except RecursionError:
        raise InvalidRequest.at(
            "", "is nested too deep, or holds itself", "pass what JSON can hold"
        ) from None
    return checked(model, sent)


def plain(value: Any, pointer: str = "") -> Any:
    """Return a value as JSON would bring it. Raises InvalidRequest with the place of what JSON cannot hold."""
    match value:
        case ConversationLog():
            log = SessionLog.of(value).model_dump(mode="json", exclude_none=True)
            return plain({**log, "ground_truth": []} if value.ground_truth == () else log, pointer)
        case Mapping():
            return {name: plain(one, f"{pointer}/{name}") for name, one in value.items()}
        case Iterable() if not isinstance(value, str | bytes | BaseModel):
            return [plain(one, f"{pointer}/{place}") for place, one in enumerate(value)]
    try:
        found = to_jsonable_python(value, fallback=_number)
        if isinstance(found, str):
            found.encode()
        return found
    except ValueError as error:  # an unknown type, bytes that are no UTF-8, or half of a pair of surrogates
        fix = "pass dicts, lists, strings without lone surrogates, numbers, or results of this library"
        raise InvalidRequest.at(pointer, str(error), fix) from None


def _number(value: Any) -> Any:
    """Return a number of numpy as one of Python. Raises ValueError for anything else."""
    if hasattr(value, "dtype"):
        return value.item()
    raise ValueError(f"Unable to serialize unknown type: {type(value)}")
