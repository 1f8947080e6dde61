"""Rules on faults, and faults against a baseline."""

import io
import json
import random
from collections.abc import Collection
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from rich.console import Console
from threadpoolctl import threadpool_limits

from service.cli.configuration import Configuration, GateSettings, load_configuration
from service.cli.exits import CommandError, Exit
from service.cli.gate.judgement import judge, judge_alone
from service.cli.gate.notifications import (
    annotations,
    as_json,
    comment,
    gate_page,
    junit,
    limits,
    print_judgement,
    summary,
)
from service.cli.gate.results import RuleResult, RuleState
from service.cli.gate.rules import FaultChange, changes_of, judge_metric
from service.cli.gate.runs import check_rules, own_scales, run_scales
from service.cli.records import Record
from service.cli.scores import Run
from tests.factories import known
from tests.unit.cli.making import Outcome, fault, record, run

RUNS = 200
SHARES = (0.3, 0.3, 0.1, 0.05, 0.5)
"""Conversations that show each fault of a simulated recommender."""
LEAK = fault("template-leak", 3, 1.0, "{slot_title}")


def spoilt(name: str, at: Collection[int], *faults: dict[str, Any], n: int = 50, replies: int = 4) -> Run:
    """A run that scores 4 throughout; the conversations `at` show the faults."""

    def one(place: int) -> Record:
        shown = list(faults) if place in at else []
        made = record(f"c{place}", {"naturalness": 4.0, "coherence": 4.0}, faults=shown)
        return Record(**{**made.__dict__, "replies": replies})

    return Run(name, [one(place) for place in range(n)])


def rule(**entries: Any) -> GateSettings:
    return GateSettings.model_validate({"rules": [entries]})


def of(results: Collection[RuleResult], subject: str) -> RuleResult:
    return next(result for result in results if result.factor == subject)


@pytest.mark.parametrize(
    ("shown", "state"),
    [(0, RuleState.PASS), (1, RuleState.INCONCLUSIVE), (10, RuleState.FAIL), (50, RuleState.FAIL)],
)
def test_a_largest_share_of_conversations(shown: int, state: RuleState) -> None:
    gate = rule(fault="template-leak", maximum=0.01)
    [result] = judge_alone(spoilt("r", range(shown), LEAK), gate)
    assert result.state is state
    assert len(result.worst) == min(shown, 10)


def test_a_largest_share_of_replies() -> None:
    twice = (LEAK, {**LEAK, "message": 5})
    run_ = spoilt("r", range(0, 50, 5), *twice)  # 20 of 200 replies, in 10 of 50 conversations
    for maximum, of, state in (
        (0.25, "replies", RuleState.PASS), (0.02, "replies", RuleState.FAIL), (0.12, None, RuleState.INCONCLUSIVE),
    ):  # fmt: skip
        (result,) = judge_alone(run_, rule(fault="template-leak", maximum=maximum, of=of))
        assert result.state is state


def test_a_fault_that_nobody_looked_for_passes_nothing() -> None:
    no_reason = rule(fault="no-reason", maximum=0.5)  # lowers explainability alone
    assert judge_alone(spoilt("r", []), no_reason)[0].state is RuleState.INCONCLUSIVE
    failed = run("r", {f"c{i}": {"explainability": "timeout"} for i in range(40)})
    assert judge_alone(failed, no_reason)[0].state is RuleState.ERROR
    asked = run("r", {f"c{i}": {"explainability": 3.0} for i in range(40)})
    assert judge_alone(asked, no_reason)[0].state is RuleState.PASS


@pytest.mark.parametrize(("fault", "state"), [("pushy", RuleState.INCONCLUSIVE), ("loops", RuleState.PASS)])
def test_a_language_that_the_detector_does_not_read_passes_only_what_code_finds(
    fault: str, state: RuleState
) -> None:
    outcomes: dict[str, Outcome] = {"coherence": 1, "naturalness": 1, "proactiveness": "unsupported_language"}
    now = run("now", {f"c{i}": outcomes for i in range(50)})
    assert judge(now, None, rule(fault=fault, maximum=0.1)).state is state


