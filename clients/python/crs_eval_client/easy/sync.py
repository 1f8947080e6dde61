"""The client for ordinary code."""

import contextlib
import itertools
import json
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from types import TracebackType
from typing import Any, Self, Unpack

import httpx

from ..generated.models import (
    BatchResult,
    DebateAnswer,
    EvaluateAnswer,
    FactorInfo,
    FactorsAnswer,
    MetricsAnswer,
    ScoreAnswer,
    SimulateAnswer,
    Verdict,
)
from .driver import ROUND_CAP, Reply, Session
from .lines import WINDOW, Event, EventReader, ndjson, windows
from .problems import CrsEvalError, CutShortError, UnreachableError
from .requests import (
    DebateOptions,
    EvaluateOptions,
    Json,
    ManyOptions,
    Options,
    batch_lines,
    body,
    plain,
)
from .retries import LOST, Retries

URL = "http://127.0.0.1:8000"
TIMEOUT = 130.0
"""Seconds between two bytes of an answer; the service's own limit for an answer is 120."""

CONNECT = 10.0
"""Seconds for a connection at most."""

Progress = Callable[[int], None]
"""Called with the number of lines that are done."""


def limits(timeout: float) -> httpx.Timeout:
    """How long each step of a request may take."""
    return httpx.Timeout(timeout, connect=min(timeout, CONNECT))


@dataclass(frozen=True)
class Scored:
    """One log of many: its place, and its answer or the error."""

    index: int
    answer: ScoreAnswer | None
    error: CrsEvalError | None

    @classmethod
    def of(cls, result: BatchResult) -> "Scored":
        """What a line of a batch came to."""
        found, index = result.body.to_dict(), int(result.custom_id or -1)
        if result.status != 200:
            return cls(index, None, CrsEvalError(result.status, found))
        return cls(index, ScoreAnswer.from_dict(found), None)


