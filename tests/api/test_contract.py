"""The document and the service agree, whatever is sent."""

import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import schemathesis
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from schemathesis import Case, GenerationMode
from schemathesis.checks import not_a_server_error
from schemathesis.schemas import BaseSchema
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_schema_conformance,
    status_code_conformance,
)
from starlette.testclient import TestClient

from service.app import create_app
from service.factors import load_factors
from service.settings import ProviderAccess, Settings
from service.telemetry.logging import configure_logging
from service.usecases.wire.examples import EXAM_REQUEST
from service.usecases.wire.parts import FIELDS
from tests.patience import PATIENCE
from tests.provider.server import ProviderServer

CHECKS = [not_a_server_error, status_code_conformance, content_type_conformance, response_schema_conformance]
EXAMPLES = 20
ROOT = Path(__file__).parent.parent.parent
# Its body is no JSON but lines of it, each answered by itself: tests/api/test_batch.py.
OF_LINES = "/batch"
CONTRACT = ROOT / "openapi" / "openapi.json"
NEED_A_REPLY = {"/debate", "/simulate"}
MODEL = "openai:gpt-4o-mini"
KNOWN: dict[str, Any] = {
    "judge": "builtin",
    "catalog": "films",
    "factors": [*list(load_factors())[:4], "core"],
    "judges": {"linguist": "builtin"},
    "roles": [{"name": name} for name in ("common-user", "linguist", "hci-expert")],
    "simulator": {"type": "scripted", "seed": 7},
    "crs": None,
}
SOME: dict[str, Any] = {"text": "Hm.", "items": ["Dust Hymnal (1969)"], "name": "search"}
"""A value for every field that a part of some type needs."""
OF_ONE_PATH: dict[str, dict[str, Any]] = {
    "/import": {
        "text": "User: Hi\nBot: Try Dust Hymnal (1969)",
        "format": "auto",
        **dict.fromkeys(("base64", "map", "roles", "encoding")),
    },
    "/exam": {"pairs": EXAM_REQUEST["pairs"], **dict.fromkeys(("absolute", "faults", "ids"))},
}
"""Members of a body without which it says nothing, or contradicts itself."""
AnyCase = Case[Any]


def operations(document: dict[str, Any]) -> list[tuple[str, str]]:
    return [(path, method) for path, methods in document["paths"].items() for method in methods]


def with_known_names(case: AnyCase) -> AnyCase:
    """The case with what a schema cannot say: names that only this deployment knows, verdicts and
    outcomes that agree with themselves, a reply where there is nothing to do without one."""
    for name in ("factor", "slug"):
        if name in (case.path_parameters or {}):
            case.path_parameters[name] = "coherence"
    body: Any = case.body
    if not isinstance(body, dict):
        return case
    body.update({name: value for name, value in KNOWN.items() if name in body})
    _for_models(case.operation.path, body)
    if case.operation.path == "/behavior-alignment":
        pairs = body.get("pairs") or [{"candidate": "Have you seen it?", "reference": "What do you like?"}]
        body.update(method="implicit", pairs=pairs, candidate_log=None, reference_log=None)
    if case.operation.path == "/calibrate":
        _reconcile(body)
    body.update(OF_ONE_PATH.get(case.operation.path, {}))
    body.pop("verdicts", None)
    _one_way_to_judge(body)
    _sound_parts(body)
    log = body.get("log")
    if isinstance(log, dict):
        log.pop("outcome", None)
        if case.operation.path in NEED_A_REPLY and isinstance(log.get("messages"), list):
            log["messages"].append({"role": "assistant", "content": "Have you seen Dust Hymnal (1969)?"})
    return case


