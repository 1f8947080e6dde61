"""Newline-delimited JSON: lines of a bounded size out of chunks of any, and values that stay on one line."""

from collections.abc import AsyncIterator

_SEPARATORS = {"\x85": b"\\u0085", "\u2028": b"\\u2028", "\u2029": b"\\u2029"}


async def split_lines(chunks: AsyncIterator[bytes], limit: int) -> AsyncIterator[bytes | None]:
    """The lines without their ends, the last one also where no end follows; None for one of more
    than `limit` bytes, which is never held."""
    held = bytearray()
    too_long = False
    async for chunk in chunks:
        start = 0
        while (end := chunk.find(b"\n", start)) >= 0:
            too_long = too_long or len(held) + end - start > limit
            if not too_long:
                held += chunk[start:end]
            yield None if too_long else _taken(held)
            held.clear()
            too_long = False
            start = end + 1
        too_long = too_long or len(held) + len(chunk) - start > limit
        if too_long:
            held.clear()
        else:
            held += chunk[start:]
    if held or too_long:
        yield None if too_long else _taken(held)


def _taken(held: bytearray) -> bytes:
    """Return what was held, which is there only once from now on: the line is worked on before the next is
    asked for."""
    line = bytes(held)
    held.clear()
    return line


def one_line(data: bytes) -> bytes:
    """The same JSON with its line separators beyond ASCII escaped: many readers of lines end one there."""
    for separator, escaped in _SEPARATORS.items():
        data = data.replace(separator.encode(), escaped)
    return data
