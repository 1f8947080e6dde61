"""Starts without a key, and where they are allowed."""

import pytest

from service.errors import ConfigurationError
from service.main import check_exposure, read_settings
from service.settings import Settings

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
