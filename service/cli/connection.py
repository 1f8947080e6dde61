"""Connect a command to the service at a URL, or to the use cases in this process for as long as it runs."""

import contextlib
import hashlib
import logging
import os
import tempfile
from collections.abc import AsyncIterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from ..errors import ConfigurationError
from ..importing.entries import plain_name
from .exits import CommandError, need_extra
from .files import read_content

if TYPE_CHECKING:
    import httpx2
    from starlette.types import Receive, Scope, Send

    from ..settings import Settings
    from ..usecases.recommenders.functions import Function
    from .remote import Service

PREFIX = "CRS_EVAL_"
_DEFAULTS = {
    f"{PREFIX}MAX_BODY": str(1024 * 1024 * 1024),  # its one user may send whatever they like
    f"{PREFIX}WORKERS": "0",
}


@contextlib.asynccontextmanager
async def connected(
    url: str | None,
    key: str | None = None,
    *,
    catalog: str | None = None,
    crs: str | None = None,
    functions: Mapping[str, "Function"] | None = None,
    workers: int | None = None,
    settings: Mapping[str, str] | None = None,
    routes: bool = False,
) -> AsyncIterator["Service"]:
    """Connect to the service at `url`, or to the use cases in this process with the settings of the environment.

    The process reads a `catalog` that is a file, and recommenders from `crs` (`name=URL`, separated by commas) and `functions`. With
    `workers` beside it, or `routes`, the whole service runs here. Raises CommandError for a wrong address, catalogue or setting."""
    from .remote import Remote

    if url is not None:
        _check_address(url, catalog)
        async with Remote(url.rstrip("/"), key, catalog=catalog) as remote:
            yield remote
        return
    from ..library.evaluator import for_operator, own_settings

    given = _DEFAULTS | dict(os.environ) | dict(settings or {})
    async with contextlib.AsyncExitStack() as stack:
        if catalog is not None and _is_file(catalog):
            catalog = _provide(Path(catalog), given, Path(stack.enter_context(tempfile.TemporaryDirectory())))
        if crs is not None:
            given[f"{PREFIX}CRS_ENDPOINTS"] = crs
        if workers is not None:
            given[f"{PREFIX}WORKERS"] = str(workers)
        try:
            own = for_operator(own_settings(given)).model_copy(update={"api_keys": ()})
            service = await stack.enter_async_context(_opened(own, functions or {}, catalog, routes))
        except ConfigurationError as error:
            raise CommandError(f"The service cannot start with these settings: {error}") from None
        yield service


@contextlib.asynccontextmanager
async def _opened(
    settings: "Settings", functions: Mapping[str, "Function"], catalog: str | None, routes: bool
) -> AsyncIterator["Service"]:
    from ..usecases.building import deployed
    from .remote import InProcess, Remote

    if functions or not (settings.workers or routes or settings.otlp_endpoint):
        async with deployed(settings, functions) as deployment:
            yield InProcess(deployment, catalog=catalog)
        return
    async with (
        _served(settings) as transport,
        Remote("http://127.0.0.1", catalog=catalog, transport=transport) as remote,
    ):
        yield remote


@contextlib.asynccontextmanager
async def _served(settings: "Settings") -> AsyncIterator["httpx2.ASGITransport"]:
    """Serve the routes in this process, with the workers that the settings ask for. Its log is not shown."""
    need_extra("service", "fastapi", "structlog")
    import httpx2
    import structlog

    from ..app import create_app

    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.CRITICAL))
    app = create_app(settings)
    async with app.router.lifespan_context(app) as state:

        async def answer(scope: "Scope", receive: "Receive", send: "Send") -> None:
            await app({**scope, "state": dict(state or {})}, receive, send)

        yield httpx2.ASGITransport(answer, raise_app_exceptions=False)


def _check_address(url: str, catalog: str | None) -> None:
    from ..settings import web_address

    if catalog is not None and _is_file(catalog):
        reason = "the service at --url knows its own catalogues by name"
        raise CommandError(
            f"--catalog {catalog} is a file, but {reason}. See GET /docs for how operators add a catalogue."
        )
    try:
        web_address(url)
    except ValueError:
        message = f"--url {url} is not a URL. Write http:// or https://, a host, and optionally a port."
        raise CommandError(message) from None


def _is_file(catalog: str) -> bool:
    return plain_name(Path(catalog)).suffix == ".jsonl" or os.sep in catalog


def _provide(file: Path, settings: dict[str, str], folder: Path) -> str:
    """Let the service read this catalogue under a name that changes with its content, so that answers are never mixed up."""
    if not file.is_file():
        raise CommandError(f"--catalog {file} does not exist.")
    content = read_content(file)
    name = f"{plain_name(file).stem}-{hashlib.sha256(content).hexdigest()[:8]}"
    (folder / f"{name}.jsonl").write_bytes(content)
    settings[f"{PREFIX}CATALOGS"] = str(folder)
    return name
