from collections.abc import AsyncIterator, Iterable

import pytest

from service.api.ndjson import split_lines


async def split(chunks: Iterable[bytes], limit: int = 10) -> list[bytes | None]:
    async def feed() -> AsyncIterator[bytes]:
        for chunk in chunks:
            yield chunk

    return [line async for line in split_lines(feed(), limit)]


@pytest.mark.parametrize("size", [1, 2, 3, 5, 100])
async def test_lines_come_out_the_same_however_they_are_cut(size: int) -> None:
    text = b"first\n\nexactly 10\neleven long\nlast"
    chunks = [text[start : start + size] for start in range(0, len(text), size)]
    assert await split(chunks) == [b"first", b"", b"exactly 10", None, b"last"]


async def test_a_line_that_is_too_long_at_the_end_is_told() -> None:
    assert await split([b"ok\n", b"x" * 8, b"x" * 8]) == [b"ok", None]


async def test_no_bytes_are_no_lines() -> None:
    assert await split([]) == []
    assert await split([b"", b""]) == []
    assert await split([b"one\n"]) == [b"one"]
