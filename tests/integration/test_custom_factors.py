"""A factor from a folder and one from a request: judged by a model, refused by the embedded judge, over HTTP and by command."""

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx2
import pytest

from tests import forked
from tests.patience import PATIENCE
from tests.provider.server import ProviderServer
from tools.service_process import ROOT, running_service

LOG = json.loads((ROOT / "examples/logs/good.json").read_text())["log"]
MODEL = "local:gpt-4o-mini"
FORM = """
slug = "{slug}"
definition = "Do the replies sound like our brand?"

[levels]
0 = "No reply does."
1 = "Some do."
2 = "All do."
"""
RUBRIC = {
    "slug": "custom-brevity",
    "definition": "Are the replies brief?",
    "levels": {"0": "No reply is.", "1": "Some are.", "2": "All are."},
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("factors")
    (folder / "brand-voice.toml").write_text(FORM.format(slug="brand-voice"))
    return folder


@pytest.fixture(scope="module")
def url(folder: Path) -> Iterator[str]:
    with (
        ProviderServer() as provider,
        running_service(
            {"FACTORS": str(folder), "UPSTREAM_LOCAL": provider.openai_url, "JUDGES": "builtin,local:*"}
        ) as url,
    ):
        yield url


def verdict(url: str, judge: str, **asked: Any) -> Any:
    answer = httpx2.post(f"{url}/score", json={"log": LOG, "judge": judge, **asked}, timeout=PATIENCE)
    assert answer.status_code == 200, answer.text
    (found,) = answer.json()["verdicts"]
    return found


@pytest.mark.parametrize(
    ("asked", "slug"), [({"factors": ["custom"]}, "brand-voice"), ({"rubrics": [RUBRIC]}, "custom-brevity")]
)
def test_over_http(url: str, asked: dict[str, Any], slug: str) -> None:
    judged = verdict(url, MODEL, **asked)
    assert (judged["factor"], judged["status"], judged["scale"]) == (slug, "scored", {"min": 0, "max": 2})
    refused = verdict(url, "builtin", **asked)
    assert (refused["status"], refused["reason"]["code"]) == ("not_assessable", "no_rule")


def test_the_catalogue_shows_the_operators(url: str) -> None:
    found = httpx2.get(f"{url}/factors/brand-voice", timeout=PATIENCE).json()
    assert (found["protocol"], found["name"], found["weight"]) == ("custom", "Brand voice", 1)


@pytest.mark.parametrize("way", ["folder", "request"])
@pytest.mark.parametrize(("judge", "status"), [(MODEL, "scored"), ("builtin", "not_assessable")])
def test_by_command(url: str, tmp_path: Path, way: str, judge: str, status: str) -> None:
    logs, out, own = tmp_path / "logs.jsonl", tmp_path / "results.jsonl", tmp_path / "custom-own.toml"
    logs.write_text(json.dumps(LOG))
    own.write_text(FORM.format(slug="custom-own"))
    asked = ["--factors", "brand-voice"] if way == "folder" else ["--rubric", str(own)]
    words: list[str | Path] = ["score", logs, "-o", out, "--judge", judge, "--url", url, *asked]
    ran = forked.run(forked.COMMAND_LINE, words, ROOT, os.environ)
    assert ran.returncode in {0, 3}, ran.stderr
    (found,) = json.loads(out.read_text().splitlines()[-1])["answer"]["verdicts"]
    assert found["status"] == status


def test_a_gate_knows_the_operators_factors(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from service.cli.gate.runs import own_scales

    monkeypatch.setenv("CRS_EVAL_FACTORS", str(folder))
    assert own_scales()["brand-voice"] == (0, 2)
