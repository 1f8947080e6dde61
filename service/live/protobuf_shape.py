"""The parts of a protobuf message, counted in its bytes before objects are made of them."""

from typing import Any

MESSAGE = 400
FIELD = 100
"""Bytes that one message inside another, and one text of it, take: as protobuf's own objects and as Python's."""


def memory(body: bytes, kind: Any, most: int) -> int:
    """The bytes that the parts of a message take; counting ends once they are over `most`. `kind` is the message's descriptor.
    Bytes that are no such message have parts too: those that a parser reads before it meets the fault."""
    taken = 0
    waiting = [(0, len(body), kind)]
    while waiting and taken <= most:
        at, end, inside = waiting.pop()
        while at < end and taken <= most:
            tag, at = _number(body, at)
            wire = tag & 7
            if wire == 2:
                length, at = _number(body, at)
                field = inside.fields_by_number.get(tag >> 3)
                if field is not None and field.message_type is not None:
                    taken += MESSAGE
                    waiting.append((at, min(end, at + length), field.message_type))
                elif field is not None:
                    taken += FIELD
                at += length
            elif wire == 0:
                _, at = _number(body, at)
            else:
                at += {1: 8, 5: 4}.get(wire, 0)
    return taken


def _number(body: bytes, at: int) -> tuple[int, int]:
    """A number in groups of seven bits, and where it ends."""
    value = shift = 0
    while at < len(body) and shift < 70:
        byte = body[at]
        at += 1
        value |= (byte & 127) << shift
        if byte < 128:
            break
        shift += 7
    return value, at
