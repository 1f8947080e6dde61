"""The page's files over ASGI: what is served, and under which headers."""

from pathlib import Path

import pytest
from fastapi.testclient import TestClient

ROOT = Path(__file__).parent.parent.parent
FOLDER = ROOT / "service" / "web" / "page"


def test_the_page_is_served_under_a_policy_without_inline_script(client: TestClient) -> None:
    answer = client.get("/")
    assert answer.headers["content-type"].startswith("text/html")
    policy = answer.headers["content-security-policy"]
    assert "script-src 'self'" in policy
    assert "unsafe" not in policy
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert "<script>" not in answer.text


@pytest.mark.parametrize(
    ("name", "media"),
    [("page.js", "text/javascript"), ("page.css", "text/css"), ("examples.json", "application/json"),
     ("icon.svg", "image/svg+xml"), ("report.html", "text/plain")],
)  # fmt: skip
def test_its_files_are_served_with_their_types(client: TestClient, name: str, media: str) -> None:
    answer = client.get(f"/web/{name}")
    assert answer.status_code == 200
    assert answer.headers["content-type"].startswith(media)


@pytest.mark.parametrize(
    "path",
    ["/nowhere", *(f"/web/{name}" for name in ("nothing.js", "index.html", "..%2Fswagger-ui%2Fstart.js"))],
)
def test_nothing_else_is_served(client: TestClient, path: str) -> None:
    answer = client.get(path)
    assert answer.status_code == 404
    assert answer.headers["content-type"] == "application/problem+json"
    assert answer.json()["type"] == "/problems/not-found"


def test_every_file_is_served(client: TestClient) -> None:
    names = {path.name for path in FOLDER.iterdir()}
    assert {name for name in names if client.get(f"/web/{name}").status_code == 200} == names - {
        "index.html",
        "label.html",
        "live.html",
    }
