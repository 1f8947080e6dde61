"""Newline-delimited JSON as it arrives: lines of a bounded size out of chunks of any."""

from collections.abc import AsyncIterator


async def split_lines(chunks: AsyncIterator[bytes], limit: int) -> AsyncIterator[bytes | None]:
    """The lines without their ends, the last one also where no end follows; None for one of more
    than `limit` bytes, which is never held."""
    held = bytearray()
    too_long = False
    async for chunk in chunks:
        start = 0
        while (end := chunk.find(b"\n", start)) >= 0:
            too_long = too_long or len(held) + end - start > limit
            yield None if too_long else bytes(held) + chunk[start:end]
            held.clear()
            too_long = False
            start = end + 1
        too_long = too_long or len(held) + len(chunk) - start > limit
        if too_long:
            held.clear()
        else:
            held += chunk[start:]
    if held or too_long:
        yield None if too_long else bytes(held)
