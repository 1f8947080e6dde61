"""Exports of spans in protobuf: what would take far more memory than bytes is refused before objects are made of it."""

import json

import pytest
from google.protobuf.json_format import ParseDict
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

from service.api.body import allowance
from service.errors import InvalidRequest
from service.importing.formats import formats
from service.live.protobuf_shape import memory
from service.live.spans import NoExportError, posts_of
from tests.posted import TALK


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


def test_an_export_takes_what_its_parts_take() -> None:
    export = ParseDict(
        json.loads(formats()["opentelemetry"].sample(TALK)), ExportTraceServiceRequest()
    ).SerializeToString()
    taken = memory(export, ExportTraceServiceRequest.DESCRIPTOR, allowance(len(export)))
    assert 1_000 < taken < allowance(len(export)) / 100
    assert posts_of(export, protobuf=True)


@pytest.mark.parametrize("body", [b"\xff" * 1000, b"\x0a", b"\x0a\xff\xff\xff\xff\x0f", b"\x0b" * 50])
def test_bytes_that_are_no_export_are_counted_to_their_end(body: bytes) -> None:
    assert memory(body, ExportTraceServiceRequest.DESCRIPTOR, allowance(len(body))) <= allowance(len(body))
    with pytest.raises(NoExportError):
        posts_of(body, protobuf=True)
