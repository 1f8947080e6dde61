"""Messages of protobuf put together by hand: what is the same each time is never encoded again, since
messages are merged by putting their bytes in a row."""

from collections.abc import Sequence

_RESOURCES = 1
_SCOPES = 2
RECORDS = 2
"""Number of the field of a scope that holds its spans, or its log records."""


def head(number: int, length: int) -> bytes:
    """What stands before a message within a message: its field, its length."""
    rest = bytearray()
    while length > 0x7F:
        rest.append(length & 0x7F | 0x80)
        length >>= 7
    return bytes((number << 3 | 2, *rest, length))


def enclosed(resource: bytes, scope: bytes, records: Sequence[bytes]) -> bytes:
    """A request to export `records`, each behind its head, as of this resource and this scope, which
    hold none yet. Spans and log records have the same numbers of fields all the way."""
    size = len(scope) + sum(map(len, records))
    inner = head(_SCOPES, size)
    outer = head(_RESOURCES, len(resource) + len(inner) + size)
    return b"".join((outer, resource, inner, scope, *records))  # megabytes, copied once
