"""`GET /`: the page of live conversations. Its files are made from `clients/page/src/live`."""

from fastapi import APIRouter, Request
from starlette.responses import Response

from ...api.routes.page import FOLDER, POLICY, file_response, get_page_file

router = APIRouter(include_in_schema=False)
router.add_api_route("/web/{name}", get_page_file, methods=["GET"])


@router.get("/")
async def get_live_page(request: Request) -> Response:
    """The page."""
    headers = {"Content-Security-Policy": POLICY, "Cache-Control": "no-cache"}
    return await file_response(request, FOLDER / "live.html", "text/html", headers)
