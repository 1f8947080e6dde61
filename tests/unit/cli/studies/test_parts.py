"""Parts of studies against cases that are worked by hand."""

import csv
import hashlib
import io
import json
import zipfile
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import service
from service.cli.exits import CommandError
from service.cli.records import Record
from service.cli.studies import contexts, core, instruments, judgements, rankings, strategies, user_groups
from service.cli.studies.bundle import SUMS, verify
from service.cli.studies.conduct import EVALUATORS
from service.cli.studies.contexts import HumanContexts, HumanTurn, Replied
from service.cli.studies.functions import functions_of
from service.cli.studies.judgements import JudgeRun
from service.cli.studies.music_crs import MusicCRSPlan
from service.cli.studies.rankings import debate_roles, debate_rounds, token_tables, total_tokens
from service.cli.studies.report import Findings
from service.cli.studies.report import drawn as judge_sentence
from service.cli.studies.reviewers import held_out
from service.cli.studies.sessions import StudySession, dataset_of, ends
from service.cli.studies.study import StudyOptions, judge_fields, members
from service.cli.studies.user_groups import attribute_groups, grid_of
from service.cli.tabulating.formats import as_csv
from service.importing.entries import Entry
from service.scoring.mixture import Mixture
from service.statistics.bootstrap import Interval
from service.statistics.rows import StatRow
from tests.unit.cli.making import verdict


def session(name: str, system: str, user: str, seed: int = 0, dataset: str = "all") -> StudySession:
    said = [{"role": "user", "content": "Hi"}, {"role": "assistant", "content": "Hello"}]
    return StudySession(name, system, user, dataset, seed, {"id": name, "messages": said})


def judged(
    verdicts: dict[str, list[dict[str, Any]]], sessions: Sequence[StudySession], judge: str = "j"
) -> JudgeRun:
    records = {
        one.id: Record(
            one.id, one.system, "/score", one.id, {"verdicts": verdicts[one.id], "usage": {}}, None
        )
        for one in sessions
    }
    return JudgeRun(judge, {one.id: one for one in sessions}, records)


def debate(*rounds: tuple[int, ...]) -> dict[str, Any]:
    """A debate whose roles gave these scores."""
    usage = {"input_tokens": 10, "output_tokens": 2, "saved_tokens": 0}
    return {
        "overall": sum(rounds[-1]) / len(rounds[-1]),
        "rounds": [
            {
                "round": number,
                "statements": [
                    {"role": f"r{n}", "score": score, "usage": usage} for n, score in enumerate(scores)
                ],
                "all_agree": len(set(scores)) == 1,
                "major_agree": max(scores.count(one) for one in scores) * 4 >= 3 * len(scores),
            }
            for number, scores in enumerate(rounds, 1)
        ],
    }


def with_debates(*debates: dict[str, Any]) -> JudgeRun:
    sessions = [session(f"c{number}", "a", f"u{number}") for number in range(len(debates))]
    usage = {"input_tokens": 5, "output_tokens": 1, "saved_tokens": 0}
    found = judged({one.id: [verdict("coherence", 3, usage=usage)] for one in sessions}, sessions)
    for one, given in zip(sessions, debates, strict=True):
        answer = {**(found.records[one.id].answer or {}), "debate": given}
        found.records[one.id] = replace(found.records[one.id], answer=answer)
    return found


def test_a_debate_that_has_ended_keeps_its_last_round() -> None:
    early, late = debate((50, 50, 50, 50)), debate((10, 50, 50, 50), (10, 20, 50, 50), (50, 50, 50, 50))
    sheet, drawn = debate_rounds(with_debates(early, late), 4, stop=True)
    assert [row[0:2] for row in sheet.rows[:2]] == [["a", "all agree"], ["a", "major agree"]]
    assert [list(row[3:]) for row in sheet.rows[:2]] == [[0.5, 0.5, 1.0, 1.0], [1.0, 0.5, 1.0, 1.0]]
    assert list(sheet.rows[2]) == ["published: CHATCRS", "all agree", None, None, None, None, 0.5]
    assert "keeps its last round" in sheet.note
    assert drawn.startswith("<svg")
    assert "all rounds" in debate_rounds(with_debates(late), 3, stop=False)[0].note


