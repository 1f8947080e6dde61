"""Requests of the tests, and what they check of every answer."""

from typing import Any

from starlette.testclient import TestClient


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