class CrsEval:
    """Asks a crs-eval service. Troubles that pass are waited out (`retries`); what is then left is
    raised: CrsEvalError for a problem that the service tells, UnreachableError where no answer came,
    httpx.TimeoutException where it took too long."""

    def __init__(
        self,
        url: str = URL,
        api_key: str | None = None,
        *,
        retries: Retries | None = None,
        timeout: float = TIMEOUT,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        headers = {"Authorization": f"Bearer {api_key}"} if api_key else {}
        self._http = httpx.Client(base_url=url, headers=headers, timeout=limits(timeout))
        self._retries = retries or Retries()
        self._sleep = sleep

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close the connections."""
        self._http.close()

    def score(self, log: Json, **options: Unpack[ManyOptions]) -> ScoreAnswer:
        """Judge a log on several factors (`factors`, else CoRE's twelve)."""
        return ScoreAnswer.from_dict(self._post("/score", body(log, options)))

    def score_factor(self, factor: str, log: Json, **options: Unpack[Options]) -> Verdict:
        """Judge a log on one factor."""
        return Verdict.from_dict(self._post(f"/score/{factor}", body(log, options)))

    def debate(self, log: Json, **options: Unpack[DebateOptions]) -> DebateAnswer:
        """Have roles debate the log to one score from 0 to 100."""
        return DebateAnswer.from_dict(self._post("/debate", body(log, options)))

    def evaluate(self, log: Json, **options: Unpack[EvaluateOptions]) -> EvaluateAnswer:
        """Score, debate and measure a log."""
        return EvaluateAnswer.from_dict(self._post("/evaluate", body(log, options)))

    def metrics(self, logs: Iterable[Json], **options: Any) -> MetricsAnswer:
        """Compute metrics over many logs."""
        asked = {"logs": [plain(log) for log in logs], **plain(options)}
        return MetricsAnswer.from_dict(self._post("/computational-metrics", asked))

    def simulate(self, simulator: Mapping[str, Any], log: Json, **options: Any) -> SimulateAnswer:
        """What a simulated user says next after `log`."""
        asked = {"simulator": plain(simulator), **body(log, options)}
        return SimulateAnswer.from_dict(self._post("/simulate", asked))

    def factors(self) -> list[FactorInfo]:
        """The catalogue of factors with their rubrics."""
        with self._answer(self._http.build_request("GET", "/factors")) as response:
            response.read()
            return FactorsAnswer.from_dict(response.json()).factors

    def stream(self, path: str, log: Json, **options: Any) -> Iterator[Event]:
        """The events of `/score`, `/debate`, `/evaluate` or `/simulate` as they come; `done` is the
        last and carries the whole answer. Raises CrsEvalError for an `error` event."""
        asked = self._http.build_request(
            "POST", path, json=body(log, options), headers={"Accept": "text/event-stream"}
        )
        reader = EventReader()
        with self._answer(asked) as response:
            for line in response.iter_lines():
                if event := reader.feed(line):
                    if event.name == "error":
                        raise CrsEvalError(int(event.data.get("status", 500)), event.data)
                    yield event

    def batch(
        self, lines: Iterable[Mapping[str, Any]], *, progress: Progress | None = None, window: int = WINDOW
    ) -> Iterator[BatchResult]:
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
        """Let a simulated user talk to `crs`, a function from the messages so far to a reply, until one
        of them ends it. What `crs` raises goes through."""
        session = Session.begun(simulator, log)
        for _ in range(rounds):
            if not session.awaits_reply and not session.heard(
                self.simulate(simulator, session.log, **options)
            ):
                return session
            if not session.replied(crs(session.messages)):
                return session
        session.end(ROUND_CAP)
        return session

    def _post(self, path: str, content: Mapping[str, Any]) -> dict[str, Any]:
        with self._answer(self._http.build_request("POST", path, json=content)) as response:
            response.read()
            answer: dict[str, Any] = response.json()
            return answer

    def _window(self, waiting: dict[str, Mapping[str, Any]]) -> Iterator[BatchResult]:
        for attempt in itertools.count(1):
            try:
                yield from self._sent(waiting)
            except (*LOST, CutShortError) as lost:
                self._pause(self._retries.wait_for_connection(attempt, lost), lost)
            else:
                return

    def _sent(self, waiting: dict[str, Mapping[str, Any]]) -> Iterator[BatchResult]:
        headers = {"Content-Type": "application/x-ndjson"}
        asked = self._http.build_request("POST", "/batch", content=ndjson(waiting.values()), headers=headers)
        with self._answer(asked) as response:
            for line in response.iter_lines():
                result = BatchResult.from_dict(json.loads(line))
                if result.custom_id not in waiting:  # of the batch, not of a line
                    raise CutShortError(f"the batch was cut short: {result.body.to_dict()}")
                del waiting[result.custom_id]
                yield result
        if waiting:
            raise CutShortError(f"{len(waiting)} lines of the batch were not answered")

    @contextlib.contextmanager
    def _answer(self, request: httpx.Request) -> Iterator[httpx.Response]:
        """The response with status 200, its body unread."""
        response = self._insist(request)
        try:
            yield response
        finally:
            response.close()

    def _insist(self, request: httpx.Request) -> httpx.Response:
        for attempt in itertools.count(1):
            try:
                response = self._http.send(request, stream=True)
                if response.is_success:
                    return response
                error = CrsEvalError.of(response.status_code, response.read())
            except LOST as lost:
                self._pause(self._retries.wait_for_connection(attempt, lost), lost)
            else:
                self._pause(self._retries.wait(attempt, error, response.headers), error)
        raise AssertionError("unreachable")

    def _pause(self, seconds: float | None, error: Exception) -> None:
        """Wait; or, with nothing to wait for, raise."""
        if seconds is not None:
            self._sleep(seconds)
        elif isinstance(error, CrsEvalError):
            raise error
        else:
            raise UnreachableError(f"no answer from {self._http.base_url}: {error}") from error