def test_roles_are_averaged_over_the_last_round() -> None:
    sheet = debate_roles(with_debates(debate((0, 0), (10, 20)), debate((30, 50))))
    rows = {row["factor"]: row for row in csv.DictReader(io.StringIO(as_csv(sheet)))}
    assert {factor: float(row["mean"]) for factor, row in rows.items()} == {
        "r0": 20.0, "r1": 35.0, "mean of roles": (15 + 40) / 2,
    }  # fmt: skip


def test_tokens_of_a_round_are_those_of_all_roles() -> None:
    by_factor, sheet, by_role = token_tables([with_debates(debate((1, 2), (1, 1)))])
    assert [list(row) for row in by_factor.rows] == [["coherence", 6.0, 1761.9]]
    assert [list(row) for row in sheet.rows] == [["round 1", 24.0, 9152.62], ["round 2", 24.0, 11679.31]]
    assert [list(row) for row in by_role.rows] == [
        ["r0, round 1", 12.0], ["r0, round 2", 12.0], ["r1, round 1", 12.0], ["r1, round 2", 12.0]
    ]  # fmt: skip
    assert total_tokens({"input_tokens": 0, "output_tokens": 0, "saved_tokens": 7}) == 7


def drawn(factor: str, *scores: float) -> dict[str, Any]:
    return verdict(factor, sum(scores) / len(scores), samples={"scores": list(scores)})


def test_methods_name_the_parameters_that_the_operator_adds() -> None:
    added = {"code": "extra_parameters", "detail": "the operator adds parameters to each request: top_p=0.5"}
    found = judge_sentence("local:m", [verdict("x", 1, flags=[added], samples={"requested": 1})])
    assert found == "local:m was asked at temperature 0. Its requests carried top_p=0.5."


def test_the_spread_over_draws() -> None:
    sessions = [session("c0", "a", "u0"), session("c1", "a", "u1")]
    found = judged(
        {"c0": [drawn("x", 1, 3), drawn("y", 2, 4)], "c1": [drawn("x", 2, 2), drawn("y", 4, 2)]}, sessions
    )
    spread = instruments.of_draws(found, ["x", "y"])
    assert spread["x"] == pytest.approx((2**0.5 + 0) / 2)
    assert spread["y"] == pytest.approx(2**0.5)
    # Sums are 3 and 7 in the first, 6 and 4 in the second.
    assert spread[instruments.SUM] == pytest.approx((4 / 2**0.5 + 2 / 2**0.5) / 2)


def test_the_spread_over_seeds_is_pooled_within_users() -> None:
    sessions = [session(f"c{n}", "a", f"u{n // 2}", n % 2) for n in range(4)]
    scores = (0, 2, 4, 4)  # variances 2 and 0
    found = judged({f"c{n}": [verdict("x", score)] for n, score in enumerate(scores)}, sessions)
    assert instruments.of_seeds(found) == {"x": pytest.approx(1.0)}


def test_the_seeds_spread_without_the_judges() -> None:
    sessions = [session(f"c{n}", "a", "u0", n) for n in range(2)]
    # Means 1 and 4: variance 4.5 over seeds. Draws vary by 2 and by 8, their means by 1 and by 4: 2.5 on average.
    found = judged({"c0": [drawn("x", 0, 2)], "c1": [drawn("x", 2, 6)]}, sessions)
    assert instruments.of_seeds_alone(found) == {"x": pytest.approx(2**0.5)}
    noise = judged({"c0": [drawn("x", 0, 4)], "c1": [drawn("x", 1, 4)]}, sessions)
    assert instruments.of_seeds_alone(noise) == {"x": 0.0}
    assert (
        instruments.of_seeds_alone(judged({"c0": [verdict("x", 1)], "c1": [verdict("x", 3)]}, sessions)) == {}
    )
    assert [list(row) for row in instruments.over_seeds(found, ["x"]).rows] == [
        ["x", pytest.approx(4.5**0.5), pytest.approx(2**0.5), pytest.approx((2**0.5 + 8**0.5) / 2)]
    ]


def with_means(judge: str, factors: dict[str, Sequence[int]]) -> JudgeRun:
    """Systems whose scores are these and one more, of two users."""
    count = len(next(iter(factors.values())))
    sessions = [session(f"s{n}-{user}", f"s{n}", f"u{user}") for n in range(count) for user in range(2)]
    verdicts = {
        f"s{n}-{user}": [verdict(factor, values[n] + user) for factor, values in factors.items()]
        for n in range(count)
        for user in range(2)
    }
    return judged(verdicts, sessions, judge)


