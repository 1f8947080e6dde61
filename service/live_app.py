"""`crs-eval live`, put together: the worker alone, or beside an application that takes messages over HTTP."""

import asyncio
import contextlib
import os
import signal
from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import structlog
from fastapi import FastAPI
from fastapi.middleware.gzip import GZipMiddleware

from . import __version__
from .api.document import document
from .api.middleware.delivery import GZIP, Heads
from .api.middleware.telemetry import RequestTelemetry
from .api.routes import prometheus
from .app import AppState, application, build_pool, fault_homes, guard
from .domain.calibration import CalibrationMap
from .errors import ConfigurationError, InvalidRequest
from .live.deployment import LiveDeployment
from .live.drift.output import Drift
from .live.outputs.lines import Lines
from .live.outputs.output import Output
from .live.outputs.receivers import alert_form
from .live.outputs.webhook import Webhook, secret_of
from .live.routes import conversations as conversation_routes
from .live.routes import page, probes, spans, summary
from .live.sampling import Sampler
from .live.summary.output import Summary
from .live.telemetry import LiveTelemetry
from .live.users import UserKey
from .live.verdicts import Judging, Scoring
from .live.worker import CLAIMS, Worker, working
from .llm.stack import Stack
from .registry import Registry
from .settings import Settings, naming
from .store.conversations.protocol import Conversations
from .telemetry.telemetry import Telemetry
from .telemetry.watching import watch, watch_callers
from .usecases.building import build_deployment, build_registry, build_stack
from .usecases.deployment import Deployment
from .usecases.parsing import checked
from .usecases.plans.scoring import assign_judges, resolve_factors
from .usecases.score import score_log
from .usecases.wire.score import ScoreAnswer, ScoreRequest
from .workers.delegation import answer_values
from .workers.pool import Pool

DESCRIPTION: Final = """Conversations in progress: send messages as they are written, and have each conversation judged when it
ends. Results go to the outputs that the operator configured.

Errors are `application/problem+json` (RFC 9457) on every route."""
TAGS: Final = [
    {"name": "live", "description": "Messages of conversations in progress."},
    {"name": "operations", "description": "Probes and figures for those who run it."},
]
MISSING: Final = "CRS_EVAL_LIVE_DATABASE needs what crs-eval[live] brings: pip install 'crs-eval[live]'"
log = structlog.get_logger("crs_eval.live")


@dataclass(frozen=True)
class Live:
    """Everything of one process, not yet started. `shared`: other processes may work on the same conversations."""

    conversations: Conversations
    outputs: Sequence[Output]
    worker: Worker
    state: AppState
    stack: Stack
    registry: Registry
    telemetry: Telemetry
    shared: bool
    pool: Pool | None
    user_key: UserKey

    async def prepare(self) -> None:
        """Make what is missing, and start what judges. Raises ConfigurationError, Unreachable."""
        await self.worker.prepare()
        if self.pool:
            await self.pool.prepare()

    async def aclose(self) -> None:
        for one in (self.pool, *self.outputs, self.conversations, self.registry, self.stack):
            if one is not None:
                await one.aclose()
        await asyncio.to_thread(self.telemetry.shutdown)


def build_live(settings: Settings) -> Live:
    """Everything, as configured. Raises ConfigurationError for what cannot be served."""
    telemetry = Telemetry(__version__, settings.otlp_endpoint, settings.metric_systems, fault_homes())
    stack = build_stack(settings, telemetry.recorder)
    watch(telemetry.meter, stack.stats)
    # No verdict is counted as it is given: one that is recorded is, once.
    registry = build_registry(settings, stack)
    state = AppState(deployment=build_deployment(settings, registry, {}), telemetry=telemetry)
    try:
        resolve_factors(settings.live_factors, state["deployment"])
    except InvalidRequest as error:
        fault = error.errors[0]
        raise ConfigurationError(f"CRS_EVAL_LIVE_FACTORS: {fault.detail}; {fault.fix}") from None
    conversations = build_conversations(settings)
    measured = LiveTelemetry(telemetry.meter, telemetry.recorder)
    drift = Drift(conversations, settings.live_baseline, measured.noticed, fault_homes())
    outputs = [*build_outputs(settings), drift, Summary(conversations)]
    # Verdicts that workers give are not counted either.
    pool = build_pool(settings, stack, lambda *_: None) if settings.workers else None
    judging = Judging(
        _scoring(settings, state["deployment"], pool),
        settings.live_factors,
        settings.max_messages,
        sampler=_sampler(settings, state["deployment"], conversations),
        maps=_maps(settings, state["deployment"]),
        keep_text=settings.live_keep_text,
    )
    user_key = UserKey(settings.live_user_key.get_secret_value() if settings.live_user_key else None)
    worker = Worker(
        conversations,
        judging,
        outputs,
        idle=settings.live_idle,
        retention=settings.live_retention,
        hooks=measured.hooks([output.name for output in outputs]),
        user_key=user_key,
    )
    shared = settings.live_redis_url is not None
    return Live(conversations, outputs, worker, state, stack, registry, telemetry, shared, pool, user_key)


def _scoring(settings: Settings, deployment: Deployment, pool: Pool | None) -> Scoring:
    """Have workers score, where there are any, else this process."""
    seconds = settings.request_timeout

    async def answer(values: Mapping[str, Any]) -> ScoreAnswer:
        if pool is None:
            return await score_log(checked(ScoreRequest, values), deployment)
        found: ScoreAnswer = await answer_values(
            pool, "/score", values, seconds, conversation=values["log"]["id"]
        )
        return found

    places = asyncio.Semaphore(settings.workers if pool else CLAIMS)
    return Scoring(answer, places, settings.max_body, seconds)


