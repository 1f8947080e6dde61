"""`crs-eval live` as a process: messages over HTTP, keys, probes, metrics, events on the conversation's trace, deletion."""

import json
import sqlite3
from base64 import b64encode
from collections.abc import Iterator
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

import httpx2
import pytest
from google.protobuf.json_format import ParseDict
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

from service.importing.formats import formats
from tests.factories import in_turns
from tests.integration.live.conftest import PERSISTENT, holding
from tests.integration.live.test_webhooks import SECRET, Receiver, verified
from tests.live_process import running_live
from tests.otlp_receiver import OtlpReceiver, plain
from tests.patience import PATIENCE, wait_for
from tests.redis_server import RedisServer
from tools.format_samples import Line, sample

ROOT = Path(__file__).parents[3]
TRACE = {"trace_id": "4bf92f3577b34da6a3ce929d0e0e4736", "span_id": "00f067aa0ba902b7"}
SECRET_TEXT = "Lanterns of paper"
pytestmark = pytest.mark.slow


@dataclass
class Running:
    """A process of `crs-eval live`, with what it writes to."""

    client: httpx2.Client
    database: Path
    lines: Path
    log: Path
    webhook: Receiver
    receiver: OtlpReceiver
    redis: RedisServer

    def post(self, conversation: str, *texts: str, **fields: Any) -> httpx2.Response:
        messages = [{"id": f"m{number}", **said} for number, said in enumerate(in_turns(*texts))]
        body = {"messages": messages, **fields}
        return self.client.post(f"/live/conversations/{conversation}/messages", json=body)

    def rows(self, query: str) -> list[Any]:
        connection = sqlite3.connect(self.database)
        try:
            return connection.execute(query).fetchall()
        finally:
            connection.close()

    def wait_for(self, query: str, expected: list[Any]) -> None:
        wait_for(
            lambda: self.rows(query) == expected, lambda: (self.rows(query), self.log.read_text()[-2000:])
        )

    def posted(self, conversation: str) -> list[Any]:
        """The webhooks about a conversation."""
        name = f'"{conversation}"'.encode()
        return [json.loads(body) for _, body in self.webhook.came if name in body]


