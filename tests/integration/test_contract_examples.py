"""The request examples of the contract, posted as they stand: a reader who copies one gets an answer.

The operator has what the examples name: a recommender, and a language model where the embedded judge does not do."""

import json
from collections.abc import Iterator
from typing import Any

import httpx2
import pytest

from tests.patience import PATIENCE
from tests.provider.server import ProviderServer
from tools.example_crs import running_crs
from tools.service_process import ROOT, running_service

CONTRACT = json.loads((ROOT / "openapi" / "openapi.json").read_text())
Example = tuple[str, str, Any]
"""A path, the media type, and what is posted."""


def _resolved(schema: dict[str, Any]) -> dict[str, Any]:
    name = schema.get("$ref", "").rpartition("/")[2]
    found: dict[str, Any] = CONTRACT["components"]["schemas"][name] if name else schema
    return found


def _examples(media: dict[str, Any]) -> list[Any]:
    shown = [media["example"]] if "example" in media else []
    shown += [one["value"] for one in media.get("examples", {}).values()]
    shown += _resolved(media.get("x-line", media["schema"])).get("examples", [])
    return shown


def _operations() -> Iterator[tuple[str, dict[str, Any]]]:
    for path, item in CONTRACT["paths"].items():
        if "post" in item:
            yield path, item["post"]


def _posted() -> Iterator[Example]:
    for path, operation in _operations():
        for media, content in operation["requestBody"]["content"].items():
            for example in _examples(content):
                yield path.replace("{factor}", "coherence"), media, example


@pytest.fixture(scope="module")
def service() -> Iterator[str]:
    """A service with the embedded judge and a recommender."""
    with running_crs() as crs, running_service({"CRS_ENDPOINTS": f"our-crs={crs}/reply"}) as url:
        yield url


@pytest.fixture(scope="module")
def with_model() -> Iterator[str]:
    """A service whose default judge is a language model."""
    with (
        ProviderServer() as provider,
        running_service({"UPSTREAM_LOCAL": provider.openai_url, "JUDGE": "local:gpt-4o-mini"}) as url,
    ):
        yield url


NEEDS_MODEL = ("/simulate/profile",)
POSTED = list(_posted())
STREAMING = {
    path
    for path, operation in _operations()
    if "text/event-stream" in operation["responses"]["200"]["content"]
}
STREAMED = [
    (path, example)
    for path, _, example in POSTED
    if path in STREAMING and (path != "/simulate" or "crs" in example)
]


def test_every_route_has_an_example() -> None:
    assert {path.replace("{factor}", "coherence") for path, _ in _operations()} == {
        path for path, *_ in POSTED
    }


@pytest.mark.parametrize(("path", "media", "example"), POSTED, ids=[path for path, *_ in POSTED])
def test_a_request_of_the_contract_is_answered(
    service: str, with_model: str, path: str, media: str, example: object
) -> None:
    url = with_model if path in NEEDS_MODEL else service
    answer = httpx2.post(
        url + path, content=json.dumps(example), headers={"Content-Type": media}, timeout=PATIENCE
    )
    assert answer.status_code == 200, answer.text
    if path == "/batch":
        assert [json.loads(line)["status"] for line in answer.text.splitlines()] == [200]


@pytest.mark.parametrize(("path", "example"), STREAMED, ids=[path for path, _ in STREAMED])
def test_a_request_of_the_contract_is_streamed(service: str, path: str, example: object) -> None:
    stream = httpx2.post(
        service + path, json=example, headers={"Accept": "text/event-stream"}, timeout=PATIENCE
    )
    assert stream.status_code == 200, stream.text
    assert stream.headers["content-type"].startswith("text/event-stream")
    last = stream.text.strip().split("\n\n")[-1]
    assert "event: done" in last, last
    plain = httpx2.post(service + path, json=example, timeout=PATIENCE)
    assert json.loads(last.partition("data: ")[2]).keys() == plain.json().keys()


def test_every_streaming_route_is_streamed() -> None:
    assert {path for path, _ in STREAMED} == STREAMING == {"/score", "/debate", "/evaluate", "/simulate"}
