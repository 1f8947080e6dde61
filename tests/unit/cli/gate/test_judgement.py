"""Every verdict of the gate, from scores made for it."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import pytest

from service.cli.configuration import GateSettings
from service.cli.exits import CommandError, Exit
from service.cli.gate.judgement import judge, judge_alone
from service.cli.gate.notifications import headline
from service.cli.gate.results import GateJudgement, RuleState, stopped, worst_cases
from service.cli.scores import Run
from tests.factories import known
from tests.unit.cli.making import Outcome, record, run

N = 60


def uniform(name: str, outcomes: Mapping[str, Outcome], n: int = N, **more: Any) -> Run:
    """The same outcomes for every conversation."""
    return run(name, {f"c{i}": outcomes for i in range(n)}, **more)


def some(name: str, share: float, low: float, high: float = 4.0, n: int = N) -> Run:
    """Coherence is `low` in a share of the conversations, spread over the run, and `high` elsewhere."""
    step = round(1 / share) if share else n + 1
    return run(name, {f"c{i}": {"coherence": low if i % step == 0 else high} for i in range(n)})


def states(judgement: GateJudgement) -> dict[str, RuleState]:
    return {result.factor: result.state for result in judgement.results}


def rules(*rules: dict[str, Any], **more: Any) -> GateSettings:
    return GateSettings.model_validate({"rules": rules, **more})


def case_of(result: Any) -> Any:
    """Return the first conversation that a result names."""
    return result.worst[0]


@pytest.mark.parametrize(
    ("low_share", "state"),
    [(0.0, RuleState.PASS), (0.2, RuleState.PASS), (0.25, RuleState.INCONCLUSIVE), (1.0, RuleState.FAIL)],
)
def test_a_least_mean(low_share: float, state: RuleState) -> None:
    # 0 in a fifth of the conversations leaves 3.2; in a quarter 3.0, under the bar by less than chance explains.
    judgement = judge(some("r", low_share, 0.0), None, rules({"factor": "coherence", "mean": 3.1}))
    assert judgement.state is state
    assert bool(judgement.results[0].worst) is (state is not RuleState.PASS)


def test_a_least_share() -> None:
    rule = {"factor": "coherence", "share": 0.95, "at_or_above": 3}
    assert judge(some("r", 0.5, 1.0), None, rules(rule)).state is RuleState.FAIL
    assert judge(some("r", 0.0, 1.0), None, rules(rule)).state is RuleState.PASS


@pytest.mark.parametrize(
    ("outcomes", "bar", "state", "detail"),
    [
        ([0] * 20, 1, RuleState.INCONCLUSIVE, "n = 20, but 30 are needed"),
        (["timeout", 4, 4, 4, 4] * 12, 3, RuleState.ERROR, "12 of 60 verdicts"),
        (["timeout", *[4] * 59], 4, RuleState.PASS, ""),
        (["cache_miss"] * N, 3, RuleState.INCONCLUSIVE, ""),
        ([4, None] * N, 3, RuleState.INCONCLUSIVE, "60 of 120"),
    ],
    ids=["too few", "failures", "one failure", "not in the cache", "low coverage"],
)
def test_gaps_and_failures_are_no_zeros(
    outcomes: list[Outcome], bar: float, state: RuleState, detail: str
) -> None:
    given = run("r", {f"c{i}": {"coherence": outcome} for i, outcome in enumerate(outcomes)})
    judgement = judge(given, None, rules({"factor": "coherence", "mean": bar}))
    assert judgement.state is state
    assert detail in judgement.results[0].detail


@pytest.mark.parametrize(
    ("share", "low", "state"),
    [
        (0.0, 0.0, RuleState.PASS),  # nothing lost
        (0.05, 2.0, RuleState.PASS),  # 0.1 lost, within the margin
        (0.5, 2.0, RuleState.FAIL),  # 1.0 lost
        (0.05, 0.0, RuleState.PASS),  # 0.2 lost, at the margin
        (1 / 15, 0.0, RuleState.INCONCLUSIVE),  # 0.27 lost, in four conversations
    ],
)
def test_regressions(share: float, low: float, state: RuleState) -> None:
    judgement = judge(some("now", share, low), some("before", 0, 4), GateSettings(alpha=0.01))
    assert states(judgement)["coherence"] is state


def test_a_real_loss_within_the_margin_says_how_much_is_allowed() -> None:
    lenient = GateSettings.model_validate({"regression": {"margin": 2}})
    [found, *_] = judge(some("now", 0.5, 2.0), some("before", 0, 4), lenient).results
    assert found.state is RuleState.PASS
    assert found.detail.endswith("; a small but real loss: 1 of the allowed 2")


def test_a_blind_gate_says_so() -> None:
    noisy = [{f"c{i}": {"coherence": float((i * k) % 5)} for i in range(N)} for k in (1, 2)]
    seeing = GateSettings.model_validate({"regression": {"factors": ["coherence"]}})
    blind = GateSettings.model_validate({"regression": {"factors": ["coherence"], "largest_blind_drop": 0.3}})
    before, now = (run(name, scores) for name, scores in zip(("before", "now"), noisy, strict=True))
    assert judge(now, before, seeing).state is RuleState.PASS
    judgement = judge(now, before, blind)
    assert judgement.state is RuleState.INCONCLUSIVE
    assert f"smallest visible drop {judgement.results[0].visible:.2f}" in judgement.results[0].detail


def test_a_factor_that_went_missing_is_not_skipped() -> None:
    before = uniform("before", {"coherence": 4, "explainability": 3})
    now = uniform("now", {"coherence": 4, "explainability": None})
    judgement = judge(now, before, GateSettings())
    assert judgement.state is RuleState.FAIL
    assert states(judge(before, now, GateSettings()))["explainability"] is RuleState.SKIPPED
    lenient = GateSettings.model_validate({"regression": {"vanished": "inconclusive"}})
    assert states(judge(now, before, lenient))["explainability"] is RuleState.INCONCLUSIVE
    third = run("now", {f"c{i}": {"coherence": 4, "explainability": 3 if i % 3 else None} for i in range(N)})
    assert states(judge(third, before, GateSettings()))["explainability"] is RuleState.INCONCLUSIVE


@pytest.mark.parametrize(
    ("kept", "state"), [(40, RuleState.FAIL), (56, RuleState.FAIL), (57, RuleState.PASS)]
)
def test_a_candidate_that_crashed_fails(kept: int, state: RuleState) -> None:
    before, now = uniform("before", {"coherence": 4}), uniform("now", {"coherence": 4}, n=kept)
    judgement = judge(now, before, GateSettings())
    assert judgement.state is state
    assert len(judgement.notes) == 1
    assert all(f"c{i}" in judgement.notes[0] for i in range(kept, min(kept + 3, 60)))
    assert judge(now, before, GateSettings(maximum_missing=0.5)).state is (
        RuleState.PASS if kept > 40 else RuleState.INCONCLUSIVE
    )


def test_the_cases_of_mean_name_what_fell_and_not_what_is_lowest() -> None:
    before = uniform("before", {"coherence": 4, "novelty": 1})
    now = uniform("now", {"coherence": 2, "novelty": 1})
    mean = next(r for r in judge(now, before, GateSettings()).results if r.factor == "mean")
    assert mean.state is RuleState.FAIL
    assert case_of(mean).json["rationale"] == "coherence fell most, from 4 to 2. because of coherence"
    fine = worst_cases(now, now, "overall", {"c0": 3.0}, {"c0": 4.0})
    assert [case.text for case in fine] == ["4.00 before, 3.00 now. No single factor fell much."]
    alone = judge(now, None, rules({"factor": "mean", "mean": 3})).results[0]
    assert case_of(alone).json["rationale"] == "novelty is lowest with 1. because of novelty"


def test_mean_rests_on_what_both_have() -> None:
    before = uniform("before", {"coherence": 4, "novelty": 1})
    now = uniform("now", {"coherence": 4, "novelty": None})
    mean = next(r for r in judge(now, before, GateSettings()).results if r.factor == "mean")
    assert known(mean.difference).loss == 0


def test_other_keys_are_refused_and_told_apart() -> None:
    before = uniform("before", {"coherence": 4}, key="old", revision="bbbbbbbbbbbb")
    with pytest.raises(CommandError, match="crs-eval score") as raised:
        judge(uniform("now", {"coherence": 4}, key="new"), before, GateSettings())
    assert raised.value.code is Exit.INCONCLUSIVE
    assert "coherence: evaluator revisions bbbbbbbbbbbb and aaaaaaaaaaaa" in str(raised.value)
    mixed = Run("now", [*before.records[:20], *uniform("now", {"coherence": 4}, key="new").records[20:]])
    with pytest.raises(CommandError, match=r"40 of 60 .* under old, now under new"):
        judge(mixed, before, GateSettings())


@pytest.mark.parametrize(
    "rule", [{"factor": "novelty", "mean": 3}, {"fault": "only-obvious", "maximum": 0.1}]
)
def test_a_rule_on_what_was_not_judged_names_the_factor(rule: dict[str, Any]) -> None:
    (result,) = judge(uniform("now", {"coherence": 4}), None, rules(rule)).results
    assert result.state is RuleState.INCONCLUSIVE
    assert "now was not judged on novelty" in result.detail


def test_a_mean_at_its_limit_and_a_loss_of_the_margin_pass() -> None:
    before, now = (uniform(name, {"coherence": score}) for name, score in (("before", 3.5), ("now", 3.3)))
    assert (
        states(judge(now, before, rules({"factor": "coherence", "mean": 3.3})))["coherence"] is RuleState.PASS
    )


def test_a_limit_that_needs_a_baseline_says_so() -> None:
    now = uniform("now", {"coherence": 4})
    rule = {"factor": "coherence", "mean": 3}
    assert judge(now, None, rules(rule)).notes == ()
    assert "maximum_new" in judge(now, None, rules(rule, maximum_new=0)).notes[0]


def test_a_loss_that_two_decimals_do_not_show_is_no_case() -> None:
    before, now = (run(name, {"c": {"coherence": score}}) for name, score in (("b", 3.874), ("n", 3.866)))
    scores = [one.factors["coherence"].scores for one in (now, before)]
    assert not worst_cases(now, before, "coherence", *scores)


def test_a_copy_of_the_baseline_is_found_out() -> None:
    before, now = (
        Run(name, [replace(one, digest=one.request) for one in uniform(name, {"coherence": 4}).records])
        for name in ("before", "copy")
    )
    assert "same conversations" in headline(judge(now, before, GateSettings()))
    other = Run("now", [replace(one, digest=f"new {one.digest}") for one in now.records])
    assert "same conversations" not in headline(judge(other, before, GateSettings()))


@pytest.mark.parametrize(
    ("code", "bar", "end"),
    [
        (Exit.INCONCLUSIVE, 2, Exit.INCONCLUSIVE),
        (Exit.INCONCLUSIVE, 4, Exit.FAIL),  # a certain failure stays one
        (Exit.FAILED, 2, Exit.FAILED),
        (Exit.FAILED, 4, Exit.FAIL),
        (Exit.USAGE, 4, Exit.USAGE),  # nothing counts that was asked wrongly
    ],
)
def test_a_gate_that_had_to_stop_ends_as_the_gravest_says(code: Exit, bar: float, end: Exit) -> None:
    now = uniform("now", {"coherence": 3})
    judgement = stopped(
        CommandError("why", code), judge_alone(now, rules({"factor": "coherence", "mean": bar})), now
    )
    assert judgement.exit is end
    assert judgement.results[-1].detail == "why"


def test_what_is_in_one_run_only_is_left_out_and_said() -> None:
    judgement = judge(
        uniform("now", {"coherence": 4}, n=70), uniform("before", {"coherence": 4}), GateSettings()
    )
    assert judgement.state is RuleState.PASS
    assert len(judgement.notes) == 1
    assert "10 conversations" in judgement.notes[0]


def test_a_fall_of_belonging_names_the_reply_that_fell_most() -> None:
    def of_turns(name: str, share: float, scores: Sequence[float]) -> Run:
        turns = [{"message": 2 * at + 1, "score": score} for at, score in enumerate(scores)]
        evidence = [{"message": 3, "quote": "Your parcel left.", "effect": -1}]
        outcomes = {f"c{i}": {"coherence": 4.0} for i in range(N)}
        return run(name, outcomes, counts={"belonging": share}, turns=turns, evidence=evidence)

    def case_text(before: Sequence[float], now: Sequence[float]) -> str:
        judgement = judge(of_turns("now", 0.6, now), of_turns("before", 0.7, before), GateSettings())
        found = next(result for result in judgement.results if result.factor == "belonging")
        return str(case_of(found).text)

    assert "Message 3 fell most, from 3.50 to 2.00: “Your parcel left.”" in case_text((2, 3.5), (1, 2))
    assert "Message 1 fell most, from 4.00 to 3.00." in case_text((4, 3.5), (3, 3.5))
    assert "Message 3 is lowest with 1.00" in case_text((2,), (2, 1))
    assert case_text((3, 3), (3, 3)).endswith("now. No single reply stands out.")


def talking(name: str, silent: int, shares: Sequence[float | None], **more: Any) -> Run:
    """A run of steady coherence: the first `silent` conversations have no reply, and each has its share of answered requests."""
    records = [
        replace(
            record(f"c{i}", {"coherence": None if i < silent else 4}, **more),
            replies=0 if i < silent else 2,
            answered=share,
        )
        for i, share in enumerate(shares)
    ]
    return Run(name, records)


def test_conversations_without_a_reply_are_missing() -> None:
    before = talking("before", 0, [None] * N)
    judgement = judge(talking("now", 4, [None] * N), before, GateSettings())
    assert states(judgement)["conversations"] is RuleState.FAIL
    fewer = judge(talking("now", 3, [None] * N), before, GateSettings())
    assert "conversations" not in states(fewer)
    assert any("c0, c1, c2" in note for note in fewer.notes)
    mute = judge(talking("now", 4, [None] * N), talking("before", 4, [None] * N), GateSettings())
    assert "conversations" not in states(mute)


@pytest.mark.parametrize(
    ("share", "state"),
    [(1.0, RuleState.PASS), (0.98, RuleState.PASS), (0.9, RuleState.FAIL), (0.0, RuleState.FAIL)],
)
def test_requests_without_a_reply_count_whatever_is_named(share: float, state: RuleState) -> None:
    before, now = talking("before", 0, [1.0] * N), talking("now", 0, [share] * N)
    for gate in (GateSettings(), GateSettings.model_validate({"regression": {"factors": ["coherence"]}})):
        assert states(judge(now, before, gate)) == {"coherence": RuleState.PASS, "answered": state}
    assert judge(now, None, rules({"factor": "answered", "mean": 0.97})).state is state


def test_a_loss_of_scores_decides_nothing_at_any_coverage() -> None:
    before = uniform("before", {"coherence": 4, "naturalness": 3})
    thinner = {f"c{i}": {"coherence": 4, "naturalness": 3 if i >= 8 else None} for i in range(N)}
    found = states(judge(run("now", thinner), before, GateSettings()))
    assert (found["coherence"], found["naturalness"]) == (RuleState.PASS, RuleState.INCONCLUSIVE)
    worse = {f"c{i}": {"coherence": 4, "naturalness": 1 if i >= 8 else None} for i in range(N)}
    assert states(judge(run("now", worse), before, GateSettings()))["naturalness"] is RuleState.FAIL
    reason = {"code": "no_occasion", "detail": "", "missing": []}
    assert (
        states(judge(run("now", thinner, reason=reason), before, GateSettings()))["naturalness"]
        is RuleState.PASS
    )


def repeats(name: str, scores: Sequence[Sequence[float]]) -> Run:
    """A run in which each situation was held as often as it has scores."""
    records = [record(f"c{i}", {"coherence": score}) for i, held in enumerate(scores) for score in held]
    return Run(name, records)


def test_repeats_of_a_situation_count_as_their_mean() -> None:
    before = repeats("before", [(4, 2)] * N)
    (result,) = judge(repeats("now", [(3, 3, 3)] * N), before, GateSettings()).results
    assert result.state is RuleState.PASS
    assert (known(result.difference).n, known(result.difference).loss) == (N, 0)
    failed = judge(repeats("now", [(4, 0)] * N), before, GateSettings())
    assert failed.state is RuleState.FAIL
    assert known(failed.results[0].difference).loss == 1


def test_repeats_have_a_pass_rate_for_each_situation() -> None:
    half = repeats("now", [(4, 0)] * N)
    for share, state in ((0.5, RuleState.PASS), (0.6, RuleState.FAIL)):
        rule = {"factor": "coherence", "share": share, "at_or_above": 3}
        assert judge(half, None, rules(rule)).state is state
        assert judge(half, None, rules({**rule, "factor": "mean"})).state is state
