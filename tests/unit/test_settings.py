import re
from pathlib import Path

import pytest

from service.app import create_app
from service.debates.roles import factors_of, load_roles
from service.domain.verdict import JudgeName
from service.errors import ConfigurationError
from service.factors import load_factors
from service.main import check_exposure, read_settings
from service.scoring.mixture import Mixture
from service.settings import Settings
from service.usecases.building import build_registry, build_stack, upstreams_of


def test_values_are_read_by_type() -> None:
    settings = read_settings(
        {
            "CRS_EVAL_JUDGE": "openai:gpt-x",
            "CRS_EVAL_JUDGES": "builtin, openai:*",
            "CRS_EVAL_LIST_CUTOFF": "5",
            "CRS_EVAL_REQUEST_TIMEOUT": "1.5",
            "CRS_EVAL_JUDGE_SEMANTIC_RELEVANCE": "builtin",
            "CRS_EVAL_LIVE_WEBHOOKS": "https://shop.example/hook/",
        }
    )
    assert settings.judge == JudgeName("openai", "gpt-x")
    assert settings.judges == ("builtin", "openai:*")
    assert (settings.list_cutoff, settings.request_timeout) == (5, 1.5)
    assert settings.live_webhooks == (
        "https://shop.example/hook/",
    )  # servers tell it from one without a slash
    assert settings.judge_by_factor == {"semantic-relevance": JudgeName("builtin")}


KEYED = {"CRS_EVAL_UPSTREAM_LAB": "http://lab:1/v1"}


@pytest.mark.parametrize("variable", ["CRS_EVAL_UPSTREAM_LAB_API_KEY", "OPENAI_API_KEY", "ANTHROPIC_API_KEY"])
@pytest.mark.parametrize("key", ["sk-“1”", "sk\n1", "\n"])
def test_a_key_that_no_header_can_carry_is_refused_and_not_shown(variable: str, key: str) -> None:
    with pytest.raises(ConfigurationError, match=f"^{variable}: should be printable") as caught:
        read_settings({**KEYED, variable: key})
    assert "sk" not in str(caught.value)


LAB = "CRS_EVAL_UPSTREAM_LAB"


@pytest.mark.parametrize(
    ("environment", "detail"),
    [
        ({"CRS_EVAL_LIST_CUTOF": "5"}, "no such setting; did you mean CRS_EVAL_LIST_CUTOFF"),
        ({"CRS_EVAL_OPENAI_API_KEY": "k"}, "no such setting"),
        ({"CRS_EVAL_UPSTREAM_OPENAI": "http://x/v1"}, "this name is taken"),
        ({"CRS_EVAL_UPSTREAM_X_API_KEY": "k"}, "is set, but CRS_EVAL_UPSTREAM_X is not"),
        ({LAB: "ftp://x"}, "should be an http:// or https:// address"),
        ({LAB: "http://lab:99999/v1"}, "should be an http:// or https:// address"),
        ({LAB: "http://me:secret@lab/v1"}, "should be without user name and password"),
        ({LAB: "https://lab/v1?api-version=1"}, "should end with the path"),
        ({LAB: "https://lab/v1/chat/completions"}, "should end before /chat/completions"),
        ({LAB: "https://lab/v1/messages"}, "should end before /v1/messages"),
        ({"CRS_EVAL_CALLS_PER_MINUTE_X": "0"}, ""),
        ({"CRS_EVAL_TRUSTED_PROXIES": "*"}, "should be addresses or networks"),
        ({"CRS_EVAL_TRUSTED_PROXIES": "10.0.0.1/8"}, "should be addresses or networks"),
        ({"CRS_EVAL_TRUSTED_PROXIES": "proxy.example"}, "should be addresses or networks"),
        ({"CRS_EVAL_HOSTS": "http://evaluator.example"}, "should be names or addresses"),
        ({"CRS_EVAL_HOSTS": "*"}, "should be names or addresses"),
        ({"CRS_EVAL_LIVE_FACTORS": " , "}, ""),
        ({"CRS_EVAL_LIVE_WEBHOOKS": "http://exa mple/"}, ""),
        ({"CRS_EVAL_LIVE_WEBHOOKS": "http://?x"}, "should be an http:// or https:// address"),
        ({"CRS_EVAL_LIVE_SAMPLE": "5%"}, "write a number from 0 to 1"),
        ({"CRS_EVAL_LIVE_SAMPLE": "0,2"}, "there are two values"),
        ({"CRS_EVAL_LIVE_SAMPLE": "0.2"}, "is set, but CRS_EVAL_LIVE_MODEL is not"),
        ({"CRS_EVAL_LIVE_IDLE": "5m,trips=1h,trips=2h"}, "trips: there are two values"),
        ({"CRS_EVAL_LIVE_USER_KEY": "secret"}, "openssl rand -hex 32"),
        ({"CRS_EVAL_LIVE_REDIS_PASSWORD": "secret"}, "is set, but CRS_EVAL_LIVE_REDIS_URL is not"),
        ({"CRS_EVAL_REDIS_PASSWORD": "secret"}, "is set, but CRS_EVAL_REDIS_URL is not"),
        ({"CRS_EVAL_REDIS_CA": "/ca.pem", "CRS_EVAL_REDIS_URL": "redis://h/0"}, "rediss://"),
        ({"CRS_EVAL_REDIS_CA": "/ca.pem", "CRS_EVAL_REDIS_URL": "rediss://h/0"}, "no such file: /ca.pem"),
        ({"CRS_EVAL_CACHE_KEY": "short"}, "at least 32 characters"),
        ({"CRS_EVAL_LIVE_ALERTS": "slack=http://a/1,slack=http://a/2"}, "a name is there twice"),
        ({"CRS_EVAL_CORS_ORIGINS": "dash.example"}, "should be origins without a path"),
        ({"CRS_EVAL_CORS_ORIGINS": "https://dash.example/"}, "should be origins without a path"),
        *(
            ({name: value}, "")
            for name in ("CRS_EVAL_REQUEST_TIMEOUT", "CRS_EVAL_REDIS_TIMEOUT")
            for value in ("nan", "inf", "0", "-1")
        ),
    ],
)
def test_a_wrong_variable_is_refused_by_its_name(environment: dict[str, str], detail: str) -> None:
    name, *_ = environment
    with pytest.raises(ConfigurationError, match=f"^{name}") as caught:
        read_settings(environment)
    assert detail in str(caught.value)
    assert "secret" not in str(caught.value)


