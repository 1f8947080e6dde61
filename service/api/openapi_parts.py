"""Pieces of the OpenAPI document that FastAPI cannot derive: bodies that we parse ourselves,
problems, streams."""

from collections.abc import Callable, Mapping
from typing import Any

from pydantic import BaseModel

from ..usecases.wire.problem import Problem

TAGS = [
    {"name": name, "description": text}
    for name, text in {
        "score": "Scores of a conversation log, factor by factor, each with its reasons.",
        "batch": "Many requests in one, a line each.",
        "debate": "Roles that discuss a conversation before they score it.",
        "evaluate": "Scores, debate and metrics of a log in one answer.",
        "simulate": "Simulated users who talk to a recommender, and their profiles.",
        "metrics": "Metrics computed from logs and lists, without a judge.",
        "agreement": "Agreement of a judge with ratings by people.",
        "compare": "Preferences between two conversations.",
        "calibrate": "Means that people would give, from a few ratings and a judge's scores of everything.",
        "exam": "Exams of a judge: the faults that it sees.",
        "alignment": "Alignment of a recommender's behaviour with that of people.",
        "import": "Conversations in other formats, read as logs.",
        "factors": "The rubrics, and what requests may name.",
        "operations": "Probes and figures for those who run the service.",
    }.items()
]
_TITLES = {
    400: "The body is not readable JSON.",
    401: "No key, or none that is known; see WWW-Authenticate.",
    402: "The budget of this request is spent.",
    403: "The key does not open this route, or a page of an origin that is not allowed sent the request.",
    404: "There is nothing under that name.",
    408: "The body did not arrive in time.",
    413: "The body is too large.",
    415: "The body is not declared as JSON, or is encoded in another way than gzip.",
    421: "The service does not answer for this `Host`.",
    422: "The request does not fit the contract; `errors` names each field and the fix.",
    429: "Too many requests; see Retry-After.",
    431: "The headers are too large, or too many.",
    500: "A defect of the service.",
    502: "An upstream gave no usable answer.",
    503: "No room for this request now; see Retry-After.",
    504: "The answer did not come in time.",
}
_BODY = (
    "`Content-Type` is required. The body may be sent with `Content-Encoding: gzip`; `CRS_EVAL_MAX_BODY` (for a batch: of "
    "each line; threefold for `ratings` of `/calibrate`) counts inflated bytes. No other encoding is read, and not more than one."
)
BODIES: dict[str, type[BaseModel]] = {}
EXAMPLES: dict[str, Callable[[], object]] = {}
"""Makes the example of an answer, by the name of its model."""

NDJSON = "application/x-ndjson"


def json_body(model: type[BaseModel]) -> dict[str, Any]:
    """The `requestBody` of a route that reads `model` by itself."""
    BODIES[model.__name__] = model
    schema = {"$ref": f"#/components/schemas/{model.__name__}"}
    return _request_body({"application/json": {"schema": schema}})


def posted(
    body: type[BaseModel],
    answer: type[BaseModel],
    *statuses: int | Mapping[int, type[Problem]],
    events: str | None = None,
    example: Callable[[], object] | None = None,
) -> dict[str, Any]:
    """The arguments of a route that reads a `body`, gives an `answer`, and can end in these problems beside those of any body.
    `events` says which events come of a route that also streams; `example` makes the answer to the example of the body."""
    if example is not None:
        EXAMPLES[answer.__name__] = example
    streamed = {} if events is None else {200: _stream(events)}
    return {
        "response_model": answer,
        "responses": {**streamed, **problems(400, 413, 415, 422, 500, *statuses)},
        "openapi_extra": json_body(body),
    }


def problems(*statuses: int | Mapping[int, type[Problem]]) -> dict[int | str, dict[str, Any]]:
    """The `responses` of a route that can end in these problems; a mapping names a status's own model."""
    models: dict[int, type[Problem]] = {}
    for status in statuses:
        models.update(status if isinstance(status, Mapping) else {status: Problem})
    return {
        status: {
            "description": _TITLES[status],
            "model": model,
            "content": {
                "application/problem+json": {"schema": {"$ref": f"#/components/schemas/{model.__name__}"}}
            },
        }
        for status, model in sorted(models.items())
    }


def ndjson_body(line: type[BaseModel]) -> dict[str, Any]:
    """The `requestBody` of a route that reads lines, each a `line`."""
    BODIES[line.__name__] = line
    return _request_body(_lines(line))


def _request_body(content: dict[str, Any]) -> dict[str, Any]:
    return {"requestBody": {"description": _BODY, "required": True, "content": content}}


def ndjson_answer(line: type[BaseModel]) -> dict[str, Any]:
    """The 200 of a route that answers in lines, each a `line`."""
    BODIES[line.__name__] = line
    return {
        "description": f"Lines of JSON, each a `{line.__name__}`, as they finish.",
        "content": _lines(line),
    }


def _lines(line: type[BaseModel]) -> dict[str, Any]:
    """Describe lines as text for generators; `x-line` gives the schema of one."""
    schema = {"type": "string", "format": "binary"}
    return {NDJSON: {"schema": schema, "x-line": {"$ref": f"#/components/schemas/{line.__name__}"}}}


def _stream(events: str) -> dict[str, Any]:
    return {
        "description": "The answer; as server-sent events where `Accept: text/event-stream` asks for them.",
        "content": {
            "text/event-stream": {
                "schema": {"type": "string"},
                "example": 'id: 1\nevent: verdict\ndata: {"factor": "coherence", "...": "..."}\n\n',
            }
        },
        "x-events": events,
    }
