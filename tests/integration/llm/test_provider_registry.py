"""Each provider in the folder must do the same: its settings make its judges available, no start loads its SDK, and the docs
know it."""

import subprocess
import sys
import tomllib
from typing import cast

import pytest

from service.errors import ConfigurationError
from service.llm.declaration import ProviderDeclaration
from service.llm.providers import providers
from service.llm.stack import Upstream
from service.main import read_settings
from service.settings import address_variable
from service.usecases.building import upstreams_of
from tools.registry_pages import PROVIDERS_PAGE, SETTINGS_PAGE, registry_page
from tools.service_process import ROOT

ALL = providers()


@pytest.fixture(params=ALL)
def provider_(request: pytest.FixtureRequest) -> ProviderDeclaration:
    return ALL[request.param]


def test_a_provider_is_found_by_its_module(provider_: ProviderDeclaration) -> None:
    modules = {file.stem for file in (ROOT / "service" / "llm" / "providers").glob("*.py")} - {"__init__"}
    assert modules == {name.replace("-", "_") for name in ALL}
    assert provider_.tokens[-1] == "."
    assert provider_.families


def test_its_settings_make_its_judges_available(provider_: ProviderDeclaration) -> None:
    address = address_variable(provider_.name)
    by_key = upstreams_of(read_settings({provider_.key: "hidden-key"}))
    assert set(by_key) == {provider_.name}
    expected = Upstream(provider_.base_url, provider_.protocol, "hidden-key")
    assert by_key[provider_.name] == expected
    by_address = upstreams_of(read_settings({address: "http://models.example/v1/"}))
    assert by_address[provider_.name].base_url == "http://models.example/v1"
    assert "hidden-key" not in repr(read_settings({provider_.key: "hidden-key"}))
    with pytest.raises(ConfigurationError, match=f"^{address}: should be an http"):
        read_settings({address: "models.example"})
    with pytest.raises(ConfigurationError, match=f"did you mean {address}"):
        read_settings({address[:-1]: "http://models.example"})
    taken = f"CRS_EVAL_UPSTREAM_{provider_.name.upper().replace('-', '_')}"
    with pytest.raises(ConfigurationError, match=f"{taken}: this name is taken"):
        read_settings({taken: "http://models.example"})


def test_no_start_loads_its_sdk_and_nothing_else_does(provider_: ProviderDeclaration) -> None:
    listed = f"import sys, service.llm.providers as known; known.providers(); sys.exit({provider_.sdk!r} in sys.modules)"
    subprocess.run([sys.executable, "-c", listed], cwd=ROOT, env={}, check=True)
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]["contracts"]
    kept = next(one for one in contracts if one["name"] == "SDKs stay in their adapters")
    assert provider_.sdk in cast(list[str], kept["forbidden_modules"])


def test_the_docs_know_it(provider_: ProviderDeclaration) -> None:
    page, settings = PROVIDERS_PAGE.read_text(), (ROOT / "docs" / "settings.md").read_text()
    assert f"| {provider_.title} | `{provider_.name}:<model>` | `{provider_.key}` |" in page
    assert provider_.tokens in page
    assert all(f"`{pattern}`" in page for family in provider_.families for pattern in family.models)
    assert f"| `{provider_.key}` |" in settings
    assert f"| `{address_variable(provider_.name)}` |" in settings
    assert page == registry_page(PROVIDERS_PAGE), "run `make generate`"
    assert settings == registry_page(SETTINGS_PAGE), "run `make generate`"
