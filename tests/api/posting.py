"""Requests of the tests, and what they check of every answer."""

from functools import cache
from typing import Any

from starlette.testclient import TestClient
from typer.testing import CliRunner

from service.cli.program import app


@cache
def help_of(command: str) -> str:
    """The help of a command without its frame and blanks."""
    output = CliRunner(env={"COLUMNS": "200", "NO_COLOR": "1"}).invoke(app, [command, "--help"]).output
    return "".join(output.replace("│", "").split())


def answered(client: TestClient, status: int = 200, *, path: str = "/score", **body: Any) -> dict[str, Any]:
    """The answer to a body, which must have this status."""
    response = client.post(path, json=body)
    assert response.status_code == status, response.text
    answer: dict[str, Any] = response.json()
    return answer


def refused(client: TestClient, *, path: str = "/score", **body: Any) -> list[str]:
    """The places that a refusal of a body names, each with its fix."""
    problem = answered(client, 422, path=path, **body)
    assert all(error["fix"] for error in problem["errors"])
    return [error["pointer"] for error in problem["errors"]]
