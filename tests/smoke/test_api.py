"""The installed service over HTTP: what it ships, and one answer of each kind."""

import json
import tomllib
from typing import Any

import httpx2
import pytest

from tests.smoke.conftest import JUDGE
from tools.service_process import ROOT

GOOD: dict[str, Any] = json.loads((ROOT / "examples/logs/good.json").read_text())


def post(url: str, body: dict[str, Any]) -> dict[str, Any]:
    answer = httpx2.post(url, json=body)
    assert answer.status_code == 200, answer.text
    return dict(answer.json())


def scored(answer: dict[str, Any]) -> int:
    return sum(verdict["status"] == "scored" for verdict in answer["verdicts"])


def test_the_contract_is_that_of_the_checkout(url: str) -> None:
    assert httpx2.get(f"{url}/openapi.json").json() == json.loads((ROOT / "openapi/openapi.json").read_text())


def test_every_factor_is_there(url: str) -> None:
    files = [tomllib.loads(path.read_text()) for path in (ROOT / "service/factors").rglob("*.toml")]
    served = {factor["slug"] for factor in httpx2.get(f"{url}/factors").json()["factors"]}
    assert served == {factor["slug"] for factor in files}


@pytest.mark.parametrize("path", ["/", "/web/page.js", "/docs", "/docs/swagger-ui.css"])
def test_the_page_and_the_documentation_are_served(url: str, path: str) -> None:
    answer = httpx2.get(f"{url}{path}", follow_redirects=True)
    assert answer.status_code == 200
    assert answer.text


def test_the_embedded_judge_scores(url: str) -> None:
    assert scored(post(f"{url}/score", GOOD)) >= 8


def test_a_model_is_asked(url: str) -> None:
    assert scored(post(f"{url}/score", {**GOOD, "judge": JUDGE, "factors": ["coherence"]})) == 1


def test_roles_debate(url: str) -> None:
    assert scored(post(f"{url}/debate", {**GOOD, "judge": JUDGE, "factors": ["coherence"]})) == 1