def test_rankings_of_systems_have_intervals() -> None:
    one = with_means("j", {"x": (0, 1, 2), "y": (2, 1, 0), "z": (1, 1, 1)})
    rows = {tuple(row[:2]): list(row[2:]) for row in rankings.ranks_of_factors(one, ["x", "y", "z"]).rows}
    assert rows["x", "y"] == [3, -1.0, -1.0, -1.0]
    assert rows["x", "z"] == [3, None, None, None]
    other = with_means("k", {"x": (1, 0, 2), "y": (2, 1, 0)})
    by_judge = {row[0]: list(row[1:5]) for row in rankings.ranks_of_judges([one, other]).rows}
    assert by_judge["x"] == ["j", "k", 3, pytest.approx(1 / 3)]  # one of three pairs is turned round
    assert by_judge["y"] == ["j", "k", 3, pytest.approx(1)]


def test_a_pair_of_two_dialogues_is_drawn_with_both() -> None:
    known = [((f"d{n}", f"d{n + 1}"), float(n % 2), float(n % 2)) for n in range(8)]
    assert strategies._agreement("all agree", known) == ["all agree", 8, 1.0, 1.0, 1.0, 1.0]
    wrong = [*known, *((pair, 1 - first, second) for pair, first, second in known[:4])]
    _, n, accuracy, kappa, low, high = strategies._agreement("some do not", wrong)
    assert (n, accuracy, kappa) == (12, pytest.approx(2 / 3), pytest.approx(1 / 3))
    assert -1 <= low < kappa < high <= 1
    assert strategies._agreement("none", []) == ["none", 0, None, None, None, None]


def test_the_mixture_takes_each_factor_from_its_best_judge() -> None:
    rows = [
        StatRow("quadratic_weighted_kappa", value, factor=factor, rater=rater)
        for factor, rater, value in (
            ("x", "j", 0.2),
            ("x", "k", 0.6),
            ("y", "j", 0.1),
            ("y", "k", None),
            ("z", "j", 0.9),
        )
    ]
    best = core.best_judges(rows, ["x", "y"])
    assert best == {"x": "k", "y": "j"}
    sessions = [session("c0", "a", "u0")]
    by_j = judged({"c0": [verdict("x", 0), verdict("y", 1)]}, sessions, "j")
    by_k = judged({"c0": [verdict("x", 4), verdict("y", 3)]}, sessions, "k")
    (sheet,) = core.mixtures([by_j, by_k], best)
    assert [row[:2] for row in sheet.rows] == [["x", "4.00"], ["y", "1.00"]]


def test_labels_that_cannot_be_compared_are_refused() -> None:
    known = [session("a/u/0", "a", "u")]
    label = {"conversation": "a/u/0", "factor": "overall", "rater": "people", "score": 70}
    with pytest.raises(CommandError, match="the mean of all human raters"):
        judgements.with_people([], judgements.people([label], known))
    for wrong in (
        {"score": float("nan")},
        {"score": 101},
        {"score": True},
        {"factor": "coherence"},
        {"factor": "coherance"},
    ):
        with pytest.raises(CommandError, match=r"--labels: .*(of 0 to|there is no factor)"):
            judgements.people([{**label, **wrong}], known)


def test_kappas_stand_beside_the_published_ones() -> None:
    interval = Interval(0.1, 0.7)
    rows = [StatRow("quadratic_weighted_kappa", 0.5, n=12, interval=interval, factor="novelty", rater="j")]
    sheet = core.kappas(rows, ["j"], ["novelty", "coherence"])
    assert list(sheet.rows[0]) == ["novelty", 12, 0.5, 0.1, 0.7, 0.198, "0.350 (Qwen-3-32B)"]
    assert list(sheet.rows[1]) == ["coherence", 0, None, None, None, 0.592, "0.691 (Qwen-3-32B)"]
    assert "arXiv:2501.09493, table 22" in sheet.source


def test_sessions_are_counted_by_their_ends() -> None:
    replies = [{"role": "assistant", "content": "x"}] * 3
    answers = [
        ("a", {"outcome": "found", "log": {"messages": replies}}),
        ("a", {"outcome": "turn_limit", "log": {"messages": replies[:1]}}),
        ("b", None),
    ]
    sheet = ends(
        [
            Record(str(n), system, "/simulate", str(n), answer, {})
            for n, (system, answer) in enumerate(answers)
        ]
    )
    assert list(sheet.columns) == ["system", "sessions", "mean replies", "found", "no answer", "turn_limit"]
    assert [list(row) for row in sheet.rows] == [["a", 2, 2.0, 1, 0, 1], ["b", 1, None, 0, 1, 0]]


