# Generated from easy/aio.py by `make generate`; do not edit.
"""The client for ordinary code."""

import contextlib
import copy
import itertools
import json
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

import httpx
from typing_extensions import Self, Unpack

from ..easy.connection import TIMEOUT, Hook, Telling, address, headers, limits
from ..easy.driver import ROUND_CAP, Reply, Session
from ..easy.lines import WINDOW, EventReader, Progress, ndjson, windows
from ..easy.problems import CrsEvalError, CutShortError, TimedOutError, UnreachableError
from ..easy.requests import (
    DebateOptions,
    EvaluateOptions,
    Json,
    ManyOptions,
    Options,
    batch_lines,
    body,
    plain,
    quoted,
)
from ..easy.results import Event, Result, Scored
from ..easy.retries import LOST, Retries
from ..generated.models import (
    Accepted,
    AgreementAnswer,
    AlignmentAnswer,
    AuditAnswer,
    BatchResult,
    CalibrateAnswer,
    Choices,
    CompareAnswer,
    DebateAnswer,
    EvaluateAnswer,
    ExamAnswer,
    FactorInfo,
    FactorsAnswer,
    FaultInfo,
    FaultsAnswer,
    ImportAnswer,
    LiveResult,
    LiveSummary,
    LiveUserData,
    MetricsAnswer,
    ProfileAnswer,
    ScoreAnswer,
    SimulateAnswer,
    Verdict,
)


