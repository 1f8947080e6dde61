"""Requests of a browser for a page of somebody else, and hosts that are not ours, against a real process."""

import json
import os
import subprocess
from collections.abc import Iterator
from typing import Any

import pytest

from tests import forked
from tests.integration.http_exchange import BODY, JSON, ask
from tools.service_process import ROOT, free_port, running_service

KEY = "ci:score:" + "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"  # of "test"
BEARER = {"Authorization": "Bearer test"}
DASHBOARD = "https://dash.example"


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    settings = {"CORS_ORIGINS": DASHBOARD, "HOSTS": "evaluator.example", "RATE_LIMIT": "100000/day"}
    with running_service(settings) as url:
        yield url


def post(url: str, path: str = "/score", **headers: str) -> Any:
    sent = {**JSON, **{name.replace("_", "-"): value for name, value in headers.items()}}
    return ask(url, "POST", path, BODY, sent)


@pytest.mark.parametrize(
    "headers",
    [
        {},
        {"Sec_Fetch_Site": "same-origin"},
        {"Sec_Fetch_Site": "same-site"},
        {"Sec_Fetch_Site": "none"},
        {"Origin": DASHBOARD},
        {"Origin": DASHBOARD, "Sec_Fetch_Site": "cross-site"},
        {"Host": "localhost", "Origin": "http://localhost"},
        {"Host": "localhost:80", "Origin": "http://localhost"},
        {"Host": "evaluator.example", "Origin": "https://evaluator.example"},
    ],
)
def test_programs_our_page_and_named_origins_may_post(url: str, headers: dict[str, str]) -> None:
    assert post(url, **headers).status == 200


def test_our_page_may_post(url: str) -> None:
    assert post(url, Origin=url, Sec_Fetch_Site="same-origin").status == 200


@pytest.mark.parametrize("path", ["/score", "/batch", "/nowhere"])
@pytest.mark.parametrize(
    "headers",
    [
        {"Origin": "https://evil.example", "Sec_Fetch_Site": "cross-site"},
        {"Origin": "https://evil.example"},
        {"Origin": "null"},
        {"Origin": "http://localhost:1"},
        {"Origin": "https://dash.example.evil.example"},
        {"Sec_Fetch_Site": "cross-site"},
    ],
)  # fmt: skip
def test_pages_of_others_may_not_post(url: str, path: str, headers: dict[str, str]) -> None:
    answer = post(url, path, **headers)
    assert (answer.status, answer.json["type"]) == (403, "/problems/foreign-origin")
    assert "CRS_EVAL_CORS_ORIGINS" in answer.json["detail"]


@pytest.mark.parametrize("method", ["GET", "HEAD", "OPTIONS"])
def test_what_changes_nothing_passes(url: str, method: str) -> None:
    headers = {"Origin": "https://evil.example", "Sec-Fetch-Site": "cross-site"}
    assert ask(url, method, "/factors", headers=headers).status != 403


def test_a_key_does_not_open_the_service_to_pages_of_others() -> None:
    with running_service({"API_KEYS": KEY}) as url:
        assert post(url, Authorization="Bearer test").status == 200
        answer = post(url, Authorization="Bearer test", Origin="https://evil.example")
        assert answer.status == 403
        assert post(url, Host="any.example", Authorization="Bearer test").status == 200


@pytest.mark.parametrize(
    "host",
    ["localhost", "LOCALHOST:8000", "page.localhost", "127.0.0.1", "127.8.9.1:80", "[::1]", "[::1]:8000", "LOCALHOST.:8000", "[::ffff:127.0.0.1]", "[::ffff:7f00:1]:80", "evaluator.example:443", "Evaluator.Example."],
)  # fmt: skip
def test_hosts_of_ours_are_served(url: str, host: str) -> None:
    assert ask(url, "GET", "/factors", headers={"Host": host}).status == 200


FOREIGN = ["evil.example", "127.0.0.1.evil.example", "2130706433", "localhost.evil.example", "", "[::2]", "[::ffff:10.0.0.1]", "evil.example#.localhost", "evil.example/.localhost", "evil.example,.localhost", "evaluator.example@evil.example", "10.0.0.1"]  # fmt: skip


