"""Files of the service itself, for browsers: read and compressed once, and sent only where they changed."""

import asyncio
import hashlib
from collections.abc import Mapping
from functools import cache
from pathlib import Path

from fastapi import Request
from starlette.responses import Response

from .middleware.codings import SMALLEST, Coding, accepted_coding, compressed

LEVELS = {Coding.ZSTD: 19, Coding.GZIP: 9}
"""The best of each coding: it is done once."""


async def file_response(request: Request, path: Path, media: str, headers: Mapping[str, str]) -> Response:
    """A file as an answer: in the coding that the caller takes, 304 to who has it, told by its tag."""
    plain, tag = await asyncio.to_thread(_read, path)
    sent = {**headers, "ETag": tag, "Vary": "Accept-Encoding"}
    known = [part.strip() for part in request.headers.get("if-none-match", "").split(",")]
    if tag in known or "*" in known:
        return Response(status_code=304, headers=sent)
    coding = accepted_coding(request.scope)
    if coding is not None and len(plain) >= SMALLEST:
        packed = await asyncio.to_thread(_packed, path, coding)
        if len(packed) < len(plain):
            return Response(packed, headers={**sent, "Content-Encoding": coding}, media_type=media)
    return Response(plain, headers=sent, media_type=media)


@cache
def _read(path: Path) -> tuple[bytes, str]:
    """The content, and its tag: a weak one, since it is the same file in every coding."""
    content = path.read_bytes()
    return content, f'W/"{hashlib.sha256(content).hexdigest()[:16]}"'


@cache
def _packed(path: Path, coding: Coding) -> bytes:
    return compressed(_read(path)[0], coding, LEVELS[coding])
