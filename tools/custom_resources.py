"""Schemas for the kinds of the Prometheus operator and the Gateway API that k8s/ uses, in the part that it uses:
Kubernetes' own schemas know no custom resources. Closed, so that a misspelt field is a fault."""

from typing import Any

MONITORING = "monitoring.coreos.com/v1"
GATEWAY = "gateway.networking.k8s.io/v1"
_NAME = {"type": "string", "pattern": "^[a-z0-9]([a-z0-9.-]*[a-z0-9])?$"}
_STRINGS = {"type": "object", "additionalProperties": {"type": "string"}}
_DURATION = {"type": "string", "pattern": "^([0-9]+(ms|s|m|h|d|w|y))+$"}


def _closed(required: list[str], **properties: Any) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": properties,
        "required": required,
        "additionalProperties": False,
    }


def _kind(kind: str, spec: dict[str, Any], api: str = MONITORING) -> dict[str, Any]:
    return _closed(
        ["apiVersion", "kind", "metadata", "spec"],
        apiVersion={"const": api},
        kind={"const": kind},
        metadata=_closed(["name"], name=_NAME, namespace=_NAME, labels=_STRINGS, annotations=_STRINGS),
        spec=spec,
    )


_SELECTOR = _closed(["matchLabels"], matchLabels={**_STRINGS, "minProperties": 1})
_ENDPOINT = _closed(
    ["port"],
    port={"type": "string"},
    path={"type": "string", "pattern": "^/"},
    scheme={"enum": ["http", "https"]},
    interval=_DURATION,
    scrapeTimeout=_DURATION,
    authorization=_closed(
        ["credentials"], credentials=_closed(["name", "key"], name=_NAME, key={"type": "string"})
    ),
)
_RULE = _closed(
    ["alert", "expr", "labels", "annotations"],
    alert={"type": "string", "pattern": "^[A-Z][A-Za-z]+$"},
    expr={"type": "string", "minLength": 1},
    **{"for": _DURATION},
    labels={**_STRINGS, "required": ["severity"]},
    annotations={**_STRINGS, "required": ["summary", "description"]},
)
_GROUP = _closed(
    ["name", "rules"], name={"type": "string"}, interval=_DURATION, rules={"type": "array", "items": _RULE}
)
_NUMBER = {"type": "integer", "minimum": 1, "maximum": 65535}
_SOME = {"type": "array", "minItems": 1}
_MATCH = _closed(
    ["path"],
    path=_closed(
        ["type", "value"],
        type={"enum": ["Exact", "PathPrefix", "RegularExpression"]},
        value={"type": "string", "pattern": "^/"},
    ),
)
_ROUTE_RULE = _closed(
    ["backendRefs"],
    matches={**_SOME, "items": _MATCH},
    backendRefs={**_SOME, "items": _closed(["name", "port"], name=_NAME, port=_NUMBER)},
    timeouts=_closed([], request=_DURATION, backendRequest=_DURATION),
)
_PARENT = _closed(["name"], name=_NAME, namespace=_NAME, sectionName=_NAME)

SCHEMAS: dict[tuple[object, object], dict[str, Any]] = {
    (MONITORING, "ServiceMonitor"): _kind(
        "ServiceMonitor",
        _closed(
            ["selector", "endpoints"],
            selector=_SELECTOR,
            endpoints={"type": "array", "minItems": 1, "items": _ENDPOINT},
        ),
    ),
    (MONITORING, "PrometheusRule"): _kind(
        "PrometheusRule", _closed(["groups"], groups={"type": "array", "minItems": 1, "items": _GROUP})
    ),
    (GATEWAY, "HTTPRoute"): _kind(
        "HTTPRoute",
        _closed(
            ["parentRefs", "hostnames", "rules"],
            parentRefs={**_SOME, "items": _PARENT},
            hostnames={**_SOME, "items": _NAME},
            rules={**_SOME, "items": _ROUTE_RULE},
        ),
        GATEWAY,
    ),
}