@pytest.mark.parametrize(
    ("entries", "names"),
    [
        ({"fault": "ignore-exclusion", "maximum": 0.1}, ["gate.rules.0.fault", "ignores-exclusion"]),
        ({"fault": "rude", "maximum": 3}, ["gate.rules.0", "maximum", "0 to 1"]),
        ({"fault": "rude", "maximum": -0.1}, ["gate.rules.0", "maximum", "0 to 1"]),
        ({"fault": "rude"}, ["gate.rules.0", "maximum"]),
        ({"fault": "rude", "maximum": 0.1, "of": "turns"}, ["gate.rules.0.of", "conversations"]),
        ({"fault": "rude", "maximum": 0.1, "mean": 3}, ["gate.rules.0", "`mean`", "`fault`"]),
        ({"fault": "rude", "factor": "coherence", "maximum": 0.1}, ["gate.rules.0", "one of"]),
        (
            {"metric": "constraint_violation", "maximum": 0.1},
            ["gate.rules.0.metric", "constraint_violations"],
        ),
        ({"metric": "misstated", "maximum": 5}, ["gate.rules.0.maximum: 5", "0 to 1"]),
        ({"metric": "conversation_turns", "minimum": -1}, ["gate.rules.0.minimum: -1"]),
        ({"metric": "recall"}, ["gate.rules.0", "maximum", "minimum"]),
        ({"metric": "recall", "minimum": 0.9, "maximum": 0.1}, ["gate.rules.0", "minimum", "maximum"]),
        ({"fault": "rude", "maximum": 0.1, "maximum_new": 0}, ["gate.rules.0.maximum_new", "[gate]"]),
        ({"factor": "coherense", "mean": 2}, ["gate.rules.0.factor", "'coherense'", "'coherence'"]),
        ({"factor": "coherence", "mean": 25}, ["gate.rules.0.mean: 25 is outside", "0 to 4"]),
        ({"factor": "overall", "mean": 4.5}, ["outside the scale of overall"]),
        ({"factor": "novelty", "share": 0.5, "at_or_above": 9}, ["gate.rules.0.at_or_above: 9 is outside"]),
    ],
)
def test_a_bad_rule_names_its_field(tmp_path: Path, entries: dict[str, Any], names: list[str]) -> None:
    toml = "\n".join(f"{name} = {json.dumps(value)}" for name, value in entries.items())
    path = tmp_path / "crs-eval.toml"
    path.write_text(f"[[gate.rules]]\n{toml}\n", encoding="utf-8")
    with pytest.raises(CommandError) as refused:
        check_rules(load_configuration(path), own_scales())
    assert all(name in str(refused.value) for name in names), str(refused.value)


