"""The tool behind `make -C research agreement`, against the whole service, on conversations made up here."""

import argparse
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console
from starlette.testclient import TestClient

from research.agreement import main, study, write_page
from research.agreement_page import Report, page
from research.agreement_plots import plots
from research.judge_labelled import Judging, Kept, digest, judge_all
from research.labelled import SATISFACTION, Labelled, debate_ratings, outputs, ratings, read_labelled
from service.api.routes import agreement as route
from service.app import create_app
from service.settings import Settings

GOOD = "You could try Glass Harvest (2018), because it is tense and has no horror in it."
POOR = "the the the the film film"


@pytest.fixture(scope="module")
def client() -> Iterator[TestClient]:
    app = create_app(Settings())
    if not any(getattr(known, "path", None) == "/agreement" for known in app.routes):
        app.include_router(route.router)
    with TestClient(app) as client:
        yield client


def line(number: int, system: str, reply: str, score: int) -> dict[str, Any]:
    return {
        "id": f"log-{number}",
        "system": system,
        "messages": [
            {"role": "user", "content": "Something tense, please, but no horror."},
            {"role": "assistant", "content": reply},
            {"role": "user", "content": "Thanks." if reply == GOOD else "What?"},
            {"role": "assistant", "content": reply},
        ],
        "human": {
            "dialogue": {"dialogue_overall": score, "understanding": score // 2},
            "turns": [None, {"relevance": score}, None, {"relevance": max(0, score - 1)}],
        },
        "secret": "never sent",
    }


@pytest.fixture
def labelled(tmp_path: Path) -> list[Labelled]:
    lines = [
        line(n, ("kbrd_redial", "barcor_redial")[n % 2], GOOD if n % 3 else POOR, 3 if n % 3 else n % 2)
        for n in range(12)
    ]
    path = tmp_path / "labelled.jsonl"
    path.write_text("\n".join(map(json.dumps, lines)) + "\n")
    return read_labelled(path)


def test_labels_stay_here_and_logs_go(labelled: list[Labelled]) -> None:
    assert set(labelled[0].log) == {"id", "system", "messages"}
    assert labelled[1].dialogue["dialogue_overall"] == {"annotator 1": 3}
    assert labelled[1].turns["relevance"] == {1: {"annotator 1": 3}, 3: {"annotator 1": 2}}
    assert labelled[0].half == "redial"


def test_satisfaction_at_a_message_is_about_the_reply_before(tmp_path: Path) -> None:
    said = [("user", "hi"), ("assistant", "hello"), ("user", "a western"), ("user", "please")]
    row = {
        "id": "u",
        "messages": [{"role": role, "content": text} for role, text in said],
        "human": {"turns": [[3, 3], None, [4, 5], [1, 1]], "overall": [2, 4]},
    }
    path = tmp_path / "uss.jsonl"
    path.write_text(json.dumps(row))
    (one,) = read_labelled(path)
    assert one.turns == {SATISFACTION: {1: {"annotator 1": 4, "annotator 2": 5}}}
    assert one.dialogue == {"dialogue_overall": {"annotator 1": 2, "annotator 2": 4}}


def test_outputs_answer_labels_and_leave_out_what_was_not_assessed(labelled: list[Labelled]) -> None:
    answer = {
        "scores": {"mean": 3.0, "debate": None, "coherence": 2.0},
        "turns": {"coherence": {"1": 4.0}},
        "rounds": [],
    }
    assert list(outputs(labelled[0], answer)) == [
        ("dialogue_overall", "mean of factors", None, 3.0),
        ("understanding", "coherence", None, 2.0),
        ("relevance", "coherence, turns", 1, 4.0),
    ]


def test_a_run_goes_on_where_it_stopped_and_begins_anew_with_another_evaluator(
    client: TestClient, labelled: list[Labelled], tmp_path: Path
) -> None:
    asked: list[str] = []

    class Counting(Judging):
        def ask(self, one: Labelled, catalogue: str | None) -> dict[str, Any]:
            asked.append(one.name)
            return super().ask(one, catalogue)

    judging = Counting(client, "builtin", False, 2)
    catalogues: dict[str, str | None] = {one.name: None for one in labelled}
    path, console = tmp_path / "answers.jsonl", Console(quiet=True)
    first = Kept(path)
    assert judge_all(labelled[:5], catalogues, first, judging, console=console, title="t") == []
    asked.clear()
    again = Kept(path)
    assert again.answers == first.answers
    assert judge_all(labelled, catalogues, again, judging, console=console, title="t") == []
    assert sorted(asked) == sorted(["log-0", *(one.name for one in labelled[5:])])
    stale = path.read_text().replace(first.answers["log-0"]["evaluator"], "another")
    path.write_text(stale)
    asked.clear()
    judge_all(labelled, catalogues, Kept(path), judging, console=console, title="t")
    assert len(asked) == len(labelled) + 1


def test_a_log_that_gets_no_answer_is_named(
    client: TestClient, labelled: list[Labelled], tmp_path: Path
) -> None:
    judging = Judging(client, "nobody", False, 1)
    kept = Kept(tmp_path / "answers.jsonl")
    faults = judge_all(labelled[:1], {"log-0": None}, kept, judging, console=Console(quiet=True), title="t")
    assert len(faults) == 1
    assert faults[0].startswith("log-0: 422")
    assert kept.answers == {}


def test_the_report_stands_on_the_answers_over_http(
    client: TestClient, labelled: list[Labelled], tmp_path: Path
) -> None:
    judging = Judging(client, "builtin", True, 1)
    kept = Kept(tmp_path / "answers.jsonl")
    catalogues: dict[str, str | None] = {one.name: None for one in labelled}
    judge_all(labelled, catalogues, kept, judging, console=Console(quiet=True), title="t")
    found = study("made_up.jsonl", labelled, kept.answers, client, 50, given=False)
    report = Report("builtin", (found,))
    text = page(report)
    overall = next(cells for cells in text.splitlines() if cells.startswith("| overall | debate |"))
    assert overall.split(" | ")[2] == "12"
    assert float(overall.split(" | ")[3].split()[0]) > 0.5
    assert "| label | output | KBRD | BARCOR |" in text
    assert "### Debate" in text
    assert "secret" not in text
    assert {"made-up-redial.svg", "made-up-coupling.svg", "made-up-systems.svg"} <= set(plots(report))
    json.dumps(report.plain(), allow_nan=False)
    rounds = debate_ratings(labelled, kept.answers)
    assert {r["rater"] for r in rounds} == {"common-user", "domain-expert", "linguist", "hci-expert"}


def test_people_and_judge_meet_on_one_factor(labelled: list[Labelled]) -> None:
    answers = {
        one.name: {"scores": {"mean": 1.0, "debate": 50, "coherence": 2.0}, "turns": {}, "rounds": []}
        for one in labelled[:2]
    }
    found = ratings(labelled, answers)
    assert {r["conversation"] for r in found} == {"log-0", "log-1"}
    assert {(r["factor"], r["rater"]) for r in found if r["kind"] == "judge"} == {
        ("dialogue_overall", "debate"),
        ("dialogue_overall", "mean of factors"),
        ("understanding", "coherence"),
    }


def test_digest_keeps_numbers_alone() -> None:
    verdict = {
        "factor": "coherence",
        "score": 3.0,
        "turns": [{"message": 1, "score": 2.0}],
        "rationale": "text",
    }
    missing = {"factor": "novelty", "score": None, "turns": None, "rationale": None}
    said = {"role": "linguist", "score": 60, "statement": "text"}
    kept = digest(
        {
            "verdicts": [verdict, missing],
            "overall": 61.5,
            "rounds": [{"statements": [said]}],
            "comparison_key": "abc",
        }
    )
    assert kept["scores"] == {"coherence": 3.0, "novelty": None, "mean": 3.0, "debate": 61.5}
    assert kept["turns"] == {"coherence": {"1": 2.0}}
    assert kept["rounds"] == [{"linguist": 60}]
    assert "text" not in json.dumps(kept)


def test_without_data_it_says_that_it_did_not_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    wanted = tmp_path / "page.md"
    monkeypatch.setattr("sys.argv", ["agreement", str(tmp_path / "nowhere"), "--page", str(wanted)])
    assert main() == 0
    assert "nothing was judged" in " ".join(capsys.readouterr().out.split())
    assert not wanted.exists()


def test_a_page_that_differs_fails_the_check(tmp_path: Path) -> None:
    report = Report("builtin", ())
    options = argparse.Namespace(page=tmp_path / "page.md", check=False)
    quiet = Console(quiet=True)
    assert write_page(options, "as it is\n", report, quiet)
    options.check = True
    assert write_page(options, "as it is\n", report, quiet)
    assert not write_page(options, "as it was\n", report, quiet)
    assert options.page.read_text() == "as it is\n"


def test_efficiency_is_read_off_the_first_three_turns() -> None:
    talk = [{"role": role, "content": "Yes."} for role in ("user", "assistant") * 4]
    one = Labelled({"id": "a", "messages": talk}, {"efficiency": {"annotator 1": 1.0}}, {})
    answer = {"scores": {"coherence": 1.0}, "turns": {"coherence": {"1": 4.0, "3": 3.0, "5": 2.0, "11": 0.0}}}
    assert list(outputs(one, answer)) == [("efficiency", "efficiency*", None, 3.0)]
