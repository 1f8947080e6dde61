"""Runs the service: settings, logs, one uvicorn server."""

import asyncio
import gc
import os
import socket
import sys
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

import structlog
import uvicorn

from .api.connection import ConnectionLimits, bounded_config
from .api.middleware.access import is_loopback
from .app import create_app
from .errors import ConfigurationError
from .llm.providers import providers
from .settings import Settings
from .telemetry.logging import configure_logging
from .workers.allocator import give_back_memory

if TYPE_CHECKING:
    from fastapi import FastAPI


def serve(host: str, port: int) -> int:
    """Serve until stopped. Returns the process's exit code: 2 where it cannot start as configured."""
    return run_server(host, port, os.environ, lambda settings: create_app(settings, address=host))


def run_server(
    host: str, port: int, environment: Mapping[str, str], create: Callable[[Settings], "FastAPI"]
) -> int:
    """Serve an application. Returns as `serve` does."""
    give_back_memory()
    try:
        settings = read_settings(environment)
        configure_logging(settings.log_format, settings.log_level)
        check_exposure(settings, host, environment)
        app = create(settings)
    except ConfigurationError as error:
        print(f"crs-eval: {error}", file=sys.stderr)  # noqa: T201 - before there is a log, and for a person
        return 2
    # Objects that exist by now stay: the collector need not walk them again and again while we serve.
    gc.freeze()
    gc.enable()
    if not settings.api_keys and not is_loopback(host):
        structlog.get_logger("crs_eval").warning(
            "open_to_everyone", host=host, remedy="set CRS_EVAL_API_KEYS"
        )
    limits = ConnectionLimits(header_seconds=settings.header_timeout, connections=settings.max_connections)
    config = bounded_config(
        app,
        app.state.counts,
        limits,
        host=host,
        port=port,
        server_header=False,
        # Without this uvicorn believes every peer on loopback.
        proxy_headers=bool(settings.trusted_proxies),
        forwarded_allow_ips=list(settings.trusted_proxies),
        timeout_graceful_shutdown=int(settings.request_timeout) + 5,
    )
    _Server(config, app.state.draining).run()
    return 0


def read_settings(environment: Mapping[str, str]) -> Settings:
    """The settings, with those that providers declare. Raises ConfigurationError that names every wrong variable."""
    return Settings.from_environment(environment, {one.name: one.key for one in providers().values()})


class _Server(uvicorn.Server):
    """Tells the application that it is stopping, so that batches take no more lines."""

    def __init__(self, config: uvicorn.Config, draining: asyncio.Event) -> None:
        super().__init__(config)
        self._draining = draining

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        self._draining.set()
        await super().shutdown(sockets)


def check_exposure(settings: Settings, host: str, environment: Mapping[str, str]) -> None:
    """Raise ConfigurationError without keys in production, and where every pod of a cluster could spend what our keys
    pay for, unless that is meant."""
    if settings.api_keys:
        return
    if settings.env == "production":
        raise ConfigurationError("CRS_EVAL_ENV is production, which requires keys; set CRS_EVAL_API_KEYS")
    if settings.open or is_loopback(host):
        return
    if "KUBERNETES_SERVICE_HOST" in environment:
        raise ConfigurationError(
            f"no key is set, and every pod of the cluster can reach {host}; set CRS_EVAL_API_KEYS, or "
            "CRS_EVAL_OPEN=true to serve all of them"
        )
