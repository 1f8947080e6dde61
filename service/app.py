"""The application: `create_app(settings)` builds all, the lifespan closes it."""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Callable, Iterable, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import replace
from types import ModuleType
from typing import Any, TypedDict

import structlog
from fastapi import Depends, FastAPI
from fastapi.middleware.cors import CORSMiddleware
from fastapi.middleware.gzip import GZipMiddleware
from fastapi.telemetry import TelemetryConfig
from starlette.types import ASGIApp, Receive, Scope, Send

from . import __version__
from .api import problems
from .api.document import document, operation_id
from .api.middleware.access import Access, Origins, SecurityHeaders
from .api.middleware.admission import Admission, Decompression
from .api.middleware.delivery import GZIP, AnswerCache, Heads
from .api.middleware.offload import Offload
from .api.middleware.telemetry import Problems, RequestTelemetry
from .api.openapi_parts import TAGS
from .api.replays import Replays
from .api.routes import (
    batch,
    choices,
    compare,
    debate,
    exam,
    factors,
    importing,
    metrics,
    page,
    probes,
    prometheus,
    ratings,
    score,
    simulate,
)
from .faults import load_faults
from .judges.evaluation import CountVerdict
from .llm.stack import Stack, Upstream
from .registry import Models
from .settings import Settings
from .simulators.recommender import ReplyMemory
from .store.watch import watched
from .telemetry.telemetry import Telemetry
from .telemetry.watching import watch, watch_callers
from .usecases.building import build_deployment, build_registry, build_stack, recommenders_of, signer_of
from .usecases.deployment import Deployment
from .workers.pool import Pool, WorkerSetup

DESCRIPTION = """Evaluation of conversational recommender systems as a service. Send the log of a
conversation between a user and a recommender. The answer says how good the recommender was, why, and
how sure that is.

Errors are `application/problem+json` (RFC 9457) on every route. Codes of flags and reasons are
lists that may grow: a client should show a code that it does not know rather than fail."""

ALLOWED_HEADERS = (
    "Authorization",
    "Content-Type",
    "Content-Encoding",
    "Idempotency-Key",
    "X-Request-ID",
    "traceparent",
    "tracestate",
    "baggage",
)
"""The headers that pages of allowed origins may send."""

NO_TELEMETRY: TelemetryConfig = {
    "tracing": False,
    "metrics": False,
    "logs": False,
    "auto_configure": False,
    "operation_spans": False,
}
"""FastAPI's own telemetry records the text of exceptions; ours does not."""

REMEMBERED_BYTES = 32 * 1024 * 1024
log = structlog.get_logger("crs_eval")

Lifespan = Callable[[FastAPI], AbstractAsyncContextManager["AppState"]]


class AppState(TypedDict):
    """State that the lifespan hands to every request."""

    deployment: Deployment
    telemetry: Telemetry


def fault_homes() -> Mapping[str, str]:
    """The home factor of each fault, by slug."""
    return {fault.slug: fault.home for fault in load_faults().values()}


