from pydantic import SecretStr
from starlette.testclient import TestClient

from service.app import create_app
from service.debates.roles import load_roles
from service.factors import load_factors
from service.importing.formats import format_names
from service.settings import ProviderAccess, Settings


def test_the_factors_are_listed_with_their_whole_rubrics(client: TestClient) -> None:
    factors = client.get("/factors").json()["factors"]
    assert [factor["slug"] for factor in factors] == list(load_factors())
    novelty = next(factor for factor in factors if factor["slug"] == "novelty")
    assert [level["level"] for level in novelty["levels"]] == [4, 3, 2, 1, 0]
    assert {ladder["name"] for ladder in novelty["ladders"]} == {"share", "count"}
    assert novelty == client.get("/factors/novelty").json()


def test_the_choices_are_names_and_nothing_more() -> None:
    settings = Settings(
        providers={
            "openai": ProviderAccess(base_url="http://models.example/v1", api_key=SecretStr("sk-secret"))
        },
        judges=("builtin", "openai:*"),
        crs_endpoints={"harbour": "http://crs.example/reply"},
    )
    with TestClient(create_app(settings)) as client:
        answer = client.get("/choices")
    assert answer.json() == {
        "default_judge": "builtin",
        "judges": ["builtin", "openai:*"],
        "roles": list(load_roles(load_factors())),
        "recommenders": ["harbour"],
        "catalogs": [],
        "languages": ["en"],
        "formats": ["auto", *format_names()],
    }


def test_probes(client: TestClient) -> None:
    assert client.get("/healthz").json()["status"] == "ok"
    ready = client.get("/readyz").json()
    assert ready["status"] == "ready"
    assert ready["catalogs"] == ["films", "restaurants"]
    assert ready["default_judge"] == "builtin"


def test_the_docs_page_is_served_from_here_alone(client: TestClient) -> None:
    page = client.get("/docs")
    assert page.status_code == 200
    assert "default-src 'self'" in page.headers["content-security-policy"]
    assert "http://" not in page.text
    assert "https://" not in page.text
    for name in ("swagger-ui.css", "swagger-ui-bundle.js", "start.js"):
        assert f"docs/{name}" in page.text
        assert client.get(f"/docs/{name}").status_code == 200
    assert client.get("/docs/LICENSE").status_code == 404
    assert client.get("/openapi.json").json()["info"]["title"] == "crs-eval"