def test_groups_of_users_weigh_alike_in_the_spread() -> None:
    moods = ("Trust", "trust", "trust", "bored", None)
    shares = []
    for number, (mood, accepted) in enumerate(zip(moods, (1.0, 1.0, 0.0, 0.0, 1.0), strict=True)):
        one = session(f"c{number}", "a", f"u{number}")
        one.log["user"] = {"persona": mood}
        shares.append((one, {"acceptance rate": accepted}))
    rows = {tuple(row[:2]): row[2] for row in user_groups.spread(shares, "persona").rows}
    assert rows["acceptance rate", "mean"] == pytest.approx((200 / 3 + 0) / 2)
    assert rows["acceptance rate", "standard deviation"] == pytest.approx(100 / 3)
    assert rows["SR@10, text", "mean"] is None
    found = user_groups.success_by(shares, "persona").summary
    assert found is not None
    assert found.cells["a", "trust, acceptance rate"].mean == pytest.approx(200 / 3)
    assert found.cells["a", "none, acceptance rate"].mean == 100


def test_datasets_are_named_by_metadata_then_by_domain() -> None:
    assert dataset_of({"metadata": {"dataset": "mine"}, "domain": "movie"}) == "mine"
    assert dataset_of({"domain": "movie"}) == "movie"
    assert dataset_of({}) == "all"


def item(*genres: str) -> dict[str, Any]:
    return {"title": "x", "attributes": {"genre": list(genres)}}


def test_the_grid_takes_the_most_frequent_whole_sets() -> None:
    items = [
        item("b", "a"), item("a", "b"), item("a", "b", "c"), item("c", "d"), item("c", "d"), item("a", "c"), item("a"), {}
    ]  # fmt: skip
    assert attribute_groups(items, 3, (2,), "genre") == [("a", "b"), ("c", "d"), ("a", "c")]
    assert attribute_groups(items, 4, (2, 3), "genre")[2:] == [("a", "b", "c"), ("a", "c")]
    with pytest.raises(CommandError, match="has 3 sets of 2 values"):
        attribute_groups(items, 4, (2,), "genre")


def test_the_grid_takes_personas_of_the_callers_own(tmp_path: Path) -> None:
    films = tmp_path / "films.jsonl"
    films.write_text(json.dumps(item("a", "b")) + "\n")
    own = [{"persona": "Trust"}, {"persona": "haste", "description": "You are in a hurry."}]
    users = grid_of(str(films), 1, (2,), "genre", own)
    assert len(users) == 8
    assert users[0].log["user"] == {"persona": "Trust", "age_group": "children", "attributes": ["a", "b"]}
    assert users[-1].log["user"]["persona_description"] == "You are in a hurry."
    with pytest.raises(CommandError, match="'haste' is none of"):
        grid_of(str(films), 1, (2,), "genre", [{"persona": "haste"}])


@pytest.mark.parametrize("change", [{"rating": True}, {"held_out": "no"}, {"item": "B"}])
def test_reviews_that_could_mislead_are_refused(change: dict[str, Any]) -> None:
    reviews = [{"item": name, "rating": 3, "text": ""} for name in "ABC"]
    assert held_out(Entry("reviews.jsonl:1", {"reviews": reviews}), 0).targets
    with pytest.raises(CommandError, match="reviews"):
        held_out(Entry("reviews.jsonl:1", {"reviews": [{**reviews[0], **change}, *reviews[1:]]}), 0)


@pytest.mark.parametrize("target", ["json:__doc__", "json:nothing", "no.such:reply", "broken:reply"])
def test_a_recommender_that_is_no_function_is_refused(
    target: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "broken.py").write_text("def reply(:\n")
    with pytest.raises(CommandError, match="--crs "):
        functions_of([f"own=python:{target}"])


def test_what_a_run_depends_on_is_there() -> None:
    assert [name for name in EVALUATORS if not (Path(service.__file__).parent / name).is_dir()] == []


@pytest.mark.parametrize("names", [["a b=x", "a_b=x"], ["a=x", "a=y"], ["=x"]])
def test_systems_whose_files_would_be_one_are_refused(names: list[str]) -> None:
    with pytest.raises(CommandError, match="a name of its own"):
        _ = StudyOptions(out=Path("run"), crs=names).systems


