"""The files of the service that one warm request for one factor runs through: what a reader opens to follow it, the line in the
log included. The conversation holds messages alone; items and answers of tools have files of their own."""

import gc
import sys
import threading
from collections.abc import Iterator
from io import StringIO
from itertools import count
from pathlib import Path
from types import FrameType
from typing import Any

import pytest
from starlette.testclient import TestClient

import service
from service.app import create_app
from service.factors import load_factors
from service.main import read_settings
from service.telemetry.logging import configure_logging
from tests.provider.server import ProviderServer

ROOT = f"{Path(service.__file__).parent}/"
#: Files that one request runs through at most, whichever factor it asks: of a model, and of the embedded judge.
MOST, EMBEDDED = 44, 53
MESSAGES = [
    {"role": "user", "content": "Any western from the seventies?"},
    {"role": "assistant", "content": "Try Copper Canyon (1950), because it is calm and set in the desert."},
    {"role": "user", "content": "I have seen it. Something else?"},
    {"role": "assistant", "content": "How about The Long Way (2004)? Which actors do you like?"},
    {"role": "user", "content": "Great, thanks!"},
]
_fresh = count()


class Touched:
    """Collects the files whose functions run while it is `on`, in whichever thread."""

    def __init__(self) -> None:
        self.files: set[str] = set()
        self.on = False

    def __call__(self, frame: FrameType, event: str, _: Any) -> None:
        if self.on and event == "call" and frame.f_code.co_filename.startswith(ROOT):
            self.files.add(frame.f_code.co_filename.removeprefix(ROOT))


@pytest.fixture(scope="module")
def touched() -> Iterator[Touched]:
    found = Touched()
    threading.setprofile(found)  # before the service starts any thread
    yield found
    threading.setprofile(None)


@pytest.fixture(scope="module")
def service_of(touched: Touched) -> Iterator[TestClient]:
    with ProviderServer() as provider:
        settings = {"UPSTREAM_LOCAL": provider.openai_url, "JUDGES": "builtin,local:*", "WORKERS": "0"}
        app = create_app(read_settings({f"CRS_EVAL_{name}": value for name, value in settings.items()}))
        with TestClient(app) as client:
            client.portal.call(sys.setprofile, touched)  # type: ignore[union-attr]
            yield client


def files(client: TestClient, touched: Touched, factor: str, judge: str) -> set[str]:
    """The files that a request runs through when others came before it."""
    configure_logging("json", "info", StringIO())
    gc.collect()  # what earlier tests left would be closed amid the request, and its files counted
    for warm in (False, False, True):
        touched.files.clear()
        touched.on = warm
        number = next(_fresh)  # in each message, since what was read of a text before is kept
        messages = [{**message, "content": f"{message['content']} Number {number}!"} for message in MESSAGES]
        body = {"log": {"id": str(number), "messages": messages}, "judge": judge, "cache": "refresh"}
        assert client.post(f"/score/{factor}", json=body).status_code == 200
    touched.on = False
    return set(touched.files)


@pytest.mark.parametrize("factor", list(load_factors()))
def test_the_embedded_judge(service_of: TestClient, touched: Touched, factor: str) -> None:
    found = files(service_of, touched, factor, "builtin")
    assert 15 < len(found) <= EMBEDDED, " ".join(sorted(found))


@pytest.mark.parametrize("factor", list(load_factors()))
def test_a_model(service_of: TestClient, touched: Touched, factor: str) -> None:
    found = files(service_of, touched, factor, "local:gpt-4o-mini")
    assert 15 < len(found) <= MOST, " ".join(sorted(found))