def create_app(settings: Settings, *, address: str | None = None) -> FastAPI:
    """The service as configured. `address` is the host that the server listens on. Raises ConfigurationError for what cannot
    be served."""
    telemetry = Telemetry(__version__, settings.otlp_endpoint, settings.metric_systems, fault_homes())
    stack = build_stack(settings, telemetry.recorder)
    watch(telemetry.meter, stack.stats)
    pool = build_pool(settings, stack, telemetry.recorder.verdict) if settings.workers else None
    registry = build_registry(settings, stack, telemetry.recorder.verdict)
    web, recommenders = recommenders_of(settings)
    memory = ReplyMemory(stack.store) if settings.cache_file else None
    deployment = build_deployment(settings, registry, recommenders, memory)

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[AppState]:
        try:
            if pool:
                await pool.prepare()
            async with watched(stack.store):
                counts = {"factors": len(deployment.factors), "catalogs": len(deployment.catalogues)}
                log.info("ready", version=__version__, **counts)
                yield AppState(deployment=deployment, telemetry=telemetry)
        finally:
            for one in (pool, memory, registry, stack, web):
                if one is not None:
                    await one.aclose()
            await asyncio.to_thread(telemetry.shutdown)
            log.info("stopped")

    app = _application(lifespan)
    app.state.replays = Replays(stack.store, signer_of(settings))
    watch_callers(telemetry.meter, app.state.counts)
    if pool:
        app.add_middleware(
            Offload,
            pool=pool,
            max_body=settings.max_body,
            seconds=settings.request_timeout,
            counts=app.state.counts,
        )
    app.add_middleware(GZipMiddleware, **GZIP)  # behind what is remembered, which is compressed once
    app.add_middleware(Heads)
    app.add_middleware(
        AnswerCache,
        holds=stack.holds,
        recorder=telemetry.recorder,
        max_bytes=min(REMEMBERED_BYTES, settings.cache_bytes // 8),
        ttl=settings.cache_ttl,
        namespaces=settings.cache_namespaces,
    )
    guard(app, settings, stack, address)
    app.add_middleware(RequestTelemetry, recorder=telemetry.recorder)
    return app


def worker_state(settings: Settings, models: Models, count: CountVerdict) -> AppState:
    """State for a worker: `models` and `count` lead to the process that serves, which guards, measures and
    remembers. Raises ConfigurationError as `create_app` does."""
    _, recommenders = recommenders_of(settings)
    telemetry = Telemetry(__version__, None, settings.metric_systems, fault_homes())
    deployment = build_deployment(settings, build_registry(settings, models, count), recommenders)
    return AppState(deployment=deployment, telemetry=telemetry)


def routes_over(state: AppState) -> ASGIApp:
    """The routes alone, working with `state`."""
    app = _application()

    async def answer(scope: Scope, receive: Receive, send: Send) -> None:
        scope["state"] |= state
        await app(scope, receive, send)

    return answer


def _application(lifespan: Lifespan | None = None) -> FastAPI:
    """All routes, and their errors as problems."""
    modules = (
        score,
        batch,
        debate,
        simulate,
        metrics,
        ratings,
        compare,
        importing,
        factors,
        exam,
        choices,
        prometheus,
        probes,
        page,
    )
    return application(
        modules, title="crs-eval", description=DESCRIPTION, openapi_tags=TAGS, lifespan=lifespan
    )


def application(modules: Iterable[ModuleType], **settings: Any) -> FastAPI:
    """The routes of modules, their errors as problems, and their contract."""
    app = FastAPI(
        version=__version__,
        docs_url=None,
        redoc_url=None,
        openapi_url=None,
        redirect_slashes=False,  # a redirect would be no problem+json, and its address is what `Host` says
        generate_unique_id_function=operation_id,
        separate_input_output_schemas=False,
        telemetry=NO_TELEMETRY,
        dependencies=[Depends(problems.known_parameters)],
        **settings,
    )
    app.state.counts = Counter()
    app.state.draining = asyncio.Event()
    app.state.routes = []
    for module in modules:
        app.include_router(module.router)
        app.state.routes += module.router.routes
    problems.install(app)
    app.openapi = lambda: document(app)  # type: ignore[method-assign]
    return app


def build_pool(settings: Settings, stack: Stack, count: CountVerdict) -> Pool:
    """The workers, not yet started. They ask models through `stack`, and `count` takes their verdicts."""
    return Pool(settings.workers, _order(settings, stack.upstreams), stack, count)


def _order(settings: Settings, upstreams: Mapping[str, Upstream]) -> WorkerSetup:
    """Return what a worker needs to know: no key of a provider or a caller, no address of the cache."""
    return WorkerSetup(
        settings.model_copy(
            update={
                "providers": {},
                "upstream_keys": {},
                "redis_url": None,
                "cache_file": None,
                "redis_password": None,
                "cache_key": (),
                "api_keys": (),
                "otlp_endpoint": None,
                "live_redis_url": None,
                "live_redis_password": None,
                "live_database": None,
                "live_webhooks": (),
                "live_alerts": {},
                "live_webhook_secret": None,
                "live_user_key": None,
            }
        ),
        {name: replace(upstream, api_key=None) for name, upstream in upstreams.items()},
    )


def guard(app: FastAPI, settings: Settings, stack: Stack, address: str | None) -> None:
    """Stand between callers and routes: the last that is added is the first that a request meets."""
    app.add_middleware(
        Admission,
        requests=settings.max_requests,
        max_body=settings.max_body,
        seconds=settings.request_timeout,
        counts=app.state.counts,
        shared=len(settings.api_keys) > 1,
    )
    app.add_middleware(Decompression, limit=settings.max_body)
    app.add_middleware(
        Access,
        keys=settings.api_keys,
        limit=settings.rate_limit,
        store=stack.store,
        patience=settings.request_timeout,
    )
    app.add_middleware(
        Origins,
        keyed=bool(settings.api_keys),
        hosts=settings.hosts,
        origins=settings.cors_origins,
        address=address,
    )
    app.add_middleware(Problems)
    if settings.cors_origins:
        app.add_middleware(
            CORSMiddleware,
            allow_origins=settings.cors_origins,
            allow_methods=["GET", "POST"],
            allow_headers=ALLOWED_HEADERS,
            expose_headers=["X-Request-ID", "Cache-Status", "Retry-After", "RateLimit", "RateLimit-Policy"],
        )
    app.add_middleware(SecurityHeaders)
