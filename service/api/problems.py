"""Errors as `application/problem+json` (RFC 9457), whatever raised them."""

import math
from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from pydantic import BaseModel
from pydantic_core import to_json
from starlette.exceptions import HTTPException
from starlette.responses import Response
from starlette.routing import Match
from starlette.types import Scope

from ..errors import CrsEvalError, Internal, InvalidRequest, MethodNotAllowed, NotFound
from ..usecases.validation_errors import field_errors, pointer
from ..usecases.wire.problem import problem

MEDIA_TYPE = "application/problem+json"


def request_id_of(scope: Scope) -> str:
    """The id under which this request is logged and answered; `RequestTelemetry` set it."""
    return str(scope["state"]["request_id"])


def problem_response(error: CrsEvalError, request_id: str) -> Response:
    """The answer that an error becomes."""
    headers = {}
    if error.retry_after is not None:
        headers["Retry-After"] = str(math.ceil(error.retry_after))
    return Response(to_json(problem(error, request_id)), error.status, headers, MEDIA_TYPE)


def install(app: FastAPI) -> None:
    """Answer every error that a route or the router raises with a problem."""
    app.add_exception_handler(CrsEvalError, _own)
    app.add_exception_handler(HTTPException, _routing)
    app.add_exception_handler(RequestValidationError, _parameters)


async def known_parameters(request: Request) -> None:
    """Raise InvalidRequest for a parameter of the query that a route does not have, where the route may end in a 422."""
    route = request.scope["route"]
    known = [field.alias for field in route.dependant.query_params]
    for name in request.query_params:
        if name not in known and 422 in route.responses:
            fix = f"available: {', '.join(known)}" if known else "leave it out, or send it in the body"
            raise InvalidRequest.at(pointer([name]), "no such parameter of the query", fix)


async def _own(request: Request, error: Exception) -> Response:
    assert isinstance(error, CrsEvalError)
    return problem_response(error, request_id_of(request.scope))


async def _routing(request: Request, error: Exception) -> Response:
    """Return what Starlette's router raises: no such path, or not with this method."""
    assert isinstance(error, HTTPException)
    path = request.url.path
    translated: CrsEvalError
    if error.status_code == 404:
        slash = " Leave out the slash at its end." if path.endswith("/") else ""
        translated = NotFound(f"No route answers {path!r}.{slash} /openapi.json and /docs list the routes.")
    elif error.status_code == 405:
        allowed = ", ".join(_methods(request))
        translated = MethodNotAllowed(f"{path!r} does not take this method; it takes {allowed}.")
        response = problem_response(translated, request_id_of(request.scope))
        response.headers["Allow"] = allowed
        return response
    else:
        translated = Internal("The request could not be served. Its id leads to the service's log.")
    return problem_response(translated, request_id_of(request.scope))


def _methods(request: Request) -> list[str]:
    """The methods of all routes that have the path of a request; the router names those of the first alone."""
    fitting = [one for one in request.app.state.routes if one.matches(request.scope)[0] is not Match.NONE]
    found = {method for route in fitting for method in route.methods}
    return sorted(found | {"HEAD"} if "GET" in found else found)


async def _parameters(request: Request, error: Exception) -> Response:
    """Answer an invalid part of the path or the query, as FastAPI raises it. Bodies are read by `parse`."""
    assert isinstance(error, RequestValidationError)
    errors: list[Any] = [{**fault, "loc": fault["loc"][1:]} for fault in error.errors()]
    faults = field_errors(BaseModel, errors)
    detail = f"{faults[0].pointer}: {faults[0].detail}"
    return problem_response(InvalidRequest(detail, errors=faults), request_id_of(request.scope))