def choice(
    first: str = "a", second: str = "b", preferred: Any = "first", rater: str = "ann"
) -> dict[str, Any]:
    return {"context": "c/1", "first": first, "second": second, "preferred": preferred, "rater": rater}


def test_preferences_of_one_pair_are_of_one_unit() -> None:
    place = HumanTurn("c/1", "c", (), {}, 1, "Hi.", None)
    replies = {(system, "c/1"): Replied("Hi there.", None, None) for system in "ab"}
    material = HumanContexts({}, [place], replies, "ab", {})
    for wrong in (choice(preferred=["first"]), choice(second="a"), choice("b", "a")):
        with pytest.raises(CommandError, match="--preferences: "):
            contexts.tabulate_preferences(Findings(), material, [], [choice(), wrong])
    findings = Findings()
    contexts.tabulate_preferences(findings, material, [], [choice(), choice("b", "a", "second", "bob")])
    kappas = findings.sheets[0]
    assert {row[1] for row in kappas.rows[:-1]} == {1}


@pytest.mark.parametrize("parts", [{}, {"study.json": b"{}"}, {"study.json": b"no JSON"}])
def test_a_bundle_of_something_else_is_refused(tmp_path: Path, parts: dict[str, bytes]) -> None:
    with zipfile.ZipFile(tmp_path / "b.zip", "w") as file:
        for name, content in parts.items():
            file.writestr(name, content)
        sums = [f"{hashlib.sha256(content).hexdigest()}  {name}\n" for name, content in parts.items()]
        file.writestr(SUMS, "".join(sums))
    with pytest.raises(CommandError, match="contains no run of a known study"):
        verify(tmp_path / "b.zip")


def test_a_part_that_nobody_packed_is_not_unpacked(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "b.zip", "w") as file:
        file.writestr("more.json", "{}")
    with pytest.raises(CommandError, match=r"more\.json was changed after packing"):
        verify(tmp_path / "b.zip")
    (tmp_path / "b.zip").write_text("text")
    with pytest.raises(CommandError, match="not a bundle of a study"):
        verify(tmp_path / "b.zip")


def test_panels_and_mixtures_are_judges_of_a_study() -> None:
    given = StudyOptions(out=Path("run"), judge=["builtin"], panel=["a:x", "b:y"], mixture=Mixture.CORE)
    assert given.judges == ["builtin", "a:x + b:y", "mixture:core"]
    assert [judge_fields(one) for one in given.judges] == [
        {"judge": "builtin"}, {"panel": ["a:x", "b:y"]}, {"mixture": "core", "judge": "openai:gpt-4o-mini"}
    ]  # fmt: skip
    assert members(given.judges)[:4] == ["builtin", "a:x", "b:y", "openai:gpt-4o-mini"]


TURN = {"turn_number": 1, "role": "music", "content": "x"}
TALK = {"session_id": "a", "conversations": [TURN]}
PREDICTED = {"session_id": "a", "turn_number": 1, "predicted_track_ids": ["x"]}


@pytest.mark.parametrize(
    ("talks", "predicted", "said"),
    [
        ([TALK], [PREDICTED, {**PREDICTED, "turn_number": "1"}], "--predictions|--sessions"),
        ([TALK], [{**PREDICTED, "predicted_track_ids": [1]}], "--predictions|--sessions"),
        ([TALK], [{**PREDICTED, "predicted_track_ids": ["x", "x"]}], "--predictions|--sessions"),
        ([TALK], [{**PREDICTED, "predicted_response": 5}], "--predictions|--sessions"),
        ([TALK], [], "--predictions|--sessions"),
        ([TALK] * 2, [PREDICTED], "--predictions|--sessions"),
        ([], [PREDICTED], "--predictions|--sessions"),
        ([{"conversations": [TURN]}], [PREDICTED], "not in the challenge's form"),
        ([{**TALK, "conversations": None}], [PREDICTED], "not in the challenge's form"),
    ],
)
def test_predictions_are_one_list_a_turn(
    talks: list[dict[str, Any]], predicted: list[dict[str, Any]], said: str
) -> None:
    plan = MusicCRSPlan(systems=["s"], judges=[], sessions=talks, predictions={"s": predicted})
    with pytest.raises(CommandError, match=said):
        plan.check()
