"""Files of the service itself, for browsers: read and compressed once, and sent only where they changed."""

import asyncio
import hashlib
from collections.abc import Mapping
from functools import cache
from pathlib import Path

from fastapi import Request
from starlette.responses import Response

from .middleware.compression import SMALLEST, accepts_gzip, compressed

BEST = 9
"""The level of compression: it is done once."""


async def file_response(request: Request, path: Path, media: str, headers: Mapping[str, str]) -> Response:
    """A file as an answer: as gzip to who takes it, 304 to who has it, told by its tag."""
    plain, packed, tag = await asyncio.to_thread(_read, path)
    sent = {**headers, "ETag": tag, "Vary": "Accept-Encoding"}
    known = [part.strip() for part in request.headers.get("if-none-match", "").split(",")]
    if tag in known or "*" in known:
        return Response(status_code=304, headers=sent)
    if accepts_gzip(request.scope) and len(packed) < len(plain):
        return Response(packed, headers={**sent, "Content-Encoding": "gzip"}, media_type=media)
    return Response(plain, headers=sent, media_type=media)


@cache
def _read(path: Path) -> tuple[bytes, bytes, str]:
    """The content, the same as gzip, and its tag: a weak one, since both are the same file."""
    content = path.read_bytes()
    packed = compressed(content, BEST) if len(content) >= SMALLEST else content
    return content, packed, f'W/"{hashlib.sha256(content).hexdigest()[:16]}"'
