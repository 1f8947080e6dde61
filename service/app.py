"""The application: `create_app(settings)` builds all, the lifespan closes it."""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Callable, Iterable, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypedDict

import structlog
from fastapi import APIRouter, FastAPI
from fastapi.middleware.cors import CORSMiddleware
from fastapi.middleware.gzip import GZipMiddleware
from fastapi.telemetry import TelemetryConfig
from pydantic import SecretStr
from starlette.types import ASGIApp, Receive, Scope, Send

from . import __version__
from .alignment.implicit import PairClassifier
from .alignment.stages import load_stage_weights
from .api import problems
from .api.body import Limits
from .api.deployment import Deployment, Judges, JudgingModes
from .api.document import document, operation_id
from .api.middleware.access import Access, Origins, SecurityHeaders
from .api.middleware.admission import Admission, Decompression
from .api.middleware.delivery import GZIP, AnswerCache, Heads
from .api.middleware.offload import Offload
from .api.middleware.telemetry import Problems, RequestTelemetry
from .api.openapi_parts import TAGS
from .api.plans.calibration import load_calibrations
from .api.plans.scoring import checked_modes
from .api.replays import Replays
from .api.routes import (
    agreement,
    alignment,
    audit,
    batch,
    calibrate,
    choices,
    compare,
    debate,
    evaluate,
    exam,
    factors,
    importing,
    metrics,
    page,
    probes,
    prometheus,
    score,
    simulate,
)
from .api.routes.exam import stored_trusts
from .catalogue.catalogue import load_catalogues
from .debate.roles import load_roles
from .errors import ConfigurationError, InvalidRequest
from .exam.trust import examined
from .factors import load_factors
from .faults import load_faults
from .judges.evaluation import CountVerdict
from .llm.cache import Signer
from .llm.known_models import Stated, load_prices, load_stated
from .llm.limits import Budget
from .llm.providers import providers
from .llm.stack import Stack, Upstream
from .registry import Models, Registry
from .settings import Settings
from .simulators.recommender import Recommender
from .simulators.remembered import ReplyMemory
from .store.memory import MemoryStore
from .store.protocol import Store
from .store.watch import watched
from .telemetry.recorder import Recorder
from .telemetry.telemetry import Telemetry
from .telemetry.watching import watch, watch_callers
from .workers.pool import Pool, WorkerSetup

if TYPE_CHECKING:
    import httpx2

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


def create_app(
    settings: Settings, registry: Registry | None = None, *, address: str | None = None
) -> FastAPI:
    """The service as configured, with judges, debaters and models from `registry` where one is given; it is then asked in
    this process, whatever is large. `address` is the host that the server listens on. Raises ConfigurationError for what
    cannot be served."""
    telemetry = Telemetry(__version__, settings.otlp_endpoint, settings.metric_systems, fault_homes())
    stack = build_stack(settings, telemetry.recorder)
    watch(telemetry.meter, stack.stats)
    pool = None
    if settings.workers and registry is None:
        pool = build_pool(settings, stack, telemetry.recorder.verdict)
    registry = registry or build_registry(settings, stack, telemetry.recorder.verdict)
    web, recommenders = _recommenders(settings)
    memory = ReplyMemory(stack.store) if settings.cache_file else None
    deployment = build_deployment(settings, registry, recommenders, memory)

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[AppState]:
        try:
            if pool:
                await pool.prepare()
            async with watched(stack.store):
                log.info(
                    "ready",
                    version=__version__,
                    factors=len(deployment.factors),
                    catalogs=len(deployment.catalogues),
                )
                yield AppState(deployment=deployment, telemetry=telemetry)
        finally:
            if pool:
                await pool.aclose()
            if memory:
                await memory.aclose()
            await registry.aclose()
            await stack.aclose()
            if web:
                await web.aclose()
            await asyncio.to_thread(telemetry.shutdown)
            log.info("stopped")

    app = _application(lifespan)
    app.state.draining = asyncio.Event()
    app.state.replays = Replays(stack.store, _signer(settings))
    app.state.counts = Counter()
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