def _sampler(settings: Settings, deployment: Deployment, conversations: Conversations) -> Sampler | None:
    """The sampler of the model, where one is set. Raises ConfigurationError for a judge that is not served."""
    if settings.live_model is None:
        return None
    if settings.live_model == str(settings.judge):
        raise ConfigurationError("CRS_EVAL_LIVE_MODEL: judges every conversation already; name another judge")
    log = {"messages": [{"role": "user", "content": "Hello"}]}
    request = checked(ScoreRequest, {"log": log, "judge": settings.live_model})
    try:
        assign_judges(request, resolve_factors(settings.live_factors, deployment), deployment)
    except InvalidRequest as error:
        fault = error.errors[0]
        raise ConfigurationError(f"CRS_EVAL_LIVE_MODEL: {fault.detail}; {fault.fix}") from None
    seconds = settings.live_lease / 2  # a claim outlives it
    return Sampler(
        settings.live_model, settings.live_sample, settings.live_model_budget, seconds, conversations
    )


def _maps(settings: Settings, deployment: Deployment) -> Sequence[CalibrationMap]:
    name = settings.live_calibration
    if name is None:
        return ()
    if name not in deployment.calibrations:
        known = ", ".join(sorted(deployment.calibrations)) or "none"
        raise ConfigurationError(
            f"CRS_EVAL_LIVE_CALIBRATION: no such calibration; CRS_EVAL_CALIBRATIONS has {known}"
        )
    return deployment.calibrations[name]


def build_conversations(settings: Settings) -> Conversations:
    """The place of open conversations. Raises ConfigurationError."""
    times: dict[str, Any] = {
        "settle": settings.live_settle,
        "longest": settings.live_longest,
        "reopen": settings.live_reopen,
    }
    if settings.live_redis_url is None:
        from .store.conversations.sqlite import SqliteConversations

        with naming("live_state"):
            return SqliteConversations(settings.live_state, **times)
    from .store.conversations.redis import RedisConversations

    password = settings.live_redis_password
    try:
        return RedisConversations(
            settings.live_redis_url.get_secret_value(),
            **times,
            password=password.get_secret_value() if password else None,
            ca=settings.redis_ca,
            lease=settings.live_lease,
            checked=not settings.live_redis_unchecked,
        )
    except ValueError:  # its text may quote the password
        raise ConfigurationError(
            "CRS_EVAL_LIVE_REDIS_URL: should be redis://host:port/0, or rediss://host:port/0 for TLS"
        ) from None


def build_outputs(settings: Settings) -> Sequence[Output]:
    """The outputs that are configured; lines on standard output where there is none. Raises ConfigurationError."""
    outputs: list[Output] = []
    if settings.live_lines:
        file = None if settings.live_lines == Path("-") else settings.live_lines
        outputs.append(Lines(file))
    if settings.live_database:
        try:
            from .archive.archive import Archive
            from .live.outputs.tables import Tables
        except ModuleNotFoundError:
            raise ConfigurationError(MISSING) from None
        archive = Archive(settings.live_database.get_secret_value())
        outputs.append(Tables(archive))
    if settings.live_webhooks:
        secret = settings.live_webhook_secret
        signing = secret_of(secret.get_secret_value() if secret else "")
        outputs += [Webhook(address, signing) for address in settings.live_webhooks]
    outputs = outputs or [Lines(None)]
    outputs += [Webhook(address, form=alert_form(name)) for name, address in settings.live_alerts.items()]
    if len({output.name for output in outputs}) < len(outputs):
        raise ConfigurationError(
            "CRS_EVAL_LIVE_WEBHOOKS, CRS_EVAL_LIVE_ALERTS: an address is there twice; give it once"
        )
    return outputs


def create_live_app(settings: Settings, *, address: str | None = None) -> FastAPI:
    """The application: messages in, probes, metrics, and a worker beside them. Raises ConfigurationError."""
    live = build_live(settings)

    @contextlib.asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[dict[str, Any]]:
        try:
            await live.prepare()
            limits = live.state["deployment"].limits
            async with working(live.worker) as work:
                work.add_done_callback(_end_with)
                log.info("ready", version=__version__, outputs=[output.name for output in live.outputs])
                deployment = LiveDeployment(live.conversations, limits, live.user_key, live.outputs)
                yield {**live.state, "live": deployment}
        finally:
            await live.aclose()
            log.info("stopped")

    app = _application(lifespan)
    watch_callers(live.telemetry.meter, app.state.counts)
    app.add_middleware(GZipMiddleware, **GZIP)
    app.add_middleware(Heads)
    guard(app, settings, live.stack, address)
    app.add_middleware(RequestTelemetry, recorder=live.telemetry.recorder)
    return app


def _end_with(work: "asyncio.Task[None]") -> None:
    """A process whose worker broke must not go on taking messages: its supervisor starts it again."""
    if not work.cancelled() and (error := work.exception()):
        log.error("worker_broke", exc_info=error)
        os.kill(os.getpid(), signal.SIGTERM)


def live_document() -> dict[str, Any]:
    """The contract of the application."""
    return document(_application())


def _application(lifespan: Any = None) -> FastAPI:
    modules = (conversation_routes, spans, summary, prometheus, probes, page)
    return application(
        modules, title="crs-eval live", description=DESCRIPTION, openapi_tags=TAGS, lifespan=lifespan
    )
