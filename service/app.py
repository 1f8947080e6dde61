"""The application: `create_app(settings)` builds all, the lifespan closes it."""

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import TypedDict

import structlog
from fastapi import FastAPI

from . import __version__, registry
from .api import docs, factors, metrics, probes, problems, score
from .api.document import document, operation_id
from .api.judges import Judges
from .api.request_id import RequestId
from .api.services import Limits, Services
from .domain.verdict import JudgeName
from .errors import ConfigurationError
from .factors import load_factors
from .judges.inquiry import Judge
from .settings import Settings
from .text.catalogue import load_catalogues

DESCRIPTION = """Evaluation of conversational recommender systems as a service: send the log of a
conversation between a user and a recommender, get back how good the recommender was, why, and how
sure that is.

Errors are `application/problem+json` (RFC 9457) on every route. Codes of flags and reasons are
lists that may grow: a client should show a code that it does not know rather than fail."""

log = structlog.get_logger("crs_eval")


BuildJudge = Callable[[JudgeName], Judge]


class State(TypedDict):
    """What the lifespan hands to every request."""

    services: Services


def create_app(settings: Settings, build_judge: BuildJudge | None = None) -> FastAPI:
    """The service as configured; `build_judge` makes its judges where those of the registry are not
    wanted. Raises ConfigurationError for what cannot be served."""
    services = build_services(settings, build_judge or registered_judge)

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[State]:
        log.info(
            "ready", version=__version__, factors=len(services.factors), catalogs=len(services.catalogues)
        )
        yield {"services": services}
        log.info("stopped")

    app = FastAPI(
        title="crs-eval",
        version=__version__,
        description=DESCRIPTION,
        lifespan=lifespan,
        docs_url=None,
        redoc_url=None,
        openapi_url=None,
        generate_unique_id_function=operation_id,
        separate_input_output_schemas=False,
        # FastAPI's own telemetry records the text of exceptions; ours does not.
        telemetry={
            "tracing": False,
            "metrics": False,
            "logs": False,
            "auto_configure": False,
            "operation_spans": False,
        },
    )
    for module in (score, metrics, factors, probes, docs):
        app.include_router(module.router)
    problems.install(app)
    app.add_middleware(RequestId)
    app.openapi = lambda: document(app)  # type: ignore[method-assign]
    return app


def build_services(settings: Settings, build_judge: BuildJudge) -> Services:
    """What the routes work with. Raises ConfigurationError where a file or a setting is wrong."""
    known = load_factors()
    unknown = sorted(set(settings.judge_by_factor) - set(known))
    if unknown:
        names = ", ".join(f"CRS_EVAL_JUDGE_{slug.upper().replace('-', '_')}" for slug in unknown)
        raise ConfigurationError(f"{names}: no such factor")
    judges = Judges(settings.judge, settings.judge_by_factor, settings.judges, build_judge)
    for name in (settings.judge, *settings.judge_by_factor.values()):
        judges.get(name)
    return Services(
        factors=known,
        judges=judges,
        catalogues=load_catalogues(settings.catalogs) if settings.catalogs else {},
        limits=Limits(
            body=settings.max_body,
            messages=settings.max_messages,
            depth=settings.max_depth,
            list_cutoff=settings.list_cutoff,
            seconds=settings.request_timeout,
        ),
    )


def registered_judge(name: JudgeName) -> Judge:
    """The judge of that name. Raises ConfigurationError where none is registered."""
    try:
        judge: Judge = registry.judge_class(name.name)()  # type: ignore[operator]
    except KeyError:
        raise ConfigurationError(f"{name}: no such judge; there is `builtin`") from None
    return judge