def create_worker_app(settings: Settings, models: Models, count: CountVerdict) -> ASGIApp:
    """The routes alone, for a worker: `models` and `count` lead to the process that serves, which guards, measures and
    remembers. Raises ConfigurationError as `create_app` does."""
    _, recommenders = _recommenders(settings)
    telemetry = Telemetry(__version__, None, settings.metric_systems, fault_homes())
    deployment = build_deployment(settings, build_registry(settings, models, count), recommenders)
    return routes_over(AppState(deployment=deployment, telemetry=telemetry))


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
        evaluate,
        simulate,
        audit,
        metrics,
        agreement,
        calibrate,
        compare,
        alignment,
        importing,
        factors,
        exam,
        choices,
        prometheus,
        probes,
        page,
    )
    routers = [module.router for module in modules]
    return application(
        routers, title="crs-eval", description=DESCRIPTION, openapi_tags=TAGS, lifespan=lifespan
    )


def application(routers: Iterable[APIRouter], **settings: Any) -> FastAPI:
    """Routes, their errors as problems, and their contract."""
    app = FastAPI(
        version=__version__,
        docs_url=None,
        redoc_url=None,
        openapi_url=None,
        redirect_slashes=False,  # a redirect would be no problem+json, and its address is what `Host` says
        generate_unique_id_function=operation_id,
        separate_input_output_schemas=False,
        telemetry=NO_TELEMETRY,
        **settings,
    )
    for router in routers:
        app.include_router(router)
    problems.install(app)
    app.openapi = lambda: document(app)  # type: ignore[method-assign]
    return app


def build_stack(settings: Settings, recorder: Recorder | None = None) -> Stack:
    """The provider of all models that the settings name."""
    upstreams = upstreams_of(settings)
    _check_members("CONCURRENCY", settings.concurrency, upstreams)
    return Stack(
        upstreams,
        _store(settings),
        settings.max_concurrency,
        load_prices(settings.prices) if settings.prices else None,
        recorder,
        budgets=budgets_of(settings, upstreams),
        concurrency=settings.concurrency,
        signer=_signer(settings),
        finishes=settings.cache_file is not None,
        stated=stated_of(settings),
        batch=settings.provider_batch,
    )


def stated_of(settings: Settings) -> Mapping[str, Stated]:
    """The operator's statements on models. Raises ConfigurationError where the file is wrong."""
    return load_stated(settings.models) if settings.models else {}


def _signer(settings: Settings) -> Signer:
    return Signer([key.get_secret_value().encode() for key in settings.cache_key])


def build_registry(settings: Settings, models: Models, count: CountVerdict | None = None) -> Registry:
    """Judges and debaters as the settings name them, over `models`."""
    return Registry(
        models,
        rationale_tokens=settings.rationale_tokens,
        prices=load_prices(settings.prices) if settings.prices else None,
        count=count,
    )


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
            }
        ),
        {name: replace(upstream, api_key=None) for name, upstream in upstreams.items()},
    )


def budgets_of(settings: Settings, upstreams: Mapping[str, Upstream]) -> Mapping[str, Budget]:
    """The budgets of calls and tokens a minute. Raises ConfigurationError for an upstream that there is not."""
    _check_members("CALLS_PER_MINUTE", settings.calls_per_minute, upstreams)
    _check_members("TOKENS_PER_MINUTE", settings.tokens_per_minute, upstreams)
    return {
        name: Budget(settings.calls_per_minute.get(name), settings.tokens_per_minute.get(name))
        for name in {**settings.calls_per_minute, **settings.tokens_per_minute}
    }


def upstreams_of(settings: Settings) -> Mapping[str, Upstream]:
    """The servers of models by the name that judges begin with: the providers where there is a
    key or an address for them, and every compatible server."""
    found: dict[str, Upstream] = {}
    for name, access in settings.providers.items():
        provider = providers()[name]
        found[name] = Upstream(access.base_url or provider.base_url, provider.protocol, _text(access.api_key))
    for name, address in settings.upstreams.items():
        found[name] = Upstream(address, api_key=_text(settings.upstream_keys.get(name)))
    return found


