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
     ("icon.svg", "image/svg+xml"), ("report.css", "text/css")],
)  # fmt: skip
def test_its_files_are_served_with_their_types(client: TestClient, name: str, media: str) -> None:
    answer = client.get(f"/web/{name}")
    assert answer.status_code == 200
    assert answer.headers["content-type"].startswith(media)


@pytest.mark.parametrize(
    "name", ["nothing.js", "wire.d.ts", "tsconfig.json", "..%2Fswagger-ui%2Fstart.js", "page.py"]
)
def test_nothing_else_is_served(client: TestClient, name: str) -> None:
    answer = client.get(f"/web/{name}")
    assert answer.status_code == 404
    assert answer.headers["content-type"] == "application/problem+json"


def test_every_module_that_is_imported_is_there() -> None:
    for script in FOLDER.glob("*.js"):
        for line in script.read_text().splitlines():
            if line.startswith("import ") and " from " in line:
                name = line.rpartition(' from "./')[2].rstrip('";')
                assert (FOLDER / name).exists(), f"{script.name}: {line}"
