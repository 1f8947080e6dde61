"""Tools and resources of a service for agents, by the official package of the Model Context Protocol."""

import json
from pathlib import Path
from typing import Any

from mcp.server.mcpserver import MCPServer
from mcp.server.mcpserver.exceptions import ResourceError, ResourceNotFoundError, ToolError
from mcp_types import ToolAnnotations

from ... import __version__
from ..inputs import Json, present
from ..remote import Service, ServiceRefusal

GUIDE = Path(__file__).parent / "guide.md"
JSON = "application/json"
READS = ToolAnnotations(read_only_hint=True, idempotent_hint=True, open_world_hint=False)


def agent_server(service: Service) -> MCPServer:
    """The server whose tools ask `service`."""
    server = MCPServer("crs-eval", version=__version__, instructions=GUIDE.read_text(encoding="utf-8"))
    _add_tools(server, service)
    _add_resources(server, service)
    return server


def _add_tools(server: MCPServer, service: Service) -> None:
    @server.tool(annotations=READS)
    async def score(
        log: dict[str, Any], factors: list[str] | None = None, judge: str | None = None
    ) -> dict[str, Any]:
        """Judge a conversation log factor by factor: a verdict each with score, reasons and quotations, and summaries.

        `factors` are slugs of crs-eval://factors or a protocol (`core`, `concept`, `pepper`); CoRE's twelve by default."""
        return await _asked(service, "/score", log=log, factors=factors, judge=judge)

    @server.tool(annotations=READS)
    async def debate(
        log: dict[str, Any], judge: str | None = None, max_rounds: int | None = None
    ) -> dict[str, Any]:
        """Have roles debate a conversation log to one overall score from 0 to 100, with what each says in each round."""
        return await _asked(service, "/debate", log=log, judge=judge, max_rounds=max_rounds)

    @server.tool(annotations=READS)
    async def compare(
        first: dict[str, Any],
        second: dict[str, Any],
        factors: list[str] | None = None,
        judge: str | None = None,
    ) -> dict[str, Any]:
        """Say which of two conversation logs is better on each factor and overall, or that neither is."""
        return await _asked(service, "/compare", first=first, second=second, factors=factors, judge=judge)

    @server.tool(annotations=READS)
    async def calibrate(
        ratings: list[dict[str, Any]], level: float | None = None, half_width: float | None = None
    ) -> dict[str, Any]:
        """Estimate what people would give, with intervals, from a judge's ratings of all conversations and people's of some.

        A rating is {conversation, system?, factor, rater, kind: "judge" or "human", score}."""
        return await _asked(service, "/calibrate", ratings=ratings, level=level, half_width=half_width)


def _add_resources(server: MCPServer, service: Service) -> None:
    @server.resource("crs-eval://factors", mime_type=JSON)
    async def factors() -> str:
        """The catalogue of factors with their rubrics."""
        return await _read(service, "/factors")

    @server.resource("crs-eval://factors/{slug}", mime_type=JSON)
    async def factor(slug: str) -> str:
        """The rubric of one factor."""
        return await _read(service, f"/factors/{slug}")

    @server.resource("crs-eval://docs/guide", mime_type="text/markdown")
    def guide() -> str:
        """Logs, tools and verdicts on one page."""
        return GUIDE.read_text(encoding="utf-8")

    @server.resource("crs-eval://docs/contract", mime_type=JSON)
    async def contract() -> str:
        """The OpenAPI document of the service, with every field described."""
        return await _read(service, "/openapi.json")


async def _asked(service: Service, path: str, **fields: Any) -> Json:
    answer = await service.post(path, present(fields))
    if isinstance(answer, ServiceRefusal):
        raise ToolError(answer.detail)
    return answer


async def _read(service: Service, path: str) -> str:
    found = await service.get(path)
    if isinstance(found, ServiceRefusal):
        raise ResourceNotFoundError(found.detail) if found.status == 404 else ResourceError(found.detail)
    return json.dumps(found, ensure_ascii=False)