def build_deployment(
    settings: Settings,
    registry: Registry,
    recommenders: Mapping[str, Recommender],
    memory: ReplyMemory | None = None,
) -> Deployment:
    """Return what the routes work with; `memory` keeps what recommenders reply. Raises ConfigurationError where a file or a setting is wrong."""
    known = load_factors(own=settings.factors)
    roles = load_roles(known)
    _check_members("JUDGE", settings.judge_by_factor, known)
    _check_members("JUDGING", settings.judging_by_factor, known)
    _check_members("ROLE_JUDGE", settings.judge_by_role, roles)
    named = (settings.judge, *settings.judge_by_factor.values(), *settings.judge_by_role.values())
    for name in dict.fromkeys(named):
        try:
            registry.judge(name)
        except InvalidRequest as error:
            raise ConfigurationError(f"{name}: unknown judge; {error.errors[0].fix}") from None
    return Deployment(
        factors=known,
        judges=Judges(
            settings.judge,
            settings.judge_by_factor,
            settings.judges or ["builtin", *map(str, named), *filter(None, [settings.live_model])],
            examined(registry.judge, stored_trusts(settings.exams) if settings.exams else {}),
        ),
        catalogues=load_catalogues(settings.catalogs) if settings.catalogs else {},
        calibrations=load_calibrations(settings.calibrations) if settings.calibrations else {},
        limits=Limits(
            body=settings.max_body,
            messages=settings.max_messages,
            depth=settings.max_depth,
            list_cutoff=settings.list_cutoff,
            seconds=settings.request_timeout,
        ),
        registry=registry,
        roles=roles,
        judge_by_role=settings.judge_by_role,
        classifier=PairClassifier(),
        stages=load_stage_weights(),
        recommenders=recommenders,
        memory=memory,
        modes=checked_modes(JudgingModes(settings.judging, settings.judging_by_factor), known),
        namespaces=settings.cache_namespaces,
    )


def _recommenders(settings: Settings) -> tuple["httpx2.AsyncClient | None", Mapping[str, Recommender]]:
    """The recommenders that can be simulated with, and what reaches them; where there are none, a start does not take
    longer for it."""
    if not settings.crs_endpoints:
        return None, {}
    import httpx2

    from .simulators.http_recommender import HTTPRecommender

    web = httpx2.AsyncClient(follow_redirects=False, timeout=settings.request_timeout)
    return web, {
        name: HTTPRecommender(name, address, web) for name, address in settings.crs_endpoints.items()
    }


_KINDS = {"JUDGE": "factor", "ROLE_JUDGE": "role"}


def _check_members(family: str, given: Mapping[str, object], known: Mapping[str, object]) -> None:
    for name in sorted(set(given) - set(known)):
        kind = _KINDS.get(family, "upstream")
        variable = f"CRS_EVAL_{family}_{name.upper().replace('-', '_')}"
        raise ConfigurationError(f"{variable}: unknown {kind}; available: {', '.join(known) or 'none'}")


def _store(settings: Settings) -> Store:
    if settings.redis_url is None:
        return _own_store(settings)
    if settings.cache_file is not None:
        raise ConfigurationError("CRS_EVAL_CACHE_FILE: REDIS_URL keeps the answers; unset one of the two")
    from .store.redis import RedisStore

    try:
        return RedisStore(
            settings.redis_url.get_secret_value(),
            settings.cache_ttl,
            timeout=settings.redis_timeout,
            password=_text(settings.redis_password),
            ca=settings.redis_ca,
        )
    except ValueError:  # its text may quote the password
        raise ConfigurationError(
            "CRS_EVAL_REDIS_URL: should be redis://host:port/0, or rediss://host:port/0 for TLS"
        ) from None


def _own_store(settings: Settings) -> Store:
    if settings.cache_file is None:
        return MemoryStore(settings.cache_bytes, settings.cache_ttl)
    from .store.file import FileStore

    try:
        return FileStore(settings.cache_file, settings.cache_bytes, settings.cache_ttl)
    except (OSError, ValueError) as error:
        raise ConfigurationError(f"CRS_EVAL_CACHE_FILE: {error}") from error


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


def _text(secret: SecretStr | None) -> str | None:
    return secret.get_secret_value() if secret else None
