"""A service, a provider of models and a folder for the commands that pages show."""

import json
import os
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from tests import forked
from tests.pages.snippets import ROOT
from tests.provider.behaviours import Answer, Payload
from tests.provider.server import ProviderServer
from tests.provider.speech import compose, prompt_of, schema_of
from tools.example_crs import running_crs
from tools.service_process import running


@pytest.fixture(scope="session")
def model_settings() -> Iterator[dict[str, str]]:
    """A provider in the place of OpenAI's: it is local, and answers every prompt."""
    with ProviderServer(Answer(_answer)) as provider:
        servers = {f"CRS_EVAL_UPSTREAM_{name}": provider.openai_url for name in ("GLM", "LLAMA", "QWEN")}
        yield {"CRS_EVAL_OPENAI_BASE_URL": provider.openai_url, "OPENAI_API_KEY": "local", **servers}


def _answer(payload: Payload) -> str:
    """An answer that fits the request's schema. A list of all replies has an entry for each, with the reply's first words."""
    schema, answer = schema_of(payload), compose(payload)
    if schema is None:
        return answer
    value = json.loads(answer)
    replies = re.findall(r"^\[(\d+)\] recommender: *(\S*)", prompt_of(payload), re.MULTILINE)
    forms = [(schema, value), *((form, value[name]) for name, form in schema["properties"].items())]
    for form, filled in forms:
        items = form.get("properties", {}).get("items", {})
        if items.get("type") == "array":
            entry = schema["$defs"][items["items"]["$ref"].rsplit("/", 1)[-1]]["properties"]
            filled["items"] = [
                {name: _said(part, int(number), words) for name, part in entry.items()}
                for number, words in replies
            ]
            filled["replies_read"] = len(replies)
        elif items:
            # An entry that holds needs a quotation.
            for entry in filled["items"].values():
                entry |= {name: False for name, part in entry.items() if part is True}
    return json.dumps(value)


def _said(part: dict[str, Any], number: int, words: str) -> Any:
    """A part of an entry about a reply."""
    values = {"integer": number, "string": words, "boolean": False, "array": []}
    return part.get("enum", [values.get(part["type"])])[0]


@pytest.fixture(scope="session")
def environment(
    model_settings: Mapping[str, str], tmp_path_factory: pytest.TempPathFactory
) -> dict[str, str]:
    """The environment of a page's commands, without a service. `crs-eval` is a fork, wherever it is called."""
    kept = {name: os.environ[name] for name in ("LANG", "TERM") if name in os.environ}
    programs = tmp_path_factory.mktemp("programs")
    kept |= forked.put_on_path(programs)
    path = os.pathsep.join((str(programs), str(ROOT / ".venv" / "bin"), os.environ["PATH"]))
    return {**kept, "PATH": path, "PYTHONPATH": str(ROOT), "COLUMNS": "120", **model_settings}


@pytest.fixture(scope="session")
def service(environment: Mapping[str, str]) -> Iterator[str]:
    """The service that a reader started before, with the example recommender and its catalogues."""
    with running_crs() as crs:
        settings = {
            "CRS_EVAL_JUDGES": "builtin,openai:*,glm:*,llama:*,qwen:*",
            "CRS_EVAL_CATALOGS": str(ROOT / "examples" / "crs"),
            "CRS_EVAL_CRS_ENDPOINTS": f"mine={crs}/reply",
        }
        with running({**environment, **settings}) as url:
            yield url


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A reader's folder: it holds the examples."""
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    return tmp_path