def _for_models(path: str, body: dict[str, Any]) -> None:
    """Let a model read reviews and choose, which the embedded judge cannot. What a schema cannot say of logs and items is
    tried on other routes."""
    if path == "/simulate/profile":
        body["judge"] = MODEL
        if isinstance(body.get("reviews"), list):
            body["reviews"].insert(0, {"item": "Aldermoor (1994)", "text": "I loved how quiet it was."})
    if path == "/simulate/audit":
        body.update(judge=MODEL, cache=None)
        plain = {"messages": [{"role": "user", "content": "Hello."}]}
        choice = {"preferences": "Quiet.", "better": {"title": "A"}, "worse": {"title": "B"}}
        body.update(
            {name: [plain] for name in ("logs", "people", "worse") if isinstance(body.get(name), list)}
        )
        body["logs"] = [plain]  # one of the two is needed
        body["choices"] = [choice] if isinstance(body.get("choices"), list) else None


def _one_way_to_judge(body: dict[str, Any]) -> None:
    """Let panels have members that are here, and name none beside what they do not go with."""
    if isinstance(body.get("panel"), list):
        body.update(panel=["builtin", MODEL], judge=None)
    else:
        body.pop("aggregate", None)
    for name, value in (("factor_judges", MODEL), ("factor_panels", ["builtin", MODEL])):
        if isinstance(body.get(name), dict):
            body[name] = {"coherence" if name == "factor_judges" else "novelty": value}
    body.pop("mixture", None)  # of upstreams that are not here


def _sound_parts(value: Any) -> None:
    """Give every part of a message the fields of its type, which the schema does not say, and let its message say the same."""
    for inner in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        _sound_parts(inner)
    if isinstance(value, dict) and "role" in value and isinstance(value.get("parts"), list):
        value["parts"] = [_sound(part) for part in value["parts"] if part.get("type") in FIELDS]
        value.update(content="")
        value.pop("recommendations", None)


def _sound(part: dict[str, Any]) -> dict[str, Any]:
    needed, allowed, _ = FIELDS[part["type"]]
    given = {name: value for name, value in part.items() if name in needed | allowed and value is not None}
    made = {"type": part["type"], **{name: SOME[name] for name in needed}, **given}
    for item in made.get("items", ()):
        if isinstance(item, dict):
            item.update(id=None, title="Dust Hymnal (1969)")
    return made


def _reconcile(body: dict[str, Any]) -> None:
    """Make ratings of one factor that do not contradict one another: each of another conversation, on one scale."""
    given = body.get("ratings")
    kinds = (
        [rating.get("kind") for rating in given if isinstance(rating, dict)]
        if isinstance(given, list)
        else []
    )
    body.update(columns=None, scales=None, same=None, reference=None, half_width=None)
    body["ratings"] = [
        {
            "conversation": f"c{number}",
            "factor": "fun",
            "rater": f"some {kind}",
            "kind": kind,
            "score": number % 5,
        }
        for number, kind in enumerate([*kinds, "judge", "human"])
        if kind in ("judge", "human")
    ]


@pytest.fixture(scope="module")
def client_with_a_model() -> Iterator[TestClient]:
    """The application with a provider of language models beside it: some routes need one."""
    configure_logging("json", "error")
    with ProviderServer() as provider:
        settings = Settings(
            catalogs=ROOT / "examples" / "crs",
            providers={"openai": ProviderAccess(base_url=provider.openai_url)},
            judges=("builtin", "openai:*"),
            workers=0,  # schemathesis calls from its own event loop, and workers belong to the application's
        )
        with TestClient(create_app(settings), raise_server_exceptions=False) as client:
            yield client


