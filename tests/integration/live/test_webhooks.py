"""Webhooks: signed as Standard Webhooks say, tried again under the same id, buried in the end."""

import asyncio
import base64
import contextlib
import hashlib
import hmac
import json
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler
from typing import Any

import pytest

from service.errors import ConfigurationError
from service.live.outputs.output import OutputDown, OutputRefused
from service.live.outputs.webhook import Webhook, secret_of
from service.live_app import build_outputs
from service.settings import Settings
from service.store.conversations.protocol import ALARM, JUDGED, RECOVERED, OutboxEvent
from tests.loopback_server import AnsweringServer, LoopbackServer, Quiet, Response
from tests.patience import PATIENCE

SECRET = "whsec_" + base64.b64encode(bytes(range(24))).decode()


class Receiver(AnsweringServer):
    """Answers with the statuses in `answers`, the last one again and again, and keeps what came."""

    def __init__(self, *answers: int) -> None:
        self.came: list[tuple[dict[str, str], bytes]] = []
        self._answers = list(answers)
        super().__init__()

    def answer(self, request: BaseHTTPRequestHandler, body: bytes) -> Response:
        self.came.append(({name.lower(): value for name, value in request.headers.items()}, body))
        return self._answers.pop(0) if len(self._answers) > 1 else self._answers[0], {}, b""


def event(number: int) -> OutboxEvent:
    return OutboxEvent(str(number), number, JUDGED, "c1", json.dumps({"conversation": "c1"}).encode())


def verified(headers: dict[str, str], body: bytes) -> bool:
    """Return whether the signature is right, worked out from the text of the specification."""
    key = base64.b64decode(SECRET.removeprefix("whsec_"))
    content = f"{headers['webhook-id']}.{headers['webhook-timestamp']}.".encode() + body
    expected = base64.b64encode(hmac.new(key, content, hashlib.sha256).digest()).decode()
    return headers["webhook-signature"] == f"v1,{expected}"


@pytest.fixture
def receiving() -> Iterator[Callable[..., Receiver]]:
    started: list[Receiver] = []

    def start(*answers: int) -> Receiver:
        started.append(Receiver(*answers).__enter__())
        return started[-1]

    yield start
    for receiver in started:
        receiver.__exit__(None, None, None)


async def webhook(address: str, clock: Callable[[], float] = lambda: 1_800_000_000.0) -> Webhook:
    found = Webhook(address, secret_of(SECRET), patience=60, clock=clock)
    await found.prepare()
    return found


async def test_an_event_is_signed(receiving: Callable[..., Receiver]) -> None:
    receiver = receiving(204)
    output = await webhook(receiver.url)
    await output.take([event(7)])
    await output.aclose()
    ((headers, body),) = receiver.came
    assert verified(headers, body)
    assert not verified(headers, body.replace(b"c1", b"c2"))
    assert (headers["webhook-id"], headers["webhook-timestamp"]) == ("msg_7", "1800000000")
    assert json.loads(body) == {
        "type": "conversation.judged", "timestamp": "2027-01-15T08:00:00+00:00", "data": {"conversation": "c1"},
    }  # fmt: skip


async def test_an_event_that_is_not_taken_is_sent_again_under_its_id(
    receiving: Callable[..., Receiver],
) -> None:
    receiver = receiving(200, 503, 429, 200)
    output = await webhook(receiver.url)
    for _ in range(2):
        with pytest.raises(OutputDown):
            await output.take([event(1), event(2)])
    await output.take([event(1), event(2)])
    await output.aclose()
    assert [headers["webhook-id"] for headers, _ in receiver.came] == ["msg_1", "msg_2", "msg_2", "msg_2"]
    assert all(verified(*one) for one in receiver.came)


async def test_an_event_that_is_refused_or_too_old_is_given_up(receiving: Callable[..., Receiver]) -> None:
    output = await webhook(receiving(400).url)
    with pytest.raises(OutputRefused, match="answered 400"):
        await output.take([event(1)])
    await output.aclose()
    now = [0.0]
    output = await webhook(receiving(500).url, lambda: now[0])
    with pytest.raises(OutputDown):
        await output.take([event(1)])
    now[0] = 61.0
    with pytest.raises(OutputRefused, match="answered 500"):
        await output.take([event(1)])
    await output.aclose()


