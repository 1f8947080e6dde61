"""`crs-eval mcp`: the tools of a service for agents."""

import asyncio
from typing import Annotated

import typer

from ..connection import connected
from ..exits import need_extra
from ..options import ServiceOptions, spread


@spread
def mcp(
    *,
    http: Annotated[
        int | None,
        typer.Option(
            help="Serve at http://127.0.0.1:PORT/mcp instead of standard input and output.",
            metavar="PORT",
            min=1,
            max=65535,
        ),
    ] = None,
    service: ServiceOptions,
) -> None:
    """Serve score, debate, compare and calibrate as tools for agents, over the Model Context Protocol."""
    need_extra("mcp", "mcp")
    asyncio.run(_serve(service, http))


async def _serve(service: ServiceOptions, port: int | None) -> None:
    from .server import agent_server

    async with connected(service.url, service.api_key, routes=True) as remote:
        server = agent_server(remote)
        if port is None:
            await server.run_stdio_async()
        else:
            await server.run_streamable_http_async(host="127.0.0.1", port=port)