@pytest.fixture(scope="module")
def live(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    folder = tmp_path_factory.mktemp("live")
    keys = ",".join(f"{name}:{name}:{sha256(name.encode()).hexdigest()}" for name in ("score", "admin"))
    with RedisServer(folder, *PERSISTENT) as redis, Receiver(200) as webhook, OtlpReceiver() as receiver:
        settings = {
            "LIVE_REDIS_URL": redis.url,
            "LIVE_DATABASE": f"sqlite:///{folder}/results.db",
            "LIVE_LINES": str(folder / "lines.ndjson"),
            "LIVE_WEBHOOKS": webhook.url,
            "LIVE_WEBHOOK_SECRET": SECRET,
            "LIVE_FACTORS": "coherence",
            "LIVE_SETTLE": "1s",
            "LIVE_USER_KEY": "k" * 32,
            "API_KEYS": keys,
        }
        with (
            running_live(settings, folder, OTEL_EXPORTER_OTLP_ENDPOINT=receiver.url) as url,
            httpx2.Client(
                base_url=url, headers={"Authorization": "Bearer score"}, timeout=PATIENCE
            ) as client,
        ):
            files = (folder / "results.db", folder / "lines.ndjson", folder / "log")
            yield Running(client, *files, webhook, receiver, redis)


ADMIN = {"Authorization": "Bearer admin"}


def verdicts(live: Running, complete: str) -> float:
    """Return how many verdicts on the system `shop` are counted."""
    text = live.client.get("/metrics", headers=ADMIN).text
    lines = [line for line in text.splitlines() if line.startswith("crs_eval_verdicts_total{")]
    wanted = ('system="shop"', f'complete="{complete}"')
    return sum(float(line.rsplit(" ", 1)[1]) for line in lines if all(label in line for label in wanted))


def test_a_conversation_goes_from_messages_to_rows_lines_webhooks_events_and_metrics(live: Running) -> None:
    before = verdicts(live, "true")
    assert live.post("c1", accepted=True).status_code == 202  # a field alone
    for text in ("A slow drama, please.", "A slow drama, please."):  # the second is a repeat
        assert live.post("c1", text, system="shop", trace=TRACE).status_code == 202
    answer = live.post("c1", "A slow drama, please.", f"Try {SECRET_TEXT}.", complete=True)
    assert answer.json() == {"conversation": "c1", "messages": 2}
    live.wait_for(
        "select revision, system, ended, messages from conversations where conversation = 'c1'",
        [(1, "shop", "complete", 2)],
    )
    live.wait_for(
        "select factor, judge, status from verdicts where conversation = 'c1'",
        [("coherence", "builtin", "scored")],
    )
    wait_for(lambda: verdicts(live, "true") == before + 1 and live.posted("c1"))
    assert verdicts(live, "false") == 0
    headers, body = next(one for one in live.webhook.came if b'"c1"' in one[1])
    assert verified(headers, body)
    assert json.loads(body)["type"] == "conversation.judged"
    wait_for(lambda: live.receiver.events)
    event = live.receiver.events[-1]
    assert (event.trace_id.hex(), event.span_id.hex()) == (TRACE["trace_id"], TRACE["span_id"])
    assert event.event_name == "gen_ai.evaluation.result"
    about = {"gen_ai.conversation.id": "c1", "crs_eval.conversation.revision": 1}
    about |= {"crs_eval.scale.min": 0, "crs_eval.scale.max": 4, "crs_eval.status": "scored"}
    assert about.items() <= plain(event.attributes).items()
    for place in (live.database, live.lines, live.log):
        assert SECRET_TEXT.encode() not in place.read_bytes()
    assert all(SECRET_TEXT.encode() not in raw for raw in live.receiver.raw)


def test_a_fault_goes_to_rows_lines_webhooks_events_and_metrics(live: Running) -> None:
    counted = 'crs_eval_faults_total{certain="true",fault="no-reply",'
    said = ("A quiet film, please?", "Which year?", "Any. Which do you have?")
    live.post("f1", *said, system="silent", complete=True)
    live.wait_for(
        "select system, fault, replies, rate, certain, messages from latest_faults where conversation = 'f1'",
        [("silent", "no-reply", 1, 0.5, 1, "[2]")],
    )

    def lines_of_fault() -> list[str]:
        text = live.client.get("/metrics", headers=ADMIN).text
        return [one for one in text.splitlines() if one.startswith(counted) and 'system="silent"' in one]

    wait_for(lambda: live.posted("f1") and lines_of_fault())
    (line,) = lines_of_fault()
    assert line.endswith(" 1.0")
    [posted] = live.posted("f1")
    lines = [json.loads(one)["event"] for one in live.lines.read_text().splitlines()]
    [written] = [one for one in lines if one["conversation"] == "f1"]
    expected = [{"fault": "no-reply", "replies": 1, "rate": 0.5, "certain": True, "messages": [2]}]
    assert posted["data"]["faults"] == written["faults"] == expected
    assert live.client.get("/live/conversations/f1").json()["faults"] == expected
    wait_for(
        lambda: any(
            one.string_value == "no-reply"
            for event in live.receiver.events
            for pair in event.attributes
            if pair.key == "crs_eval.faults"
            for one in pair.value.array_value.values
        )
    )


def test_the_summary_tells_the_last_judgements_and_the_trend(live: Running) -> None:
    live.post("s1", "A slow drama, please.", "Try this one.", system="summed", complete=True)
    live.post("s2", "A slow drama, please.", "Cars are fast.", system="summed", complete=True)

    def summed() -> Any:
        return live.client.get("/live/summary?system=summed").json()

    wait_for(lambda: len(summed()["conversations"]) == 2)
    found = summed()
    assert {one["conversation"] for one in found["conversations"]} == {"s1", "s2"}
    assert [one["mean"] for one in found["worst"]] == sorted(one["mean"] for one in found["worst"])
    (series,) = found["trend"]
    assert (series["system"], series["factor"], series["judge"]) == ("summed", "coherence", "builtin")
    assert sum(point["n"] for point in series["points"]) == 2
    judged = live.client.get("/live/conversations/s1").json()
    assert [verdict["factor"] for verdict in judged["verdicts"]] == ["coherence"]
    assert live.client.get("/live/conversations/nobody").status_code == 404
    assert live.client.get("/live/summary?by=minute").json()["errors"][0]["pointer"] == "/by"


def export(name: str) -> list[dict[str, Any]]:
    """Exports of one span each: a call of a model, given the talk so far."""
    said: list[Line] = [
        ("user", "A slow drama?"),
        ("assistant", "Paper Lanterns."),
        ("user", "Sad?"),
        ("assistant", "A little."),
    ]
    whole = json.loads(sample(formats()["opentelemetry"], said))
    exports = []
    for number, span in enumerate(whole["resourceSpans"][0]["scopeSpans"][0]["spans"], 1):
        span |= {"traceId": f"{number:032x}", "spanId": f"{number:016x}"}
        text = json.dumps(
            {"resourceSpans": [{**whole["resourceSpans"][0], "scopeSpans": [{"spans": [span]}]}]}
        )
        exports.append(json.loads(text.replace('"c1"', f'"{name}"')))
    return exports


def protobuf(found: dict[str, Any]) -> bytes:
    for span in found["resourceSpans"][0]["scopeSpans"][0]["spans"]:
        span |= {key: b64encode(bytes.fromhex(span[key])).decode() for key in ("traceId", "spanId")}
    content: bytes = ParseDict(found, ExportTraceServiceRequest()).SerializeToString()
    return content


@pytest.mark.parametrize("encoding", ["json", "x-protobuf"])
def test_spans_of_a_collector_make_a_conversation_with_its_trace(live: Running, encoding: str) -> None:
    name = f"spans-{encoding}"
    headers = {"Content-Type": f"application/{encoding}"}
    exports = [json.dumps(one).encode() if encoding == "json" else protobuf(one) for one in export(name)]
    for body in (*exports, exports[-1]):  # a collector that had no answer sends again
        answer = live.client.post("/v1/traces", content=body, headers=headers)
        assert (answer.status_code, answer.headers["content-type"]) == (200, f"application/{encoding}")
    live.post(name, complete=True)
    live.wait_for(
        f"select system, revision, messages, replies from conversations where conversation = '{name}'",
        [("shop", 1, 8, 4)],
    )
    wait_for(lambda: any(event.span_id.hex() == f"{len(exports):016x}" for event in live.receiver.events))
    wrong = live.client.post("/v1/traces", content=b"{", headers=headers)
    assert (wrong.status_code, wrong.headers["content-type"]) == (422, "application/problem+json")


def test_deletion_reaches_rows_lines_and_receivers(live: Running) -> None:
    live.post("shop/gone", "A slow drama, please.", "Try this one.", complete=True)
    live.wait_for("select count(*) from conversations where conversation = 'shop/gone'", [(1,)])
    assert live.client.delete("/live/conversations/shop%2Fgone").status_code == 403
    assert live.client.delete("/live/conversations/", headers=ADMIN).status_code == 422
    assert live.client.delete("/live/conversations/shop%2Fgone", headers=ADMIN).status_code == 204
    live.wait_for("select count(*) from conversations where conversation = 'shop/gone'", [(0,)])
    live.wait_for("select count(*) from verdicts where conversation = 'shop/gone'", [(0,)])
    assert live.client.get("/live/conversations/shop%2Fgone").status_code == 404
    wait_for(lambda: any(b'"conversation.deleted"' in body for _, body in live.webhook.came))

    def kinds() -> list[str]:
        lines = live.lines.read_text().splitlines()
        return [json.loads(line)["kind"] for line in lines if '"shop/gone"' in line]

    wait_for(lambda: kinds() == ["conversation.deleted"])


def test_a_user_can_see_and_delete_what_is_known_of_them(live: Running) -> None:
    """Their text and their hash are found in files before the deletion, and afterwards in none; the id itself never is."""
    user, said = "anna@shop.example", "Ferns under a glass roof"
    for name in ("u1", "u2", "u3"):
        fields = {"user": {"id": user, "age_group": "adults"}, "metadata": {"segment": "new"}}
        live.post(name, said, "Try this one.", complete=name != "u3", **fields)
    live.wait_for(
        "select count(*), min(segment) from conversations where user_hash is not null", [(2, "new")]
    )
    path = "/live/users/anna%40shop.example"
    assert live.client.get(path).status_code == live.client.delete(path).status_code == 403
    found = live.client.get(path, headers=ADMIN).json()
    assert {one["conversation"] for one in found["judgements"]} == {"u1", "u2"}
    assert {one["conversation"] for one in found["conversations"]} == {"u1", "u2", "u3"}
    hashes = f"user-{'0' * 64} {found['user_hash']}"  # as in the result of a visitor who logged in
    assert live.client.get(f"/live/users/{hashes}", headers=ADMIN).json() == {**found, "user_hash": hashes}
    folder = live.database.parent
    assert holding(folder, said)
    held = " ".join(holding(folder, found["user_hash"]))
    assert "results.db" in held
    assert "lines.ndjson" in held
    assert live.client.delete(path, headers=ADMIN).status_code == 204
    wait_for(lambda: not (holding(folder, said) or holding(folder, found["user_hash"])))
    after = live.client.get(path, headers=ADMIN).json()
    assert (after["conversations"], after["judgements"]) == ([], [])
    assert holding(folder, user) == []


@pytest.mark.parametrize(
    ("conversation", "body", "pointer"),
    [
        ("c9", {"messages": [{"role": "user", "content": "x", "contents": "x"}]}, "/messages/0/contents"),
        ("c9", {"messages": []}, "/messages"),
        ("c9", {"messages": [{"role": "user", "content": "x", "index": -1}]}, "/messages/0/index"),
        ("c9", {"complete": True, "trace": {"trace_id": "x", "span_id": "y"}}, "/trace/trace_id"),
        ("c9", {"complete": True, "items": [{"id": "a", "title": "X"}] * 2}, "/items"),
        ("c9", {"messages": [{"role": one, "content": "x"} for one in ("user", "system")]}, ""),
        ("c9", {"complete": False}, "/messages"),
        ("a%00b", {"complete": True}, "/conversation"),
        ("m%FCller", {"complete": True}, "/conversation"),
        ("a" * 301, {"complete": True}, "/conversation"),
    ],
)
def test_a_wrong_body_is_a_problem_that_names_the_field(
    live: Running, conversation: str, body: Any, pointer: str
) -> None:
    answer = live.client.post(f"/live/conversations/{conversation}/messages", json=body)
    assert (answer.status_code, answer.headers["content-type"]) == (422, "application/problem+json")
    assert answer.json()["errors"][0]["pointer"] == pointer
    assert answer.json()["errors"][0]["fix"]


def test_keys_and_contract(live: Running) -> None:
    path = "/live/conversations/c1/messages"
    assert httpx2.post(str(live.client.base_url.join(path)), json={"complete": True}).status_code == 401
    assert live.client.get("/metrics").status_code == 403
    assert live.client.post("/score", json={}).status_code == 404
    assert live.client.put("/live/conversations/c1").headers["allow"] == "DELETE, GET, HEAD"
    assert live.client.delete("/live/users/", headers=ADMIN).status_code == 422
    assert "system" in live.client.get("/live/summary?sytem=shop").json()["errors"][0]["fix"]
    ready = live.client.get("/readyz").json()
    assert set(ready) == {"status", "open", "due", "queued", "undelivered", "dead_letters", "oldest_due"}
    assert live.client.get("/openapi.json").json() == json.loads((ROOT / "openapi" / "live.json").read_text())


def test_a_store_that_is_away_acknowledges_nothing_and_loses_nothing(live: Running) -> None:
    live.redis.kill()
    try:
        answer = live.post("c2", "A slow drama, please.", "Try this one.", complete=True)
        assert (answer.status_code, answer.json()["retryable"]) == (503, True)
        assert live.client.get("/healthz").status_code == 200
        assert live.client.get("/readyz").status_code == 503
    finally:
        live.redis.start()
    assert live.post("c2", "A slow drama, please.", "Try this one.", complete=True).status_code == 202
    live.wait_for("select revision, messages from conversations where conversation = 'c2'", [(1, 2)])