@pytest.mark.parametrize("value", ["/no/such/folder", "pyproject.toml", "tests"])
@pytest.mark.parametrize(
    "name",
    ["MODELS", "PRICES", "CACHE_FILE", "PROVIDER_BATCH", "CATALOGS", "CALIBRATIONS", "EXAMS", "FACTORS"],
)
def test_what_a_wrong_path_leads_to_is_refused_by_its_variable(name: str, value: str) -> None:
    if value == "tests" and name in ("CATALOGS", "CALIBRATIONS", "EXAMS"):
        return  # a folder without files of theirs
    with pytest.raises(ConfigurationError, match=f"^CRS_EVAL_{name}: "):
        create_app(read_settings({f"CRS_EVAL_{name}": value}))


def test_an_empty_variable_is_unset() -> None:
    more = ("CRS_EVAL_OPENAI_BASE_URL", "CRS_EVAL_JUDGE_COHERENCE", "CRS_EVAL_UPSTREAM_LAB_API_KEY")
    assert read_settings(dict.fromkeys([*Settings.variables(), *more], "")) == Settings()


def test_every_wrong_variable_is_reported_at_once() -> None:
    with pytest.raises(ConfigurationError) as caught:
        read_settings({"CRS_EVAL_X": "1", "CRS_EVAL_MAX_BODY": "many", "CRS_EVAL_JUDGE_COHERENCE": "openai:"})
    for name in ("CRS_EVAL_X", "CRS_EVAL_MAX_BODY", "CRS_EVAL_JUDGE_COHERENCE"):
        assert name in str(caught.value)


@pytest.mark.parametrize(
    "name", ["CRS_EVAL_SERVICE_HOST", "CRS_EVAL_SERVICE_PORT", "CRS_EVAL_PORT", "CRS_EVAL_PORT_80_TCP_PROTO"]
)
def test_what_kubernetes_injects_is_ignored(name: str) -> None:
    assert read_settings({name: "tcp://10.0.0.1:80"}) == Settings()


CLUSTER = {"KUBERNETES_SERVICE_HOST": "10.96.0.1"}
KEY = "ci:score:" + "ab" * 32


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "10.0.0.7", "evaluator"])
def test_in_a_cluster_a_key_is_needed(host: str) -> None:
    with pytest.raises(ConfigurationError, match="CRS_EVAL_OPEN=true"):
        check_exposure(Settings(), host, CLUSTER)


@pytest.mark.parametrize(
    ("setting", "host", "environment"),
    [
        ({"CRS_EVAL_OPEN": "true"}, "0.0.0.0", CLUSTER),
        ({"CRS_EVAL_API_KEYS": KEY}, "0.0.0.0", CLUSTER),
        ({}, "127.0.0.1", CLUSTER),
        ({}, "localhost", CLUSTER),
        ({}, "0.0.0.0", {}),
    ],
)
def test_else_it_starts(setting: dict[str, str], host: str, environment: dict[str, str]) -> None:
    check_exposure(read_settings(setting), host, environment)


@pytest.mark.parametrize("host", ["0.0.0.0", "127.0.0.1"])
@pytest.mark.parametrize("further", [{}, {"CRS_EVAL_OPEN": "true"}])
def test_production_asks_for_keys_wherever_it_listens(host: str, further: dict[str, str]) -> None:
    production = {"CRS_EVAL_ENV": "production", **further}
    with pytest.raises(ConfigurationError, match="CRS_EVAL_API_KEYS"):
        check_exposure(read_settings(production), host, {})
    check_exposure(read_settings({**production, "CRS_EVAL_API_KEYS": KEY}), host, {})


PRESET = Path(__file__).parents[2] / "examples" / "mixture-of-evaluators.env"


def lines() -> dict[str, str]:
    pairs = re.findall(r"^([A-Z_]+)=(\S+)$", PRESET.read_text(), re.MULTILINE)
    return dict(pairs)


def test_every_factor_of_the_paper_has_its_judge() -> None:
    factors = load_factors()
    papers = ("common-user", "domain-expert", "linguist", "hci-expert")
    roles = load_roles(factors)
    assert set(read_settings(lines()).judge_by_factor) == set(factors_of([roles[name] for name in papers]))


def test_the_preset_of_requests_is_that_of_deployments() -> None:
    assert read_settings(lines()).judge_by_factor == Mixture.CORE.judges


async def test_every_judge_is_to_be_had() -> None:
    settings = read_settings(lines())
    assert set(upstreams_of(settings)) == {"openai", "llama", "qwen", "glm"}
    registry = build_registry(settings, build_stack(settings))
    for judge in settings.judge_by_factor.values():
        assert registry.judge(judge).name == judge
    await registry.aclose()