@pytest.mark.parametrize(("step", "n"), [(1, 50), (5, 50), (10, 100)])
def test_a_fault_that_means_hide_fails_against_a_baseline(step: int, n: int) -> None:
    before, now = spoilt("before", [], n=n), spoilt("now", range(0, n, step), LEAK, n=n)
    judgement = judge(now, before, GateSettings())
    assert judgement.state is RuleState.FAIL
    failed = [result.factor for result in judgement.results if result.state is RuleState.FAIL]
    assert failed == ["template-leak"]
    change = known(of(judgement.results, "template-leak").change)
    assert (len(change.gained), len(change.lost)) == (n // step, 0)


def changed(
    before: Collection[Collection[int]], now: Collection[Collection[int]], n: int
) -> list[FaultChange]:
    """Return the changes of faults, of which each entry holds the conversations that show one."""
    earlier, later = (
        {f"fault-{i}": {f"c{j}": float(j in shown) for j in range(n)} for i, shown in enumerate(side)}
        for side in (before, now)
    )
    return changes_of(earlier, later, GateSettings())


def test_many_faults_share_alpha() -> None:
    def adjusted(*shown: Collection[int]) -> float:
        return changed([[]] * len(shown), shown, 50)[0].adjusted

    six = range(6)
    assert adjusted(six) == pytest.approx(2**-6, abs=0.005)
    assert adjusted(six, *(range(i, i + 6) for i in range(6, 36, 6))) > 0.05
    # Faults of the same conversations have one cause, and those of three conversations decide nothing.
    assert adjusted(six, six, *(range(i, i + 3) for i in range(6, 48, 3))) == adjusted(six)


@pytest.mark.slow
def test_chance_fails_a_fortieth_and_a_cause_of_two_faults_fails_in_every_tenth() -> None:
    """Two runs of 60 conversations, with faults that go together, differ by chance; a third breaks six replies."""
    draw = random.Random(1)
    alarms = found = 0
    with threadpool_limits(1):  # threads cost more than such small products
        for _ in range(RUNS):
            before, now = (
                [{j for j in range(60) if draw.random() < share} for share in SHARES] for _ in range(2)
            )
            for side in (before, now):
                side[1] |= {j for j in side[0] if draw.random() < 0.7}
            alarms += any(change.adjusted <= 0.025 for change in changed(before, now, 60))
            broken = set(draw.sample(range(60), 6))
            found += changed([*before, [], []], [*before, broken, broken], 60)[-1].adjusted <= 0.025
    assert alarms / RUNS <= 0.025 + 2 * (0.025 * 0.975 / RUNS) ** 0.5
    assert found == RUNS


def test_named_faults_alone_are_watched() -> None:
    runs = spoilt("now", range(50), LEAK), spoilt("before", [])
    quiet = GateSettings.model_validate({"regression": {"faults": ["rude"]}})
    assert judge(*runs, quiet).state is RuleState.PASS
    nothing = GateSettings.model_validate({"regression": {"faults": [], "factors": []}})
    assert {result.factor for result in judge(*runs, nothing).results} == {"certain-faults"}


@pytest.mark.parametrize(
    ("most", "state"),
    [(None, RuleState.NOT_LIMITED), (2, RuleState.PASS), (1, RuleState.FAIL), (0, RuleState.FAIL)],
)
def test_new_certain_faults_are_listed_and_bounded(most: int | None, state: RuleState) -> None:
    before, now = spoilt("before", [4], LEAK), spoilt("now", [4, 7, 9], LEAK)
    judgement = judge(now, before, GateSettings(maximum_new=most))
    new = of(judgement.results, "certain-faults")
    assert new.state is state
    assert ("set maximum_new = 0" in new.detail) is (most is None)
    assert ("· not limited" in summary(judgement)) is (most is None)
    terminal = Console(file=io.StringIO(), width=200)
    print_judgement(terminal, judgement)
    for report in (summary(judgement), gate_page(judgement), terminal.file.getvalue()):  # type: ignore[attr-defined]
        first = "50 conversations of now against before. 2 certain faults that"
        assert (first in report) is (most is None)
    assert [case.conversation for case in new.worst] == ["c7", "c9"]
    likely = judge(spoilt("now", [7], fault("rude")), before, GateSettings(maximum_new=0))
    assert of(likely.results, "certain-faults").state is RuleState.PASS


def test_every_report_names_conversation_message_fault_and_quote() -> None:
    judgement = judge(spoilt("now", range(0, 50, 5), LEAK), spoilt("before", []), GateSettings())
    failed = next(
        case
        for case in ElementTree.fromstring(junit(judgement).partition("\n")[2]).iter("testcase")
        if case.find("failure") is not None
    )
    assert failed.get("classname") == "crs-eval.faults.template-leak"
    texts = {
        "junit": failed.findtext("failure") or "",
        "page": gate_page(judgement),
        "comment": comment(judgement).replace("\\", ""),
        "annotations": "\n".join(annotations(judgement)),
    }
    for text in texts.values():
        for part in ("c0", "essage 3", "{slot_title}", "template-leak" if text != texts["junit"] else ""):
            assert part in text
    found = next(result for result in json.loads(as_json(judgement))["results"] if result["fault"])
    assert (found["fault"], found["factor"], found["change"]["gained"][0]) == ("template-leak", None, "c0")
    assert found["worst"][0] == {
        "conversation": "c0", "message": 3, "fault": "template-leak", "certain": True, "probability": 1.0,
        "quotes": ["{slot_title}"],
    }  # fmt: skip
    assert json.loads(as_json(judgement))["verdict"] == "fail"


def test_every_report_says_what_the_embedded_judge_rarely_finds() -> None:
    judgement = judge(spoilt("now", []), spoilt("before", []), GateSettings())
    caveat = limits(judgement)
    assert caveat.startswith("The embedded judge rarely finds: wrong-kind (")
    terminal = Console(file=io.StringIO(), width=80)
    print_judgement(terminal, judgement)
    terminal_text = terminal.file.getvalue()  # type: ignore[attr-defined]
    assert caveat in terminal_text
    assert caveat in gate_page(judgement)
    assert summary(judgement).replace("\\", "").endswith(f"{caveat}\n")
    model = run("now", {"c": {"coherence": 4.0}}, judge={"name": "openai", "model": "gpt"})
    assert not limits(judge(model, None, GateSettings()))


ROW = {"metric": "recall", "scope": "session", "k": 10, "turn": None, "value": 0.4, "n": 60,
       "interval": {"low": 0.3, "high": 0.5}, "undefined": None}  # fmt: skip


@pytest.mark.parametrize(
    ("entries", "row", "state"),
    [
        ({"minimum": 0.35}, {}, RuleState.PASS),
        ({"minimum": 0.45}, {}, RuleState.INCONCLUSIVE),
        ({"minimum": 0.6}, {}, RuleState.FAIL),
        ({"maximum": 0.2}, {}, RuleState.FAIL),
        ({"maximum": 0}, {"interval": {"low": 0.0, "high": 0.1}, "value": 0.02}, RuleState.FAIL),
        ({"minimum": 0.35}, {"n": 5}, RuleState.INCONCLUSIVE),
        ({"minimum": 0.35}, {"value": None, "interval": None, "n": 0, "undefined": "no_targets"}, RuleState.INCONCLUSIVE),
    ],
)  # fmt: skip
def test_a_rule_on_a_metric(entries: dict[str, Any], row: dict[str, Any], state: RuleState) -> None:
    gate = rule(metric="recall", k=10, **entries)
    other = {**ROW, "k": None, "value": 0.0, "interval": None}
    assert judge_metric(gate.rules[0], [other, {**ROW, **row}], gate).state is state


@pytest.mark.parametrize(
    ("tables", "message"),
    [
        (
            {"gate": {"regression": {"factors": ["overal"]}}},
            "'overal'. .* 'overall'.* gate.regression.factors",
        ),
        (
            {"gate": {"regression": {"margins": {"noveltie": 1}}}},
            "'noveltie'. .* 'novelty'.* gate.regression.margins",
        ),
        ({"gate": {"regression": {"margins": {"novelty": 25}}}}, "25 is more than its whole scale"),
        ({"gate": {"regression": {"margin": 20}}}, "gate.regression.margin: 20 is more than the widest"),
        ({"score": {"factors": ["core", "noveltie"]}}, "'noveltie'. .* 'novelty'.* score.factors"),
    ],
)
def test_mistakes_about_factors_are_named(tables: dict[str, Any], message: str) -> None:
    with pytest.raises(CommandError, match=message) as raised:
        check_rules(Configuration.model_validate(tables), own_scales())
    assert raised.value.code is Exit.USAGE


def test_good_rules_pass() -> None:
    good = {
        "rules": [{"factor": "overall", "mean": 3}, {"factor": "novelty", "share": 1, "at_or_above": 4}],
        "regression": {"factors": ["coherence", "overall"], "margins": {"coherence": 0.5}},
    }
    check_rules(Configuration.model_validate({"gate": good}), own_scales())


def test_factors_that_a_run_has_scores_of_are_known() -> None:
    ours = Configuration(gate=rule(factor="charm", mean=3))
    with pytest.raises(CommandError, match="charm"):
        check_rules(ours, own_scales())
    check_rules(ours, {**own_scales(), **run_scales(run("now", {"c": {"charm": 4}}))})
