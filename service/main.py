"""Runs the service: settings, logs, one uvicorn server."""

import os
import sys

import uvicorn

from .app import create_app
from .errors import ConfigurationError
from .settings import Settings
from .telemetry.logging import configure_logging


def serve(host: str, port: int) -> int:
    """Serve until told to stop. Returns the process's exit code: 2 where it cannot start as configured."""
    try:
        settings = Settings.from_environment(os.environ)
        configure_logging(settings.log_format, settings.log_level)
        app = create_app(settings)
    except ConfigurationError as error:
        print(f"crs-eval: {error}", file=sys.stderr)  # noqa: T201 - before there is a log, and for a person
        return 2
    config = uvicorn.Config(
        app,
        host=host,
        port=port,
        log_config=None,
        access_log=False,
        server_header=False,
        timeout_graceful_shutdown=int(settings.request_timeout) + 5,
    )
    uvicorn.Server(config).run()
    return 0