@pytest.fixture(scope="module")
def schema(client_with_a_model: TestClient) -> BaseSchema:
    return schemathesis.openapi.from_asgi("/openapi.json", client_with_a_model.app, timeout=PATIENCE)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("path", "method"), [each for each in operations(json.loads(CONTRACT.read_text())) if each[0] != OF_LINES]
)
def test_every_operation_keeps_to_the_document(
    client_with_a_model: TestClient, schema: BaseSchema, path: str, method: str
) -> None:
    operation = schema[path][method.upper()]
    positive = operation.as_strategy(generation_mode=GenerationMode.POSITIVE)
    strange = operation.as_strategy(generation_mode=GenerationMode.NEGATIVE) if method == "post" else positive
    answered: Counter[int] = Counter()
    for bodies, fifths in ((positive.map(with_known_names), 3), (positive, 1), (strange, 1)):
        answered += _run(client_with_a_model, bodies, EXAMPLES * fifths // 5)
    share = answered[2] / sum(answered.values())
    assert share >= 0.25, f"only {share:.0%} answered 2xx ({dict(answered)})"


def test_the_contract_on_file_names_every_operation(client: TestClient) -> None:
    served = client.get("/openapi.json").json()
    assert operations(json.loads(CONTRACT.read_text())) == operations(served)


def _run(client: TestClient, cases: st.SearchStrategy[AnyCase], examples: int) -> Counter[int]:
    answered: Counter[int] = Counter()

    @settings(max_examples=examples, deadline=None, suppress_health_check=list(HealthCheck), derandomize=True)
    @given(case=cases)
    def run(case: AnyCase) -> None:
        if isinstance(case.body, dict) and case.body.get("cache") == "only":
            del case.body["cache"]  # nobody asked a model before: a 502
        if isinstance(case.body, dict) and case.operation.path == "/exam":
            case.body["sample"] = 1  # without pairs it asks for the whole exam
        response = case.call(session=client, timeout=PATIENCE)  # type: ignore[arg-type] # Starlette's client is a session too
        answered[response.status_code // 100] += 1
        case.validate_response(response, checks=CHECKS)

    run()
    return answered


def test_every_route_documents_its_problems(client: TestClient) -> None:
    document = client.get("/openapi.json").json()
    for path, method in operations(document):
        for status, response in document["paths"][path][method]["responses"].items():
            if int(status) >= 400:
                assert list(response["content"]) == ["application/problem+json"], (path, status)
        if method == "post":
            of_one_body = set() if path == OF_LINES else {"400", "422"}
            assert {"413", "415", "500", *of_one_body} <= set(document["paths"][path][method]["responses"])


def test_answers_have_no_optional_fields(client: TestClient) -> None:
    schemas = client.get("/openapi.json").json()["components"]["schemas"]
    for name in ("ScoreAnswer", "Verdict", "Summary", "Usage", "Evidence", "Problem", "FactorInfo"):
        assert set(schemas[name]["required"]) == set(schemas[name]["properties"]), name


@pytest.mark.parametrize("name", ["ScoreRequest", "FactorScoreRequest", "Verdict", "ScoreAnswer", "Problem"])
def test_the_main_schemas_carry_examples_that_fit(client: TestClient, name: str) -> None:
    import jsonschema

    schemas = client.get("/openapi.json").json()["components"]["schemas"]
    examples = schemas[name]["examples"]
    assert examples
    for example in examples:
        jsonschema.validate(example, {**schemas[name], "components": {"schemas": schemas}})


@pytest.mark.parametrize("sent", [2, 2.0])
def test_a_whole_number_may_have_a_decimal_point(client: TestClient, sent: float) -> None:
    body = {"log": {"messages": [{"role": "assistant", "content": "Hi!"}]}, "samples": sent}
    assert client.post("/score/naturalness", json=body).json()["samples"]["requested"] == 2


def test_the_contract_names_what_the_edge_refuses(client: TestClient) -> None:
    document = client.get("/openapi.json").json()
    for path, operations in document["paths"].items():
        for method, operation in operations.items():
            wanted = {"431"} if path in {"/healthz", "/readyz", "/metrics"} else {"421", "431"}
            if method == "post":
                wanted |= {"403", "408", "413", "415"}
                body = operation["requestBody"]["description"]
                assert "`Content-Encoding: gzip`" in body
                assert "CRS_EVAL_MAX_BODY" in body
            assert wanted <= set(operation["responses"]), (method, path)
