"""`GET /openapi.json` and `GET /docs`, whose page comes from files of the service itself."""

from functools import cache
from pathlib import Path

from fastapi import APIRouter, Request
from pydantic_core import to_json
from starlette.responses import Response

from ...errors import NotFound
from ..files import file_response

router = APIRouter(include_in_schema=False)
FOLDER = Path(__file__).parents[2] / "web" / "swagger-ui"
_ASSETS = {
    "swagger-ui.css": "text/css",
    "swagger-ui-bundle.js": "text/javascript",
    "start.js": "text/javascript",
}
# Swagger UI draws its icons from data: URLs and styles elements inline.
_POLICY = "default-src 'self'; img-src 'self' data:; style-src 'self' 'unsafe-inline'; frame-ancestors 'none'"


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
        request, FOLDER / "index.html", "text/html", {"Content-Security-Policy": _POLICY}
    )


@router.get("/docs/{name}")
async def get_docs_asset(name: str, request: Request) -> Response:
    """The page's script and style."""
    if name not in _ASSETS:
        raise NotFound("There is no such file.")
    return await file_response(request, FOLDER / name, _ASSETS[name], {"Cache-Control": "max-age=86400"})