@pytest.mark.parametrize("answers", [[302], []])
async def test_a_redirect_and_a_receiver_that_is_away_are_down(
    receiving: Callable[..., Receiver], answers: list[int]
) -> None:
    output = await webhook(receiving(*answers).url if answers else "http://127.0.0.1:9/")
    with pytest.raises(OutputDown):
        await output.take([event(1)])
    await output.aclose()


async def test_an_answer_without_an_end_is_not_read() -> None:
    class Endless(Quiet, BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            self.send_response(200)
            self.end_headers()
            with contextlib.suppress(OSError):
                while True:
                    self.wfile.write(b"x" * 1000)

    with LoopbackServer(Endless) as server:
        output = await webhook(server.url)
        async with asyncio.timeout(PATIENCE):
            await output.take([event(1)])
        await output.aclose()


TWICE = {"WEBHOOKS": "http://127.0.0.1:9/,http://127.0.0.1:9", "WEBHOOK_SECRET": SECRET}


@pytest.mark.parametrize(
    ("given", "said"),
    [(TWICE, "is there twice"), ({"ALERTS": "pager=http://127.0.0.1:9/"}, "choose from alertmanager, slack")],
)
def test_receivers_that_cannot_be_meant_are_refused(given: dict[str, str], said: str) -> None:
    settings = Settings.from_environment({f"CRS_EVAL_LIVE_{name}": value for name, value in given.items()})
    with pytest.raises(ConfigurationError, match=said):
        build_outputs(settings)


async def alarmed(receiver: Receiver, name: str) -> tuple[Any, Any]:
    """Return what a receiver gets for an alarm and a recovery; results are not for it."""
    alarm = json.dumps({
        "at": "2026-01-01T10:00:00+00:00", "system": "shop <a>", "factor": "coherence", "fault": None, "change": "drop",
        "expected": 0.7, "margin": 0.02, "mean": 0.5, "conversations": 120, "shown": ["c1", "c2"],
    }).encode()  # fmt: skip
    _, output = build_outputs(Settings.from_environment({"CRS_EVAL_LIVE_ALERTS": f"{name}={receiver.url}"}))
    await output.prepare()
    await output.take(
        [event(1), OutboxEvent("2", 2, ALARM, "", alarm), OutboxEvent("3", 3, RECOVERED, "", alarm)]
    )
    await output.aclose()
    first, second = (json.loads(body) for _, body in receiver.came)
    return first, second


async def test_alarms_reach_slack_as_messages(receiving: Callable[..., Receiver]) -> None:
    alarm, recovery = await alarmed(receiving(200), "slack")
    assert alarm["text"].startswith(":warning: *shop &lt;a&gt;*: drop of coherence to 0.5 (expected 0.7")
    assert alarm["text"].endswith("They show it: c1, c2")
    assert "coherence is back" in recovery["text"]


async def test_alarms_reach_alertmanager_as_alerts_that_end(receiving: Callable[..., Receiver]) -> None:
    [alarm], [recovery] = await alarmed(receiving(200), "alertmanager")
    assert alarm["labels"] == recovery["labels"]
    assert alarm["labels"]["system"] == "shop <a>"
    assert (alarm["endsAt"], recovery["endsAt"]) == ("2026-01-08T10:00:00+00:00", alarm["startsAt"])


@pytest.mark.parametrize("address", ["http://\u2603.example/", "http://x.example/\x7f"])
async def test_an_address_that_no_client_can_call_is_refused_at_the_start(address: str) -> None:
    with pytest.raises(ConfigurationError, match="CRS_EVAL_LIVE_WEBHOOKS"):
        await Webhook(address).prepare()


@pytest.mark.parametrize("text", ["", "secret", "whsec_", "whsec_c2hvcnQ=", "whsec_%%%"])
def test_a_secret_that_is_none_is_refused(text: str) -> None:
    with pytest.raises(ConfigurationError, match="CRS_EVAL_LIVE_WEBHOOK_SECRET"):
        secret_of(text)