@pytest.mark.parametrize("host", FOREIGN)
@pytest.mark.parametrize("path", ["/", "/factors", "/nowhere"])
def test_other_hosts_are_not(url: str, host: str, path: str) -> None:
    answer = ask(url, "GET", path, headers={"Host": host})
    assert (answer.status, answer.json["type"]) == (421, "/problems/misdirected-request")
    assert "CRS_EVAL_HOSTS" in answer.json["detail"]
    assert post(url, Host=host, Origin=f"http://{host}").status == 421


@pytest.mark.parametrize(
    ("target", "host", "status"), [("localhost", "evil.example", 200), ("evil.example", "localhost", 421)]
)
def test_the_name_in_an_absolute_target_counts(url: str, target: str, host: str, status: int) -> None:
    assert ask(url, "GET", f"http://{target}/factors", headers={"Host": host}).status == status


@pytest.mark.parametrize("path", ["/healthz", "/readyz", "/metrics"])
def test_probes_and_scrapers_use_any_address(url: str, path: str) -> None:
    assert ask(url, "GET", path, headers={"Host": "10.1.2.3:8000"}).status == 200


def test_with_keys_hosts_count_where_they_are_named() -> None:
    with running_service({"API_KEYS": KEY, "HOSTS": "evaluator.example"}) as url:
        assert ask(url, "GET", "/factors", headers={**BEARER, "Host": "other.example"}).status == 421
        assert ask(url, "GET", "/factors", headers={**BEARER, "Host": "evaluator.example"}).status == 200


def test_lines_of_a_batch_come_with_the_batch(url: str) -> None:
    line = json.dumps({"custom_id": "a", "path": "/score", "body": json.loads(BODY)}).encode()
    headers = {"Content-Type": "application/x-ndjson", "Origin": DASHBOARD, "Host": "evaluator.example"}
    assert json.loads(ask(url, "POST", "/batch", line, headers).body)["status"] == 200


def test_forwarded_addresses_are_believed_from_named_proxies_alone() -> None:
    def statuses(**settings: str) -> list[int]:
        with running_service({"RATE_LIMIT": "2/day", **settings}) as url:
            return [
                ask(url, "GET", "/factors", headers={"X-Forwarded-For": f"203.0.113.{n}"}).status
                for n in range(4)
            ]

    assert statuses() == [200, 200, 429, 429]
    assert statuses(TRUSTED_PROXIES="192.0.2.1") == [200, 200, 429, 429]
    assert statuses(TRUSTED_PROXIES="192.0.2.1, 127.0.0.0/8") == [200, 200, 200, 200]


def start(**environment: str) -> "subprocess.CompletedProcess[str]":
    """A start that ends by itself, because it is refused."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("CRS_EVAL_")}
    words = ["--host", "0.0.0.0", "--port", str(free_port())]
    return forked.run(forked.SERVICE, words, ROOT, {**kept, **environment})


def test_in_a_cluster_nobody_serves_without_keys_unawares() -> None:
    done = start(KUBERNETES_SERVICE_HOST="10.96.0.1")
    assert done.returncode == 2
    for name in ("CRS_EVAL_API_KEYS", "CRS_EVAL_OPEN=true"):
        assert name in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(
    ("setting", "said"),
    [
        ("CRS_EVAL_TRUSTED_PROXIES=*", "CRS_EVAL_TRUSTED_PROXIES"),
        ("CRS_EVAL_TRUSTED_PROXIES=10.0.0.1/8", "CRS_EVAL_TRUSTED_PROXIES"),
        ("CRS_EVAL_TRUSTED_PROXIES=proxy.example", "CRS_EVAL_TRUSTED_PROXIES"),
        ("CRS_EVAL_HOSTS=http://evaluator.example", "CRS_EVAL_HOSTS"),
        ("CRS_EVAL_HOSTS=*", "CRS_EVAL_HOSTS"),
        ("CRS_EVAL_CORS_ORIGINS=dash.example", "CRS_EVAL_CORS_ORIGINS"),
        ("CRS_EVAL_CORS_ORIGINS=https://dash.example/", "CRS_EVAL_CORS_ORIGINS"),
    ],
)
def test_what_names_nobody_stops_the_start(setting: str, said: str) -> None:
    name, _, value = setting.partition("=")
    done = start(**{name: value})
    assert done.returncode == 2
    assert said in done.stderr
