"""Every route of both contracts that takes a body: what foreign pages send is refused, on `crs-eval live` as well."""

import asyncio
import json

import pytest

from tests.fuzz.harnesses import posted

TYPED = {"host": "localhost", "content-type": "application/json"}
FOREIGN: dict[str, tuple[dict[str, str], int]] = {
    "no type": ({"host": "localhost"}, 415),
    "a page of another origin": ({**TYPED, "origin": "https://evil.example"}, 403),
    "a request across sites": ({**TYPED, "sec-fetch-site": "cross-site"}, 403),
    "another name for this host": ({**TYPED, "host": "evil.example"}, 421),
}


@pytest.mark.parametrize("case", FOREIGN)
def test_no_route_takes_what_a_foreign_page_sends(case: str) -> None:
    headers, status = FOREIGN[case]
    routes = posted().routes
    assert {route.live for route in routes} == {False, True}
    for route in routes:
        answered, problem = asyncio.run(posted().ask(route, b"{}", headers))
        assert answered == status, route
        body = json.loads(problem)
        assert body["type"].startswith("/problems/")
        assert status != 415 or "application/" in body["detail"]
