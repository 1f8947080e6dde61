"""`GET /`, the page, made from `clients/page`; `GET /docs` and `GET /openapi.json`, the contract. All are files of the service itself."""

import asyncio
import hashlib
from collections.abc import Mapping
from functools import cache
from pathlib import Path

from fastapi import APIRouter, Request
from pydantic_core import to_json
from starlette.responses import Response

from ...errors import NotFound

router = APIRouter(include_in_schema=False)
WEB = Path(__file__).parents[2] / "web"
FOLDER = WEB / "page"
DOCS = WEB / "swagger-ui"
_FILES = {
    "page.js": "text/javascript",
    "live.css": "text/css",
    "live.js": "text/javascript",
    "page.css": "text/css",
    "icon.svg": "image/svg+xml",
    "examples.json": "application/json",
    # The page fills it with results for a file to keep: as text it is no document of this origin.
    "report.html": "text/plain",
}
# No inline script or style, nothing from elsewhere: what a log says can run nothing and fetch nothing.
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
_ASSETS = {
    "swagger-ui.css": "text/css",
    "swagger-ui-bundle.js": "text/javascript",
    "start.js": "text/javascript",
}
# Swagger UI draws its icons from data: URLs and styles elements inline.
_DOCS_POLICY = (
    "default-src 'self'; img-src 'self' data:; style-src 'self' 'unsafe-inline'; frame-ancestors 'none'"
)


@router.get("/")
async def get_page(request: Request) -> Response:
    """The page."""
    headers = {"Content-Security-Policy": POLICY, "Cache-Control": "no-cache"}
    return await file_response(request, FOLDER / "index.html", "text/html", headers)


@router.get("/web/{name}")
async def get_page_file(name: str, request: Request) -> Response:
    """The page's script, style and examples, and the frame of its reports. A new release may change
    them: browsers ask each time, and get `304` by the file's tag."""
    if name not in _FILES:
        raise NotFound("No such file.")
    return await file_response(request, FOLDER / name, _FILES[name], {"Cache-Control": "no-cache"})


@router.get("/openapi.json")
async def get_document(request: Request) -> Response:
    """The contract."""
    return Response(_document(request.app), media_type="application/json")


@cache
def _document(app: object) -> bytes:
    return to_json(app.openapi())  # type: ignore[attr-defined]


@router.get("/docs")
async def get_docs(request: Request) -> Response:
    """The contract, to read and to try."""
    return await file_response(
        request, DOCS / "index.html", "text/html", {"Content-Security-Policy": _DOCS_POLICY}
    )


@router.get("/docs/{name}")
async def get_docs_asset(name: str, request: Request) -> Response:
    """The page's script and style."""
    if name not in _ASSETS:
        raise NotFound("No such file.")
    return await file_response(request, DOCS / name, _ASSETS[name], {"Cache-Control": "max-age=86400"})


async def file_response(request: Request, path: Path, media: str, headers: Mapping[str, str]) -> Response:
    """A file as an answer; 304 for a caller that has it, as its tag says."""
    content, tag = await asyncio.to_thread(_read, path)
    known = [part.strip() for part in request.headers.get("if-none-match", "").split(",")]
    if tag in known or "*" in known:
        return Response(status_code=304, headers={**headers, "ETag": tag, "Vary": "Accept-Encoding"})
    return Response(content, headers={**headers, "ETag": tag}, media_type=media)


@cache
def _read(path: Path) -> tuple[bytes, str]:
    """The content, and its tag: a weak one, since it is the same file as gzip."""
    content = path.read_bytes()
    return content, f'W/"{hashlib.sha256(content).hexdigest()[:16]}"'
