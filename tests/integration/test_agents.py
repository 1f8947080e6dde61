"""`crs-eval mcp`, asked by the official package's own client: over standard input and output, and over HTTP."""

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractAsyncContextManager
from typing import Any

import pytest
from mcp import Client, MCPError, StdioServerParameters

from tests.loopback_server import listens
from tests.patience import PATIENCE, wait_for
from tools.service_process import ROOT, free_port

LOG: dict[str, Any] = json.loads((ROOT / "examples" / "logs" / "mediocre.json").read_text())["log"]
GOOD: dict[str, Any] = json.loads((ROOT / "examples" / "logs" / "good.json").read_text())["log"]
CONTRACT = json.loads((ROOT / "openapi" / "openapi.json").read_text())
COMMAND = ("-m", "service.cli.program", "mcp")
Connect = Callable[[], AbstractAsyncContextManager[Client]]
pytestmark = pytest.mark.slow


def environment(url: str) -> dict[str, str]:
    return {**os.environ, "CRS_EVAL_URL": url, "PYTHONPATH": str(ROOT)}


@pytest.fixture(scope="module", params=["stdio", "http"])
def connect(request: pytest.FixtureRequest, url: str) -> Iterator[Connect]:
    if request.param == "stdio":
        server = StdioServerParameters(
            command=sys.executable, args=list(COMMAND), env=environment(url), cwd=str(ROOT)
        )
        yield lambda: Client(server)
        return
    port = free_port()
    process = subprocess.Popen(
        [sys.executable, *COMMAND, "--http", str(port)], env=environment(url), stderr=subprocess.DEVNULL
    )
    try:
        wait_for(lambda: listens(port))
        yield lambda: Client(f"http://127.0.0.1:{port}/mcp")
    finally:
        process.terminate()
        process.wait(PATIENCE)


async def called(client: Client, tool: str, **arguments: Any) -> Any:
    result = await client.call_tool(tool, arguments)
    assert not result.is_error, result.content
    return result.structured_content


@pytest.mark.anyio
async def test_an_agent_scores_debates_compares_and_calibrates(connect: Connect) -> None:
    async with connect() as client:
        assert {tool.name for tool in (await client.list_tools()).tools} == {
            "score", "debate", "compare", "calibrate",
        }  # fmt: skip
        answer = await called(client, "score", log=LOG, factors=["coherence", "groundness"])
        verdicts = {verdict["factor"]: verdict for verdict in answer["verdicts"]}
        assert verdicts["coherence"]["status"] == "scored"
        assert verdicts["groundness"]["rationale"] or verdicts["groundness"]["reason"]
        assert 0 <= (await called(client, "debate", log=LOG))["overall"] <= 100
        compared = await called(client, "compare", first=GOOD, second=LOG, factors=["coherence"])
        assert compared["preferences"][0]["factor"] == "coherence"
        example = CONTRACT["components"]["schemas"]["CalibrateRequest"]["examples"][0]
        kept = {name: example[name] for name in ("ratings", "half_width") if name in example}
        assert (await called(client, "calibrate", **kept))["means"]
        wrong = await client.call_tool("score", {"log": LOG, "judge": "nobody"})
        assert wrong.is_error
        assert "name one of: builtin" in str(wrong.content)


@pytest.mark.anyio
async def test_factors_and_docs_are_resources(connect: Connect) -> None:
    async with connect() as client:
        listed = {str(one.uri) for one in (await client.list_resources()).resources}
        assert listed == {"crs-eval://factors", "crs-eval://docs/guide", "crs-eval://docs/contract"}
        templates = (await client.list_resource_templates()).resource_templates
        assert [one.uri_template for one in templates] == ["crs-eval://factors/{slug}"]
        texts = {uri: (await client.read_resource(uri)).contents[0].text for uri in listed}  # type: ignore[union-attr]
        assert len(json.loads(texts["crs-eval://factors"])["factors"]) > 20
        assert "comparison_key" in texts["crs-eval://docs/guide"]
        assert json.loads(texts["crs-eval://docs/contract"])["paths"].keys() == CONTRACT["paths"].keys()
        one = (await client.read_resource("crs-eval://factors/coherence")).contents[0].text  # type: ignore[union-attr]
        assert json.loads(one)["slug"] == "coherence"
        with pytest.raises(MCPError, match="There is no factor"):
            await client.read_resource("crs-eval://factors/nonsense")
