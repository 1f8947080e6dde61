"""Bodies that `crs-eval live` reads in the process that serves."""

import asyncio
import itertools
import json
from typing import Any

import pytest
from google.protobuf.json_format import ParseDict
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

from service.errors import InvalidRequest
from service.importing.formats import formats
from service.live.intake import read_post
from service.live.routes import conversations
from service.live.spans import NoExportError, memory, posts_of
from service.usecases import parsing
from service.usecases.parsing import allowance
from tests.posted import JSON, TALK, Posted, Route
from tools.format_samples import sample

BODIES = 16


def test_others_are_served_between_two_bodies(monkeypatch: pytest.MonkeyPatch) -> None:
    posted = Posted()
    route = Route(live=True, path="/live/conversations/one/messages", media=JSON)
    turns = itertools.count()
    turn, parsed = 0, list[int]()

    def counted(*given: Any) -> Any:
        parsed.append(turn)
        return parsing.parse(*given)

    async def others() -> None:
        nonlocal turn
        for turn in turns:  # noqa: B007 - it is read where a body is parsed
            await asyncio.sleep(0)

    async def post_all() -> list[tuple[int, bytes]]:
        beside = asyncio.create_task(others())
        content = b'{"messages":[{"role":"user","content":"Something calm?"}]}'
        answers = await asyncio.gather(*(posted.ask(route, content) for _ in range(BODIES)))
        beside.cancel()
        return answers

    monkeypatch.setattr(conversations, "parse", counted)
    assert {status for status, _ in asyncio.run(post_all())} == {202}
    assert len(set(parsed)) == BODIES


def inside(number: int, content: bytes) -> bytes:
    """A message as a field of another one."""
    size, length = len(content), b""
    while size > 127:
        length += bytes([size & 127 | 128])
        size >>= 7
    return bytes([number << 3 | 2]) + length + bytes([size]) + content


EMPTY = {
    "resources": b"\x0a\x00" * 300_000,
    "attributes": inside(1, inside(2, inside(2, b"\x4a\x00" * 300_000))),
}


@pytest.mark.parametrize("name", EMPTY)
def test_empty_parts_are_refused_before_they_are_made(name: str) -> None:
    with pytest.raises(InvalidRequest, match="more parts"):
        posts_of(EMPTY[name], protobuf=True)  # took 60 bytes of memory a byte


@pytest.mark.parametrize("service", ["", "a\tb", "x" * 301])
def test_a_service_name_or_half_a_character_loses_no_conversation(service: str) -> None:
    whole = json.loads(sample(formats()["opentelemetry"], [("user", "Sad?"), ("assistant", "A little.")]))
    whole["resourceSpans"][0]["resource"] = {
        "attributes": [{"key": "service.name", "value": {"stringValue": service}}]
    }
    (post,) = posts_of(json.dumps(whole).replace("Sad?", r"Sad \\ud83d").encode(), protobuf=False)
    found = read_post(post)
    assert (found.system, found.messages[0].content) == (None, "Sad ?")


def test_an_export_takes_what_its_parts_take() -> None:
    export = ParseDict(
        json.loads(sample(formats()["opentelemetry"], TALK)), ExportTraceServiceRequest()
    ).SerializeToString()
    taken = memory(export, ExportTraceServiceRequest.DESCRIPTOR, allowance(len(export)))
    assert 1_000 < taken < allowance(len(export)) / 100
    assert posts_of(export, protobuf=True)


@pytest.mark.parametrize("body", [b"\xff" * 1000, b"\x0a", b"\x0a\xff\xff\xff\xff\x0f", b"\x0b" * 50])
def test_bytes_that_are_no_export_are_counted_to_their_end(body: bytes) -> None:
    assert memory(body, ExportTraceServiceRequest.DESCRIPTOR, allowance(len(body))) <= allowance(len(body))
    with pytest.raises(NoExportError):
        posts_of(body, protobuf=True)
