"""`crs-eval exam` as people run it: a provider of models over HTTP, files of pairs, reports."""

import csv
import json
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from tests.forked import environment, exits
from tests.patience import PATIENCE
from tests.provider.behaviours import Answer, Payload, Status
from tests.provider.server import ProviderServer
from tests.provider.speech import compose, prompt_of
from tools.service_process import ROOT, running_service

MARK = "qqq"
SEER, SLEEPER = "seer:m", "sleeper:m"


def seer(payload: Payload) -> str:
    """Give 1 to conversations with the mark, 4 to others."""
    return rating(payload, 1 if MARK in prompt_of(payload) else 4)


def rating(payload: Payload, score: int) -> str:
    return json.dumps(json.loads(compose(payload)) | {"score": score})


@pytest.fixture(scope="module")
def providers() -> Iterator[dict[str, ProviderServer]]:
    with (
        ProviderServer(Answer(seer)) as one,
        ProviderServer(Answer(lambda payload: rating(payload, 4))) as other,
    ):
        yield {"SEER": one, "SLEEPER": other}


@pytest.fixture(scope="module")
def url(providers: dict[str, ProviderServer]) -> Iterator[str]:
    upstreams = {f"UPSTREAM_{name}": provider.openai_url for name, provider in providers.items()}
    with running_service({**upstreams, "JUDGES": "builtin,seer:*,sleeper:*"}) as address:
        yield address


def pair(number: int, fault: str = "rude", **given: Any) -> dict[str, Any]:
    wish = {"role": "user", "content": f"A kettle for {number} cups?"}
    good = [wish, {"role": "assistant", "content": "The Steam takes that much."}]
    bad = [wish, {"role": "assistant", "content": f"The Steam takes that {MARK}."}]
    return {"id": f"{fault}-{number}", "fault": fault, "message": 1, "good": good, "bad": bad} | given


@pytest.fixture(scope="module")
def pairs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    faults = ("rude", "rude", "loops", "passive")
    path = tmp_path_factory.mktemp("pairs") / "own.jsonl"
    path.write_text("".join(json.dumps(pair(*one)) + "\n" for one in enumerate(faults)))
    return path


def test_two_judges_side_by_side(tmp_path: Path, url: str, pairs: Path) -> None:
    given = ("--judge", SEER, "--against", SLEEPER, "--pairs", pairs, "--url", url)
    for suffix in ("json", "html", "csv", "xml"):
        exits(0, "exam", *given, "-o", f"r.{suffix}", cwd=tmp_path)
    [whole, *_] = json.loads((tmp_path / "r.json").read_text())["paired"]
    assert {name: whole[name] for name in ("n", "both", "only_first", "only_second", "neither", "p")} == {
        "n": 4, "both": 0, "only_first": 4, "only_second": 0, "neither": 0, "p": 0.125,
    }  # fmt: skip
    rows = list(csv.DictReader((tmp_path / "r.csv").read_text().splitlines()))
    assert {r["value"] for r in rows if r["measure"] == "sensitivity" and r["judge"] == SLEEPER} == {"0.0"}
    suites = ElementTree.parse(tmp_path / "r.xml").getroot().findall("testsuite")
    assert [(suite.get("tests"), suite.get("failures")) for suite in suites] == [("4", "0"), ("4", "4")]
    page = (tmp_path / "r.html").read_text()
    assert page.count("rgba(47,109,181,0.75)") == 3, "a fault each"
    assert "<script" not in page
    assert "http://" not in page
    assert "https://" not in page
    assert SLEEPER in page


def test_a_judge_that_refuses_ends_the_exam(tmp_path: Path, pairs: Path) -> None:
    """A provider that takes no key of our own making gives no verdict: that is no report of gaps."""
    with ProviderServer(Status(401, "no key", code="invalid_api_key")) as provider:
        settings = {"UPSTREAM_GONE": provider.openai_url, "JUDGES": "gone:*"}
        with running_service(settings) as address:
            given = ("--judge", "gone:m", "--faults", "rude", "--pairs", pairs, "--url", address)
            exits(4, "exam", *given, cwd=tmp_path)


def make(folder: Path, text: str, out: str = "made.jsonl") -> subprocess.CompletedProcess[str]:
    log = shutil.copy(ROOT / "examples" / "logs" / "good.json", folder)
    command = [sys.executable, "-m", "service.cli.program", "exam", "make", str(log), "-o", out]
    return subprocess.run(
        command, cwd=folder, env=environment(), input=text, capture_output=True, text=True, check=False, timeout=PATIENCE
    )  # fmt: skip


@pytest.mark.slow
def test_pairs_are_made_and_taken(tmp_path: Path) -> None:
    """Wrong entries are asked for again; two pairs get ids of their own, and the exam takes them."""
    for text in (
        "1\n4\ngrumpy\nrude\n\nFind it yourself.\n",
        "4\nrude\nNo idea, ask somebody else.\n",
        "4\nno-reply\n",
    ):
        done = make(tmp_path, text)
        assert done.returncode == 0, done.stderr
    made = [json.loads(line) for line in (tmp_path / "made.jsonl").read_text().splitlines()]
    assert len({one["id"] for one in made}) == 3
    assert [len(one["good"]) - len(one["bad"]) for one in made] == [0, 0, 1]
    assert made[0]["bad"][4]["content"] == "Find it yourself."
    given = ("--judge", "builtin", "--pairs", "made.jsonl", "-o", "taken.json")
    exits(0, "exam", *given, cwd=tmp_path)
    [whole, *_] = json.loads((tmp_path / "taken.json").read_text())["report"]["rows"]
    assert (whole["by"], whole["pairs"]) == ("all", 3)


@pytest.mark.slow
def test_a_pair_that_is_not_finished_is_not_added(tmp_path: Path) -> None:
    assert make(tmp_path, "4\nrude\n").returncode == 2
    assert make(tmp_path, "0\nno-reply\n").returncode == 2, "no user waits for the greeting"
    assert make(tmp_path, "4\nno-reply\n", out="good.json").returncode == 2, "it would spoil the conversation"
    assert not (tmp_path / "made.jsonl").exists()
