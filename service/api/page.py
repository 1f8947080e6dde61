"""`GET /`: the page, whose files the service holds itself."""

from functools import cache
from pathlib import Path

from fastapi import APIRouter
from starlette.responses import FileResponse

from ..errors import NotFound

router = APIRouter(include_in_schema=False)
FOLDER = Path(__file__).parent.parent / "web" / "page"
# The style of reports that the command line writes: the page's downloads look the same.
REPORT_STYLE = Path(__file__).parent.parent / "cli" / "page.css"
_TYPES = {".js": "text/javascript", ".css": "text/css", ".svg": "image/svg+xml", ".json": "application/json"}
# No inline script or style, nothing from elsewhere: what a log says can run nothing and fetch nothing.
_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)


@router.get("/")
async def get_page() -> FileResponse:
    """The page."""
    headers = {"Content-Security-Policy": _POLICY, "Cache-Control": "no-cache"}
    return FileResponse(FOLDER / "index.html", media_type="text/html", headers=headers)


@router.get("/web/{name}")
async def get_page_file(name: str) -> FileResponse:
    """The page's scripts, style and examples. A new release may change them: browsers ask each time,
    and are told `304` by the file's tag."""
    path = _files().get(name)
    if path is None:
        raise NotFound("There is no such file.")
    return FileResponse(path, media_type=_TYPES[path.suffix], headers={"Cache-Control": "no-cache"})


@cache
def _files() -> dict[str, Path]:
    found = {
        path.name: path for path in FOLDER.iterdir() if path.suffix in _TYPES and path.name != "tsconfig.json"
    }
    return {**found, "report.css": REPORT_STYLE}
