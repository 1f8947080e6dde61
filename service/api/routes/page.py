"""`GET /`: the page, whose files the service holds itself. They are made from `clients/page`."""

from pathlib import Path

from fastapi import APIRouter, Request
from starlette.responses import Response

from ...errors import NotFound
from ..files import file_response

router = APIRouter(include_in_schema=False)
FOLDER = Path(__file__).parents[2] / "web" / "page"
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


@router.get("/")
async def get_page(request: Request) -> Response:
    """The page."""
    headers = {"Content-Security-Policy": POLICY, "Cache-Control": "no-cache"}
    return await file_response(request, FOLDER / "index.html", "text/html", headers)


@router.get("/web/{name}")
async def get_page_file(name: str, request: Request) -> Response:
    """The page's script, style and examples, and the frame of its reports. A new release may change
    them: browsers ask each time, and are told `304` by the file's tag."""
    if name not in _FILES:
        raise NotFound("There is no such file.")
    return await file_response(request, FOLDER / name, _FILES[name], {"Cache-Control": "no-cache"})