class CrsEval:
    """Asks a crs-eval service. Troubles that pass are waited out (`retries`); what is then left is
    raised: CrsEvalError for a problem that the service reports, UnreachableError where no answer came or
    one broke off, TimedOutError where it took too long.

    `url` and `api_key` default to `CRS_EVAL_URL` and `CRS_EVAL_API_KEY`; `hook` is called for every attempt."""

    def __init__(
        self,
        url: str | None = None,
        api_key: str | None = None,
        *,
        retries: Retries | None = None,
        timeout: float = TIMEOUT,
        hook: Hook | None = None,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self._http = httpx.Client(base_url=address(url), headers=headers(api_key), timeout=limits(timeout))
        self._retries = retries or Retries()
        self._hook = hook
        self._limits: httpx.Timeout | None = None
        self._sleep = sleep

    def with_options(self, *, retries: Retries | None = None, timeout: float | None = None) -> Self:
        """The same client, over the same connections, with other retries or another time limit: for one request,
        `client.with_options(timeout=5).score(log)`."""
        other = copy.copy(self)
        other._retries = retries or self._retries
        other._limits = self._limits if timeout is None else limits(timeout)
        return other

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the connections."""
        self._http.close()

    def score(self, log: Json, **options: Unpack[ManyOptions]) -> ScoreAnswer:
        """Judge a log on several factors (`factors`, else CoRE's twelve)."""
        return ScoreAnswer.from_dict(self._ask("POST", "/score", body(log, options)))

    def score_factor(self, factor: str, log: Json, **options: Unpack[Options]) -> Verdict:
        """Judge a log on one factor."""
        return Verdict.from_dict(self._ask("POST", f"/score/{factor}", body(log, options)))

    def debate(self, log: Json, **options: Unpack[DebateOptions]) -> DebateAnswer:
        """Have roles debate the log to one score from 0 to 100."""
        return DebateAnswer.from_dict(self._ask("POST", "/debate", body(log, options)))

    def evaluate(self, log: Json, **options: Unpack[EvaluateOptions]) -> EvaluateAnswer:
        """Score, debate and measure a log."""
        return EvaluateAnswer.from_dict(self._ask("POST", "/evaluate", body(log, options)))

    def metrics(self, logs: Iterable[Json], **options: Any) -> MetricsAnswer:
        """Compute metrics over many logs."""
        asked = {"logs": [plain(log) for log in logs], **plain(options)}
        return MetricsAnswer.from_dict(self._ask("POST", "/computational-metrics", asked))

    def simulate(self, simulator: Mapping[str, Any], log: Json, **options: Any) -> SimulateAnswer:
        """Return what a simulated user says next after `log`."""
        asked = {"simulator": plain(simulator), **body(log, options)}
        return SimulateAnswer.from_dict(self._ask("POST", "/simulate", asked))

    def agreement(self, **request: Any) -> AgreementAnswer:
        """Measure how far raters agree: `ratings`, and what else the route takes."""
        return AgreementAnswer.from_dict(self._ask("POST", "/agreement", plain(request)))

    def import_file(self, **request: Any) -> ImportAnswer:
        """Read a file in another format as logs: `text` or `base64`, and what else the route takes."""
        return ImportAnswer.from_dict(self._ask("POST", "/import", plain(request)))

    def calibrate(self, **request: Any) -> CalibrateAnswer:
        """Estimate what people would give: `ratings` or `columns`, and what else the route takes."""
        return CalibrateAnswer.from_dict(self._ask("POST", "/calibrate", plain(request)))

    def compare(self, first: Json, second: Json, **options: Any) -> CompareAnswer:
        """Say which of two logs is better, factor by factor."""
        asked = {"first": plain(first), "second": plain(second), **plain(options)}
        return CompareAnswer.from_dict(self._ask("POST", "/compare", asked))

    def alignment(self, **request: Any) -> AlignmentAnswer:
        """Compare a recommender's behaviour with people's: `pairs`, or two logs, and what else the route takes."""
        return AlignmentAnswer.from_dict(self._ask("POST", "/behavior-alignment", plain(request)))

    def profile(self, reviews: Iterable[Json], **options: Any) -> ProfileAnswer:
        """Make a simulated user's profile from reviews."""
        asked = {"reviews": [plain(review) for review in reviews], **plain(options)}
        return ProfileAnswer.from_dict(self._ask("POST", "/simulate/profile", asked))

    def audit(self, **request: Any) -> AuditAnswer:
        """Measure how far simulated users behave as people do: `logs`, `choices` or both, and what else the route takes."""
        return AuditAnswer.from_dict(self._ask("POST", "/simulate/audit", plain(request)))

    def exam(self, **request: Any) -> ExamAnswer:
        """Measure how often a judge sees each fault: every field of the request is optional."""
        return ExamAnswer.from_dict(self._ask("POST", "/exam", plain(request)))

    def factors(self) -> list[FactorInfo]:
        """The catalogue of factors with their rubrics."""
        return FactorsAnswer.from_dict(self._ask("GET", "/factors")).factors

    def factor(self, slug: str) -> FactorInfo:
        """One factor with its rubric."""
        return FactorInfo.from_dict(self._ask("GET", f"/factors/{slug}"))

    def faults(self) -> list[FaultInfo]:
        """All faults, with their costs and how well the embedded judge finds them."""
        return FaultsAnswer.from_dict(self._ask("GET", "/faults")).faults

    def choices(self) -> Choices:
        """Return what requests to this service may name: judges, catalogues, recommenders."""
        return Choices.from_dict(self._ask("GET", "/choices"))

    def add_messages(self, conversation: str, messages: Iterable[Json] = (), **fields: Any) -> Accepted:
        """Add messages to a live conversation; `complete=True` says that it is over. The client's address is that of `crs-eval live`."""
        asked = {"messages": [plain(one) for one in messages], **plain(fields)}
        return Accepted.from_dict(self._ask("POST", f"/live/conversations/{quoted(conversation)}/messages", asked))

    def get_judgement(self, conversation: str) -> LiveResult:
        """The last judgement of a live conversation, while it is among the last 500."""
        return LiveResult.from_dict(self._ask("GET", f"/live/conversations/{quoted(conversation)}"))

    def get_summary(self, *, system: str | None = None, by: str = "hour", limit: int = 20) -> LiveSummary:
        """The last `limit` judgements of a system or of all, the trend by `hour` or `day`, alarms, and how much waits."""
        one = f"&system={quoted(system)}" if system else ""
        return LiveSummary.from_dict(self._ask("GET", f"/live/summary?by={by}&limit={limit}{one}"))

    def get_user(self, user: str) -> LiveUserData:
        """Everything that is known of a user of live conversations."""
        return LiveUserData.from_dict(self._ask("GET", f"/live/users/{quoted(user)}"))

    def delete_conversation(self, conversation: str) -> None:
        """Delete a live conversation everywhere."""
        self._ask("DELETE", f"/live/conversations/{quoted(conversation)}")

    def delete_user(self, user: str) -> None:
        """Delete a user's live conversations everywhere."""
        self._ask("DELETE", f"/live/users/{quoted(user)}")

    def stream(self, path: str, log: Json, **options: Any) -> Iterator[Event]:
        """The events of `/score`, `/debate`, `/evaluate` or `/simulate` as they come; `done` is the
        last and carries the whole answer. Raises CrsEvalError for an `error` event."""
        asked = self._request("POST", path, json=body(log, options), headers={"Accept": "text/event-stream"})
        reader = EventReader()
        with self._answer(asked) as response:
            for line in response.iter_lines():
                if event := reader.feed(line):
                    if event.name == "error":
                        raise CrsEvalError.of_problem(int(event.data.get("status", 500)), event.data)
                    yield Event.of(event, path)

    def batch(
        self, lines: Iterable[Mapping[str, Any]], *, progress: Progress | None = None, window: int = WINDOW
    ) -> Iterator[Result]:
        """The results of `{custom_id, path, body}` lines as they finish, in any order. `lines` may be
        endless: a window is read when the one before is done. Where a connection breaks, what is
        not answered yet is sent again."""
        done = 0
        for waiting in windows((plain(line) for line in lines), window):
            for result in self._window(waiting):
                done += 1
                if progress:
                    progress(done)
                yield result

    def score_many(
        self, logs: Iterable[Json], *, progress: Progress | None = None, **options: Unpack[ManyOptions]
    ) -> Iterator[Scored]:
        """Judge many logs; each comes as it finishes, with its place in `logs`. A log that fails
        takes no other with it: its error stands in its result."""
        for result in self.batch(batch_lines(logs, "/score", options), progress=progress):
            yield Scored.of(result)

    def converse(
        self,
        simulator: Mapping[str, Any],
        crs: Callable[[list[dict[str, Any]]], Reply],
        log: Mapping[str, Any] | None = None,
        *,
        rounds: int = 50,
        **options: Any,
    ) -> Session:
        """Let a simulated user talk to `crs`, a function from the messages so far to a reply, until one of them ends it. What
        `crs` raises goes through."""
        session = Session.begun(simulator, log)
        for _ in range(rounds):
            if not session.awaits_reply and not session.heard(self.simulate(simulator, session.log, **options)):
                return session
            reply = crs(session.messages)
            if not session.replied(reply):
                return session
        session.end(ROUND_CAP)
        return session

    def _request(self, method: str, path: str, **content: Any) -> httpx.Request:
        limit = httpx.USE_CLIENT_DEFAULT if self._limits is None else self._limits
        return self._http.build_request(method, path, timeout=limit, **content)

    def _ask(self, method: str, path: str, content: Mapping[str, Any] | None = None) -> Any:
        """Return the JSON of the answer, None where it has no body."""
        with self._answer(self._request(method, path, json=content)) as response:
            return json.loads(response.read() or "null")

    def _window(self, waiting: dict[str, Mapping[str, Any]]) -> Iterator[Result]:
        for attempt in itertools.count(1):
            try:
                for result in self._sent(waiting):
                    yield result
            except CutShortError as lost:
                self._pause(self._retries.wait_for_connection(attempt, lost), lost)
            else:
                return

    def _sent(self, waiting: dict[str, Mapping[str, Any]]) -> Iterator[Result]:
        headers = {"Content-Type": "application/x-ndjson"}
        asked = self._request("POST", "/batch", content=ndjson(waiting.values()), headers=headers)
        with self._answer(asked) as response:
            for line in response.iter_lines():
                result = BatchResult.from_dict(json.loads(line))
                if result.custom_id not in waiting:  # of the batch, not of a line
                    raise CutShortError(f"the batch was cut short: {result.body.to_dict()}")
                yield Result.of(result, str(waiting.pop(result.custom_id)["path"]))
        if waiting:
            raise CutShortError(f"{len(waiting)} lines of the batch were not answered")

    @contextlib.contextmanager
    def _answer(self, request: httpx.Request) -> Iterator[httpx.Response]:
        """The response with status 200, its body unread."""
        response = self._insist(request)
        try:
            yield response
        except LOST as lost:
            kind = TimedOutError if isinstance(lost, httpx.TimeoutException) else CutShortError
            raise kind(f"the answer broke off: {lost}") from lost
        finally:
            response.close()

    def _insist(self, request: httpx.Request) -> httpx.Response:
        for attempt in itertools.count(1):
            tell = Telling(self._hook, request, attempt)
            try:
                response = self._http.send(request, stream=True)
                if not response.is_success:
                    response.read()
            except LOST as lost:
                wait = self._retries.wait_for_connection(attempt, lost)
                tell(lost, wait)
                self._pause(wait, lost)
                continue
            if response.is_success:
                tell(response, None)
                return response
            error = CrsEvalError.of(response.status_code, response.content)
            wait = self._retries.wait(attempt, error, response.headers)
            tell(response, wait)
            self._pause(wait, error)
        raise AssertionError("unreachable")

    def _pause(self, seconds: float | None, error: Exception) -> None:
        """Wait; or, with nothing to wait for, raise."""
        if seconds is not None:
            self._sleep(seconds)
        elif isinstance(error, CrsEvalError):
            raise error
        else:
            kind = TimedOutError if isinstance(error, httpx.TimeoutException) else UnreachableError
            raise kind(f"no answer from {self._http.base_url}: {error}") from error
