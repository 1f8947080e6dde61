"""Files of the service itself, for browsers: read and compressed once, and sent only where they changed."""

import asyncio
import hashlib
from collections.abc import Mapping
from functools import cache
from pathlib import Path

from fastapi import Request
from starlette.responses import Response

from .middleware.delivery import SMALLEST, accepts_gzip, compressed


async def file_response(request: Request, path: Path, media: str, headers: Mapping[str, str]) -> Response:
    """A file as an answer: in the coding that the caller takes, 304 to who has it, told by its tag."""
    plain, tag = await asyncio.to_thread(_read, path)
    sent = {**headers, "ETag": tag, "Vary": "Accept-Encoding"}
    known = [part.strip() for part in request.headers.get("if-none-match", "").split(",")]
    if tag in known or "*" in known:
        return Response(status_code=304, headers=sent)
    if len(plain) >= SMALLEST and accepts_gzip(request.scope):
        packed = await asyncio.to_thread(_packed, path)
        if len(packed) < len(plain):
            return Response(packed, headers={**sent, "Content-Encoding": "gzip"}, media_type=media)
    return Response(plain, headers=sent, media_type=media)


@cache
def _read(path: Path) -> tuple[bytes, str]:
    """The content, and its tag: a weak one, since it is the same file as gzip."""
    content = path.read_bytes()
    return content, f'W/"{hashlib.sha256(content).hexdigest()[:16]}"'


@cache
def _packed(path: Path) -> bytes:
    return compressed(_read(path)[0], level=9)  # the best: it is done once
