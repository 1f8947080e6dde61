"""Studies as people run them: one command, the example recommender, a local provider; killed, and taken up again."""

import asyncio
import csv
import hashlib
import json
import math
import os
import random
import signal
import subprocess
import time
import zipfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

import service
from service.cli.exits import CommandError
from service.cli.studies.command import app
from service.cli.studies.study import file_name
from service.domain.rubric import Protocol
from service.factors import load_factors
from tests import forked
from tests.forked import crs_eval, environment, exits
from tests.integration.concept_by_hand import by_hand, read
from tests.patience import PATIENCE
from tests.provider.behaviours import Answer, Latency, Payload
from tests.provider.server import ProviderServer
from tools.example_crs import running_crs
from tools.service_process import ROOT

pytestmark = pytest.mark.slow
FILMS = ROOT / "examples" / "crs" / "films.jsonl"
Command = tuple[str | Path, ...]
AT_ONCE = 48
"""Calls that a study which is killed has under way at most."""
KILLS = int(os.environ.get("STUDY_KILLS", "5"))
"""Over all studies; `make kill-studies` kills 20 and 200 times."""


def study(*arguments: str | Path, cwd: Path, **more: str) -> "subprocess.CompletedProcess[str]":
    """A study's end."""
    return crs_eval("study", *arguments, cwd=cwd, **more)


def table_of(out: Path, name: str) -> list[dict[str, str]]:
    with (out / "tables" / f"{name}.csv").open(newline="") as lines:
        return list(csv.DictReader(lines))


def write_lines(path: Path, values: Iterable[Mapping[str, Any]]) -> None:
    path.write_text("".join(json.dumps(value) + "\n" for value in values))


def tables(folder: Path) -> Mapping[str, bytes]:
    """All that must be the same however often a run was stopped."""
    made = [
        *sorted((folder / "tables").iterdir()),
        *sorted((folder / "figures").iterdir()),
        folder / "report.html",
    ]
    return {str(path.relative_to(folder)): path.read_bytes() for path in made}


@pytest.fixture(scope="module")
def recommenders() -> Iterator[Sequence[str]]:
    with running_crs() as good, running_crs(["never-asks", "invents-items"]) as weak:
        yield "--crs", f"good={good}/reply", "--crs", f"weak={weak}/reply"


@pytest.fixture(scope="module")
def provider() -> Iterator[ProviderServer]:
    with ProviderServer(latency=Latency(0.01)) as server:
        yield server


@pytest.fixture(autouse=True)
def forgotten(provider: ProviderServer) -> None:
    begin_anew(provider)


def begin_anew(provider: ProviderServer) -> None:
    """Forget what was asked. Every answer can be read: others are not kept, and are asked for again after a stop."""
    provider.reset()
    provider.latency = Latency(0.01)
    provider.default = _readable


def _readable(payload: Payload) -> Answer:
    schema = (payload.get("response_format") or {}).get("json_schema", {}).get("schema", {})
    fields = set(schema.get("properties", {}))
    if "satisfaction" in fields:
        return Answer('{"feelings": "It was fine.", "satisfaction": 4}')
    if fields == {"number"}:
        return Answer('{"number": 1}')
    if fields == {"replies"}:
        count = payload["messages"][-1]["content"].count("[reply ")
        label = {"reason": "It does.", "second": None}
        strategies = ("opinion_inquiry", "credibility")
        replies = [{"reply": at, "strategy": strategies[at % 2], **label} for at in range(1, count + 1)]
        return Answer(json.dumps({"replies": replies}))
    return Answer(None)


@pytest.fixture(scope="module")
def users(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Four users of two datasets, each with a film in mind."""
    path = tmp_path_factory.mktemp("users") / "users.jsonl"
    films = [json.loads(line) for line in FILMS.read_text().splitlines()]
    logs = [
        {"id": f"u{number}", "domain": "movie", "ground_truth": [films[number * 3]["id"]], "messages": [],
         "metadata": {"dataset": ("old", "new")[number % 2]}}
        for number in range(4)
    ]  # fmt: skip
    write_lines(path, logs)
    moods = [
        {"id": f"{mood}-{age}", "domain": "movie", "messages": [],
         "user": {"persona": mood, "age_group": age, "attributes": list(wishes)}}
        for mood, age, wishes in (
            ("curiosity", "adults", ("drama", "mystery")),
            ("boredom", "children", ("comedy", "romance")),
            ("trust", "adults", ("comedy", "romance")),
        )
    ]  # fmt: skip
    write_lines(path.with_name("moods.jsonl"), moods)
    # A word that no table has in other words: the model is asked for some.
    playful = {**moods[-1], "id": "trust-playful", "user": {"persona": "trust", "attributes": ["playful"]}}
    path.with_name("playful.jsonl").write_text(json.dumps(playful) + "\n")
    write_reviews(path.with_name("reviews.jsonl"), films)
    write_humans(path.with_name("humans.jsonl"), films)
    return path


def write_reviews(path: Path, films: Sequence[Mapping[str, Any]]) -> None:
    """Two users, each with ten films on a scale of 2 to 5."""
    users = []
    for user in range(2):
        reviews = [
            {"item": film["title"], "rating": 2 + (place * 7 + user) % 4,
             "text": f"What stays with me is how {film['attributes']['mood'][0]} it is."}
            for place, film in enumerate(films[user * 10 : user * 10 + 10])
        ]  # fmt: skip
        users.append({"id": f"r{user}", "domain": "movie", "reviews": reviews})
    write_lines(path, users)


def write_humans(path: Path, films: Sequence[Mapping[str, Any]]) -> None:
    """Twelve conversations with a person who recommends, each reply labelled."""
    said = [
        ("offer_help", "Hello! I can find you a film."),
        ("opinion_inquiry", "What did you like about the last one?"),
        ("credibility", "It won a prize for its music."),
    ]
    logs = []
    for number in range(12):
        messages: list[dict[str, Any]] = []
        for turn, (strategy, text) in enumerate(said):
            asked = f"I would like something {('quiet', 'funny', 'old')[turn]}, {number}."
            content = f"{text} {'Really! ' * number}".strip()
            shown = {"recommendations": [films[number]["id"]]} if turn == 2 else {}
            reply = {"role": "assistant", "content": content, "metadata": {"strategy": strategy}, **shown}
            messages += [{"role": "user", "content": asked}, reply]
        wanted = {"domain": "movie", "ground_truth": [films[number]["id"]]}
        logs.append({"id": f"h{number}", **wanted, "messages": messages})
    write_lines(path, logs)


@dataclass(frozen=True)
class Plan:
    """A study with models, as a command without its folder."""

    name: str
    arguments: Sequence[str | Path]


def plans(users: Path) -> Sequence[Plan]:
    models = ("--judge", "local:m", "--judge", "builtin", "--user-model", "local:u")
    moods = users.with_name("moods.jsonl")
    return [
        Plan("core", ("core", "--users", users, "--catalog", FILMS, *models)),
        Plan(
            "concept",
            ("concept", "--users", moods, "--users", users.with_name("playful.jsonl"), "--catalog", FILMS, *models),
        ),
        Plan(
            "pepper",
            ("pepper", "--reviews", users.with_name("reviews.jsonl"), "--catalog", FILMS, *models, "--rounds", "3",
             "--screens", "4,0", "--other-user", "local:v"),
        ),
        Plan("alignment", ("alignment", "--humans", users.with_name("humans.jsonl"), *models[:4])),
        Plan("ievalm", ("ievalm", "--users", users, "--catalog", FILMS, *models)),
    ]  # fmt: skip


def killed_until_done(
    plan: Plan, more: Sequence[str], out: Path, provider: ProviderServer, whole: int, kills: int
) -> int:
    """Run a plan that is killed at random calls, and then let it end. Returns how often it was killed."""
    words = ["study", *plan.arguments, *more, "-o", out]
    local = {"CRS_EVAL_UPSTREAM_LOCAL": provider.openai_url, "CRS_EVAL_MAX_CONCURRENCY": str(AT_ONCE)}
    settings = environment(**local)
    at = random.Random(plan.name)
    killed = 0
    for threshold in sorted(at.sample(range(1, whole), kills)):
        process = forked.Process(
            forked.COMMAND_LINE, words, cwd=out.parent, env=settings, stderr=subprocess.DEVNULL
        )
        deadline = time.monotonic() + PATIENCE
        while provider.calls < threshold and process.poll() is None:
            assert time.monotonic() < deadline
            time.sleep(0.002)
        time.sleep(at.random() / 50)
        process.send_signal(signal.SIGKILL)
        killed += process.wait(PATIENCE) == -signal.SIGKILL
    exits(0, "study", *plan.arguments, *more, "-o", out, cwd=out.parent, **local)
    return killed


STUDIES = ("core", "concept", "pepper", "alignment", "ievalm")
SHARES = (0.29, 0.4, 0.18, 0.07, 0.06)
"""Of the kills, about as the studies' calls are."""


@pytest.mark.parametrize("number", range(len(STUDIES)), ids=STUDIES)
def test_a_killed_study_goes_on_and_pays_twice_for_calls_under_way_alone(
    number: int, tmp_path: Path, users: Path, provider: ProviderServer, recommenders: Sequence[str]
) -> None:
    every = plans(users)
    assert (
        [plan.name for plan in every]
        == list(STUDIES)
        == [command.name for command in app.registered_commands][: len(STUDIES)]
    )
    plan = every[number]
    whole, parts = tmp_path / "whole", tmp_path / "parts"
    local = {"CRS_EVAL_UPSTREAM_LOCAL": provider.openai_url}
    done = exits(0, "study", *plan.arguments, *recommenders, "-o", whole, cwd=tmp_path, **local)
    calls = provider.calls
    kills = max(1, round(KILLS * SHARES[number]))
    assert kills <= calls // 2
    assert not provider.duplicates
    begin_anew(provider)
    killed = killed_until_done(plan, recommenders, parts, provider, calls, kills)
    assert killed >= kills - 2, "it was done before it could be killed"
    assert provider.calls - provider.duplicates == calls
    assert provider.duplicates <= killed * AT_ONCE
    made = provider.calls
    assert tables(parts) == tables(whole)
    if number == 0 or kills > 1:
        assert study(*plan.arguments, *recommenders, "-o", parts, cwd=tmp_path, **local).returncode == 0
        assert provider.calls == made
        assert tables(parts) == tables(whole)
    print(f"{plan.name}: killed {killed} times, {calls} calls")
    assert study("bundle", parts, "-o", "run.zip", cwd=tmp_path).returncode == 0
    done = exits(0, "study", "verify", "run.zip", cwd=tmp_path)  # without the provider's address
    assert "identical, byte for byte" in done.stderr
    assert provider.calls == made
    paid = json.loads((parts / "costs.json").read_text())["models"]
    assert sum(model["calls"] for model in paid.values()) == calls


def test_what_nobody_can_read_is_paid_for_once(
    tmp_path: Path, users: Path, provider: ProviderServer, recommenders: Sequence[str]
) -> None:
    provider.default = lambda _: Answer("I would rather talk about the weather.")
    local = {"CRS_EVAL_UPSTREAM_LOCAL": provider.openai_url}
    asked: Command = ("ievalm", "--users", users, *recommenders, "--questions", "0", "--judge", "local:m")
    done = exits(4, "study", *asked, "-o", "run", cwd=tmp_path, **local)
    assert "failed" in done.stderr
    calls = provider.calls
    assert calls == 2 * 8  # each asked to mend its answer once
    assert study(*asked, "-o", "run", cwd=tmp_path, **local).returncode == 4
    assert provider.calls == calls


def test_pepper_with_the_embedded_judge_alone(
    tmp_path: Path, users: Path, recommenders: Sequence[str]
) -> None:
    out = tmp_path / "run"
    reviews = users.with_name("reviews.jsonl")
    asked: Command = ("pepper", "--reviews", reviews, "--catalog", FILMS, *recommenders, "-o", out)
    done = exits(0, "study", *asked, cwd=tmp_path)
    assert "costs nothing" in done.stderr
    made = {path.stem for path in (out / "tables").iterdir()}
    assert made >= {"users", "coverage", "published-coverage", "coverage-by-turn", "bias", "bias-recall", "published-bias",
                    "rubrics-builtin", "published-rubrics", "comparisons", "audit", "audit-acts"}  # fmt: skip
    figures = {path.stem for path in (out / "figures").iterdir()}
    assert figures <= made  # each draws the table of its name
    assert figures >= {"coverage-by-turn", "bias-recall", "recall-target-biased", "list-distance-target-free"}
    coverage_by_hand(out)
    targets = {user["id"]: user for user in read(out / "users.jsonl")}
    for log in logs_of(out):
        assert log["ground_truth"] == targets[log["metadata"]["user"]]["ground_truth"]
    text = " ".join(done.stderr.split())
    for part in ("table 2", "table 4", "table 8", "table 9"):
        assert part in text
    labels = [
        {"conversation": log["id"], "factor": "pepper-coherence", "rater": "ann", "score": 1 + number % 5}
        for number, log in enumerate(logs_of(out))
    ]
    write_lines(tmp_path / "labels.jsonl", labels)
    humans = users.with_name("humans.jsonl")
    assert study(*asked, "--labels", "labels.jsonl", "--humans", humans, cwd=tmp_path).returncode == 0
    rows = {row["factor"]: row for row in table_of(out, "agreement-with-people")}
    assert rows["pepper-coherence"]["ratings"] == "4"
    assert float(rows["pepper-coherence"]["published: kappa"]) == 0.87
    audited = {row["figure"]: row for row in table_of(out, "audit")}
    assert float(audited["words a message"]["people"]) == pytest.approx(6)
    assert 0 < float(audited["acts unlike people's, bits (0 the same, 1 nothing shared)"]["target-free"]) <= 1


def coverage_by_hand(out: Path) -> None:
    """Preference coverage from the logs, by equation 1."""
    films = {film["id"]: film["title"] for film in read(FILMS)}
    cells = {(row["system"], row["factor"]): row for row in table_of(out, "coverage")}
    for system in ("good", "weak"):
        shares = []
        for log in logs_of(out):
            if log["system"] == system:
                shown = {
                    films.get(item, item)
                    for message in log["messages"]
                    for item in (message.get("recommendations") or ())[:5]
                }
                wanted = log["ground_truth"]
                shares.append(len(shown & set(wanted)) / len(wanted))
        assert float(cells[system, "PC@5"]["mean"]) == pytest.approx(sum(shares) / len(shares), abs=1e-12)


def test_ievalm_with_the_embedded_judge_alone(
    tmp_path: Path, users: Path, recommenders: Sequence[str]
) -> None:
    out = tmp_path / "run"
    done = exits(
        0, "study", "ievalm", "--users", users, "--catalog", FILMS, *recommenders, "-o", out, cwd=tmp_path
    )
    made = {path.stem for path in (out / "tables").iterdir()}
    names = "recall-free-chat recall-attributes persuasiveness-builtin published-recall audit sessions"
    assert made >= set(names.split())
    rows = {(row["system"], row["factor"]): row for row in table_of(out, "recall-attributes")}
    assert rows["good", "Recall@50, 3 answered"]["n"] == "4"
    films = {film["id"]: film["title"] for film in read(FILMS)}
    last = []
    for log in logs_of(out):
        if log["system"] == "good":
            (wanted,) = log["ground_truth"]
            shown = [message for message in log["messages"] if message["role"] == "assistant"][-1]
            top = [films.get(item, item) for item in (shown.get("recommendations") or ())[:10]]
            last.append(films[wanted] in top)
    cells = {(row["system"], row["factor"]): row for row in table_of(out, "recall-free-chat")}
    mean = float(cells["good", "Recall@10, last list"]["mean"])
    assert mean == pytest.approx(sum(last) / len(last), abs=1e-12)
    assert "Left out: persuasiveness asked of the simulated user" in " ".join(done.stderr.split())


def test_alignment_with_the_classifier_alone_then_labels_and_preferences(
    tmp_path: Path, users: Path, recommenders: Sequence[str]
) -> None:
    out = tmp_path / "run"
    humans = users.with_name("humans.jsonl")
    asked: Command = ("alignment", "--humans", humans, *recommenders, "--catalog", FILMS, "-o", out)
    exits(0, "study", *asked, cwd=tmp_path)
    made = {path.stem for path in (out / "tables").iterdir()}
    assert made >= {"replies", "sessions", "alignment-implicit", "parts-implicit", "strategies-implicit", "stages-implicit",
                    "differences-implicit", "classifier"}  # fmt: skip
    sides = {row["side"]: row for row in table_of(out, "sessions")}
    assert (float(sides["human"]["turns before the first"]), float(sides["human"]["success, %"])) == (2, 100)
    assert float(sides["published: human"]["turns before the first"]) == 2.5
    pairs = {name: read(out / "pairs" / f"{name}.jsonl") for name in ("good", "weak")}
    strategies = [
        {"reply": pair["reply"], "strategy": "credibility" if name == "good" else "offer_help"}
        for name, found in pairs.items()
        for pair in found
    ]
    preferences = [
        {"context": pair["context"], "first": "good", "second": "weak",
         "preferred": "first" if pair["turn"] == 3 else "same"}
        for pair in pairs["good"]
    ]  # fmt: skip
    for name, lines in (("strategies", strategies), ("preferences", preferences)):
        write_lines(tmp_path / f"{name}.jsonl", lines)
    more: Command = ("--strategies", "strategies.jsonl", "--preferences", "preferences.jsonl")
    exits(0, "study", *asked, *more, cwd=tmp_path)
    cells = {
        row["system"]: row for row in table_of(out, "alignment-explicit") if row["factor"] == "same strategy"
    }
    # Of turns 2 and 3 people's second gives credibility: "good" shares it, "weak" none.
    assert (float(cells["good"]["mean"]), float(cells["weak"]["mean"])) == (0.5, 0)
    kappas = {row["metric"]: row for row in table_of(out, "preferences")}
    # Of three turns in each dialogue: the first is offer_help, where "weak" alone agrees and people see no difference;
    # at the second nobody does; at the third "good" does, and people prefer it.
    observed, chance = 2 / 3, (1 / 3) * (1 / 3) + (2 / 3) * (1 / 3)
    kappa = (observed - chance) / (1 - chance)
    assert float(kappas["alignment, explicit"]["kappa"]) == pytest.approx(kappa, abs=1e-4)
    ratings = {row["system"]: row for row in table_of(out, "ratings")}
    assert {name: float(row["wins"]) for name, row in ratings.items()} == {"good": 24, "weak": 12}
    apart = float(ratings["good"]["rating"]) - float(ratings["weak"]["rating"])
    assert apart == pytest.approx(400 * math.log10(24.5 / 12.5))
    (mixed,) = [row for row in table_of(out, "mixture") if row["metric"] == "alignment, explicit"]
    assert (float(mixed["0 %"]), float(mixed["50 %"]), float(mixed["100 %"])) == (0, 0.5, 1)
    quality = {row["pairs"]: row for row in table_of(out, "classifier")}
    assert float(quality["published: ReDial, mixed-hard"]["kappa"]) == 0.865
    wrong = [{**strategies[0], "reply": "elsewhere"}]
    (tmp_path / "wrong.jsonl").write_text(json.dumps(wrong[0]) + "\n")
    refused = study(*asked, "--strategies", "wrong.jsonl", cwd=tmp_path)
    assert (refused.returncode, "'elsewhere' is not a reply of this run" in refused.stderr) == (2, True)


def test_alignment_with_samples_a_panel_and_seeds(
    tmp_path: Path, users: Path, provider: ProviderServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[int] = []

    def reply(messages: list[dict[str, str]]) -> str:
        asked.append(len(messages))
        return f"What do you like, {len(asked)}?"

    def label(payload: Payload) -> Answer:
        alike = payload["model"] == "o" or (payload["model"] == "m" and payload["seed"] < 2)
        strategy = "credibility" if alike else "opinion_inquiry"
        count = payload["messages"][-1]["content"].count("[reply ")
        replies = [
            {"reply": at, "strategy": strategy, "reason": "So.", "second": None} for at in range(1, count + 1)
        ]
        return Answer(json.dumps({"replies": replies}))

    provider.default = label
    monkeypatch.setenv("CRS_EVAL_UPSTREAM_LOCAL", provider.openai_url)
    options: dict[str, Any] = {
        "samples": 3,
        "seeds": 2,
        "judge": "local:m",
        "panel": [f"local:{one}" for one in "nmo"],
    }
    humans = read(users.with_name("humans.jsonl"))[:3]
    service.study("alignment", recommender=reply, humans=humans, out=tmp_path / "run", **options)
    assert sorted(asked) == [turn for turn in (1, 3, 5) for _ in range(6)]
    assert (provider.calls, provider.duplicates) == (3 * 3 * 3 * 3, 0)
    panel = "local:n + local:m + local:o"
    for row in table_of(tmp_path / "run", "spread")[1:]:
        assert row["method"] in ("local:m", panel)
        assert float(row["labels that agree"]) == pytest.approx(2 / 3, abs=1e-4)
    for row in table_of(tmp_path / "run", f"strategies-{file_name(panel)}"):
        assert row["n"] == {"human": "9", "recommender": "18"}[row["system"]]
        assert float(row["mean"]) == (row["factor"] == "credibility")
    exits(0, "study", "bundle", "run", "-o", "run.zip", cwd=tmp_path)
    exits(0, "study", "verify", "run.zip", cwd=tmp_path)


def test_alignment_of_existing_replies(tmp_path: Path, users: Path) -> None:
    humans = users.with_name("humans.jsonl")
    logs = [dict(log) for log in read(humans)]
    logs[0]["messages"] = logs[0]["messages"][:2]
    service.study("alignment", humans=humans, logs=logs, out=tmp_path / "run")
    (row,) = table_of(tmp_path / "run", "replies")
    assert row == {"system": "logs", "contexts": "36", "replies": "34", "missing": "2"}
    (row, _) = table_of(tmp_path / "run", "alignment-implicit")
    assert (row["n"], float(row["mean"])) == ("22", 1)
    other = {**logs[1], "messages": [{"role": "user", "content": "Else."}, *logs[1]["messages"][1:]]}
    refused: Sequence[tuple[dict[str, Any], str]] = (
        ({"logs": [{**logs[1], "id": "else"}]}, "'else'"),
        ({"logs": [other]}, "'h1' of --humans"),
        ({"logs": logs, "seeds": 2}, "--seeds"),
        ({}, "--crs"),
        ({"logs": logs, "judging": "itemised"}, "--judging"),
        ({"logs": logs, "temperature": 1}, "--temperature"),
        ({"logs": logs, "panel": ["builtin", "local:m"]}, "--panel"),
    )
    for wrong, named in refused:
        with pytest.raises(CommandError, match=named):
            service.study("alignment", humans=humans, out=tmp_path / "wrong", **wrong)
    assert not (tmp_path / "wrong").exists()


def test_core_with_the_embedded_judge_alone(tmp_path: Path, users: Path, recommenders: Sequence[str]) -> None:
    out = tmp_path / "run"
    ratings = tmp_path / "labels.jsonl"
    asked: Command = ("core", "--users", users, "--catalog", FILMS, *recommenders, "--seeds", "2", "-o", out,
                      "--rounds", "3", "--no-stop")  # fmt: skip
    done = exits(0, "study", *asked, cwd=tmp_path)
    assert "costs nothing" in done.stderr
    text = " ".join(done.stderr.split())
    assert "Left out: agreement with people" in text
    assert "figure 5" not in text
    for name in ("sessions", "factors-builtin", "factors-builtin-old", "factors-builtin-new", "debate-roles-builtin",
                 "debate-rounds-builtin", "recall", "seeds-builtin", "tokens-by-factor", "published-factors-GPT-4o-mini"):  # fmt: skip
        for suffix in (".csv", ".md", ".tex", ".html"):
            assert (out / "tables" / f"{name}{suffix}").stat().st_size, name
    drawn = (out / "figures" / "factors-builtin.svg").read_text()
    assert ">mean of factors, good<" in drawn
    assert ">overall, " not in drawn  # the debate's, on 0-100: the figure ends at 4
    check_by_hand(out)
    lines = (out / "calls" / "debates-builtin.jsonl").read_text().splitlines()
    assert {len(json.loads(line)["answer"]["rounds"]) for line in lines} == {1}
    labels = [
        {"conversation": log["id"], "factor": factor, "rater": rater, "score": (number + shift) % 5}
        for number, log in enumerate(logs_of(out))
        for factor in ("proactiveness", "overall")
        for rater, shift in (("ann", 0), ("bob", 1))
    ]
    write_lines(ratings, labels)
    assert study(*asked, "--labels", ratings, cwd=tmp_path).returncode == 0
    (row,) = [row for row in table_of(out, "kappa-with-people") if row["factor"] == "proactiveness"]
    assert row["conversations"] == "16"
    assert float(row["published: GPT-4o-mini"]) == 0.727
    assert -1 <= float(row["builtin"]) <= 1
    scores = {row["score"]: row for row in table_of(out, "overall-with-people")}
    assert scores["builtin, persuasiveness"]["conversations"] == "16"
    names = ("builtin, debate", "builtin, mean of factors", "Recall@1", "published: CoRE (Multi-Agent)")
    assert set(names) <= set(scores)
    ratings.write_text(json.dumps({**labels[0], "conversation": "elsewhere"}) + "\n")
    wrong = study(*asked, "--labels", ratings, cwd=tmp_path)
    assert (wrong.returncode, "'elsewhere' is not a session of this run" in wrong.stderr) == (2, True)


def test_simulated_users_mind_planted_faults(
    tmp_path: Path, users: Path, recommenders: Sequence[str]
) -> None:
    with running_crs(["oversells"]) as pushy:
        done = study(
            "core", "--users", users, "--catalog", FILMS, *recommenders[:2], "--crs", f"pushy={pushy}/reply", "--worse",
            "pushy", "--no-debate", "-o", "run", cwd=tmp_path,
        )  # fmt: skip
    assert done.returncode == 0, done.stderr
    audited = {row["figure"]: row for row in table_of(tmp_path / "run", "audit")}
    accepted = audited["sessions that end in an acceptance, share"]
    lost = float(audited["acceptances lost to planted faults, difference of shares"]["simulated"])
    assert lost == float(accepted["simulated"]) - float(accepted["simulated, worse recommender"]) > 0.5


def test_concept_with_the_embedded_judge_alone_and_from_its_logs(
    tmp_path: Path, users: Path, recommenders: Sequence[str]
) -> None:
    out, again = tmp_path / "run", tmp_path / "again"
    asked: Command = ("concept", "--users", users.with_name("moods.jsonl"), "--catalog", FILMS)
    done = exits(0, "study", *asked, *recommenders, "--matching", "published", "-o", out, cwd=tmp_path)
    made = {path.stem for path in (out / "tables").iterdir()}
    assert made >= {"sessions", "conversations", "judged-builtin", "abilities-builtin", "parts-builtin", "recommendation",
                    "published-recommendation", "reliability", "overall-by-persona-builtin", "spread-attributes", "users",
                    "success-by-persona", "published-overall-by-persona", "published-success-by-attributes"}  # fmt: skip
    differences = {row["factor"]: row for row in table_of(out, "differences-recommendation")}
    recommended = {row["metric"]: row for row in table_of(out, "recommendation") if row["view"] == "lists"}
    both = [float(recommended["Recall@10"][name]) for name in ("good", "weak")]
    assert float(differences["Recall@10"]["difference"]) == pytest.approx(both[0] - both[1], abs=1e-9)
    whole = {
        record["conversation"]: record["answer"]["verdicts"][0]["score"]
        for record in read(out / "verdicts" / "builtin-concept-overall.jsonl")
    }
    trusting = [
        whole[log["id"]]
        for log in logs_of(out)
        if (log["system"], log["user"]["persona"]) == ("good", "trust")
    ]
    judged = {row["factor"] for row in table_of(out, "judged-builtin")}
    # Each is on 1-5: there is no mean on 0-4.
    assert judged == {factor.slug for factor in load_factors().of(Protocol.CONCEPT)}
    head = (out / "tables" / "overall-by-persona-builtin.md").read_text().splitlines()[2]
    assert head == "| persona | good | weak |"
    cells = table_of(out, "overall-by-persona-builtin")
    found = {(row["system"], row["factor"]): float(row["mean"]) for row in cells}
    assert found["good", "trust"] == pytest.approx(sum(trusting) / len(trusting), abs=1e-12)
    accepted = {"good": 0, "weak": 0}
    for log in logs_of(out):
        accepted[log["system"]] += log["user"]["age_group"] == "adults" and log["outcome"]["accepted"]
    of_adults = {
        row["system"]: float(row["mean"])
        for row in table_of(out, "success-by-age_group")
        if row["factor"] == "adults, acceptance rate"
    }
    assert of_adults == {name: 50 * n for name, n in accepted.items()}
    rows = {(row["metric"], row["view"]): row for row in table_of(out, "reliability")}
    assert float(rows["action consistency", "lists"]["good"]) <= 100
    logs = tmp_path / "had.jsonl"
    write_lines(logs, logs_of(out))
    done = exits(
        0,
        "study",
        "concept",
        "--logs",
        logs,
        "--catalog",
        FILMS,
        "--matching",
        "published",
        "-o",
        again,
        cwd=tmp_path,
    )
    for name in ("recommendation", "judged-builtin", "spread-persona", "conversations"):
        assert (again / "tables" / f"{name}.csv").read_text() == (out / "tables" / f"{name}.csv").read_text()
    assert "has no recommender to ask" in " ".join(done.stderr.split())
    equals_another_computation(again, logs, FILMS)


def equals_another_computation(out: Path, logs: Path, films: Path) -> None:
    """Each figure of the table by plain Python that shares no code with the service, within 1e-9."""
    items, had = read(films), read(logs)
    compared = 0
    for row in table_of(out, "recommendation"):
        key, unit = _key(row["view"], row["metric"])
        for system in dict.fromkeys(log["system"] for log in had):
            if key is not None:
                expected = by_hand([log for log in had if log["system"] == system], items)[key]
                found = row[system]
                assert (expected is None) == (found == ""), (row, system)
                if expected is not None:
                    assert float(found) == pytest.approx(expected * unit, abs=1e-9)
                    compared += 1
    assert compared >= 16


def _key(view: str, metric: str) -> tuple[tuple[str, str | None, int | None] | None, int]:
    name, _, cut = metric.partition("@")
    match name:
        case "Recall":
            return ("recall", view, int(cut)), 100
        case "SR":
            return ("success_rate", view, int(cut)), 100
        case "AT":
            return (("turns_to_acceptance", view, None) if view == "user" else ("average_turns", view, 10)), 1
        case "acceptance rate":
            return ("acceptance_rate", "user", None), 100
        case "deceptive acceptances":
            return ("deceptive_acceptances", "user", None), 100
    return None, 1


def test_concept_plays_personas_of_ones_own_in_the_papers_reading(
    tmp_path: Path, provider: ProviderServer, recommenders: Sequence[str]
) -> None:
    (tmp_path / "own.jsonl").write_text(
        json.dumps({"persona": "haste", "description": "You take what sounds good enough."}) + "\n"
    )

    def mood(payload: Payload) -> Answer:
        fields = (payload.get("response_format") or {}).get("json_schema", {}).get("schema", {})
        if set(fields.get("properties", {})) == {"feelings", "item", "decision", "message"}:
            said = payload["messages"][-1]["content"]
            known = [film["title"] for film in read(FILMS) if film["title"] in said]
            decision, message = ("accept", "Yes, that one.") if known else ("continue", "A film, please.")
            felt = {"feelings": "Fine.", "item": known[0] if known else "", "decision": decision}
            return Answer(json.dumps({**felt, "message": message}))
        return _readable(payload)

    provider.default = mood
    exits(
        0, "study", "concept", *recommenders[:2], "--catalog", FILMS, "--groups", "1", "--group-sizes", "2", "--personas",
        "own.jsonl", "--variant", "published", "--user-model", "local:u", "--paraphrases", "0", "-o", "run",
        cwd=tmp_path, CRS_EVAL_UPSTREAM_LOCAL=provider.openai_url,
    )  # fmt: skip
    asked = [request.payload["messages"][0]["content"] for request in provider.received]
    assert any(
        "You take what sounds good enough." in text and "the mood you are in" in text for text in asked
    )
    rows = {row["factor"]: row for row in table_of(tmp_path / "run", "success-by-persona")}
    # No wish was met, nor asked about: the mood was enough.
    assert float(rows["haste, acceptance rate"]["mean"]) == 100


def test_a_panel_is_one_judge_and_users_have_a_temperature(
    tmp_path: Path, users: Path, provider: ProviderServer, recommenders: Sequence[str]
) -> None:
    command: Command = (
        "core", *recommenders[:2], "--users", users, "--catalog", FILMS, "--panel", "builtin", "--panel", "local:m",
        "--user-model", "local:u", "--temperature", "0.7", "--rounds", "1", "-o", "run",
    )  # fmt: skip
    local = {"CRS_EVAL_UPSTREAM_LOCAL": provider.openai_url}
    exits(0, "study", *command, cwd=tmp_path, **local)
    asked = {(one.payload["model"], one.payload["temperature"]) for one in provider.received}
    assert asked == {("u", 0.7), ("m", 0)}
    table = table_of(tmp_path / "run", "factors-builtin___local_m")
    assert {row["n"] for row in table if row["factor"] == "novelty"} == {"4"}
    record = json.loads(
        (tmp_path / "run" / "verdicts" / "builtin___local_m.jsonl").read_text().splitlines()[0]
    )
    assert all(len(verdict["panel"]) == 2 for verdict in record["answer"]["verdicts"])
    methods = (tmp_path / "run" / "methods.md").read_text()
    assert "played by local:u at temperature 0.7" in methods
    assert "local:m was asked at temperature 0" in methods
    labels = [
        {"conversation": log["id"], "factor": "overall", "score": 60} for log in logs_of(tmp_path / "run")
    ]
    write_lines(tmp_path / "labels.jsonl", labels)
    assert study(*command, "--labels", "labels.jsonl", cwd=tmp_path, **local).returncode == 0
    rows = {row["score"]: row for row in table_of(tmp_path / "run", "overall-with-people")}
    assert rows["simulated user local:u, persuasiveness"]["conversations"] == "4"
    assert rows["builtin + local:m, persuasiveness"]["conversations"] == "4"


def logs_of(out: Path) -> list[Mapping[str, Any]]:
    return [log for path in sorted((out / "logs").iterdir()) for log in read(path)]


def check_by_hand(out: Path) -> None:
    """The main table from the verdicts, by another way."""
    records = read(out / "verdicts" / "builtin.jsonl")
    assert len(records) == 16
    cells = {(row["system"], row["factor"]): row for row in table_of(out, "factors-builtin")}
    for system in ("good", "weak"):
        scores = [
            verdict["score"]
            for record in records
            if record["system"] == system
            for verdict in record["answer"]["verdicts"]
            if verdict["factor"] == "proactiveness"
        ]
        mean = sum(scores) / len(scores)
        assert float(cells[system, "proactiveness"]["mean"]) == pytest.approx(mean, abs=1e-12)
        spread = (sum((score - mean) ** 2 for score in scores) / (len(scores) - 1)) ** 0.5
        assert float(cells[system, "proactiveness"]["sd"]) == pytest.approx(spread, abs=1e-12)
        for factor in ("proactiveness", "mean of factors", "overall"):
            assert (cells[system, factor]["n"], cells[system, factor]["users"]) == ("8", "4")


def test_a_study_asks_before_it_spends_and_stops_at_its_budget(
    tmp_path: Path, users: Path, provider: ProviderServer, recommenders: Sequence[str]
) -> None:
    prices = tmp_path / "prices.toml"
    prices.write_text('["local:*"]\ninput = 100\noutput = 100\n')
    local = {"CRS_EVAL_UPSTREAM_LOCAL": provider.openai_url, "CRS_EVAL_PRICES": str(prices)}
    out = tmp_path / "run"
    asked: Command = (
        "core",
        "--users",
        users,
        "--catalog",
        FILMS,
        *recommenders,
        "--judge",
        "local:m",
        "-o",
        out,
    )
    refused = exits(2, "study", *asked, "--budget", "2", cwd=tmp_path, **local)
    assert "above the budget of 2" in refused.stderr
    assert provider.calls == 0
    stopped = exits(3, "study", *asked, "--budget", "2", "--yes", "--at-once", "1", cwd=tmp_path, **local)
    assert "the cost limit is reached" in stopped.stderr
    assert 0 < provider.calls < 96
    assert not (out / "report.html").exists()
    exits(0, "study", *asked, cwd=tmp_path, **local)
    assert not provider.duplicates
    assert json.loads((out / "costs.json").read_text())["models"]["m"]["cost"] > 2


def test_a_folder_is_of_one_run(tmp_path: Path, users: Path, recommenders: Sequence[str]) -> None:
    out = tmp_path / "run"
    asked: Command = ("core", "--users", users, "--catalog", FILMS, *recommenders, "--no-debate", "-o", out)
    assert study(*asked, cwd=tmp_path).returncode == 0
    other = exits(2, "study", *asked, "--seeds", "2", cwd=tmp_path)
    assert "other seeds: 1, not 2" in other.stderr
    exits(0, "study", *asked, "--seeds", "2", "--fresh", cwd=tmp_path)
    assert table_of(out, "sessions")[0]["sessions"] == "8"
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "thesis.tex").write_text("x")
    assert "not the folder of a study" in study(*asked[:-1], tmp_path / "mine", cwd=tmp_path).stderr
    assert (tmp_path / "mine" / "thesis.tex").read_text() == "x"


@pytest.mark.parametrize("name", STUDIES)
def test_a_failed_session_is_no_zero_and_is_played_again(name: str, tmp_path: Path, users: Path) -> None:
    """A function that fails for some users: its tables are of the others until the call is made again."""
    films = [film["title"] for film in read(FILMS)]
    broken: set[str] = set()
    calls: list[str] = []

    def reply(messages: list[dict[str, str]]) -> dict[str, Any]:
        first = messages[0]["content"]
        calls.append(first)
        if first in broken:
            raise RuntimeError("the proxy answers 500")
        return {"content": f"How about {films[0]}?", "recommendations": films}

    given: dict[str, dict[str, Any]] = {"core": {"users": [str(users)], "debate": False}, "ievalm": {"users": [str(users)], "questions": 0},
             "alignment": {"humans": [str(users.with_name("humans.jsonl"))]},
             "concept": {"users": [str(users.with_name("moods.jsonl"))], "paraphrases": 0},
             "pepper": {"reviews": [str(users.with_name("reviews.jsonl"))], "biased": False, "rounds": 2}}  # fmt: skip
    options: dict[str, Any] = {"recommender": reply, "catalog": str(FILMS), **given[name]}

    async def notebook() -> Path:
        return service.study(name, out=tmp_path / "whole", **options)

    assert asyncio.run(notebook()) == tmp_path / "whole"  # as in a notebook, where a loop runs
    whole = tables(tmp_path / "whole")
    broken.add(calls[-1])
    with pytest.raises(CommandError, match="again"):
        service.study(name, out=tmp_path / "parts", **options)
    ends, column = ("replies", "contexts") if name == "alignment" else ("sessions", "sessions")
    (row,) = table_of(tmp_path / "parts", ends)
    count, failed = int(row[column]), int(row["crs_error"])
    assert 0 < failed < count
    note = f"recommender {failed} of {count} (crs_error: {failed})"
    assert all(
        note in path.read_text()
        for path in (tmp_path / "parts" / "tables").glob("*.md")
        if not path.name.startswith("published")
    )
    measured = {"core": ("recall", "Recall@10"), "ievalm": ("recall-free-chat", "Recall@50, all lists"),
                "pepper": ("coverage", "PC@50"), "concept": ("judged-builtin", "concept-manner")}  # fmt: skip
    if name in measured:
        cells = table_of(tmp_path / "parts", measured[name][0])
        (cell,) = [row for row in cells if row["factor"] == measured[name][1]]
        assert int(cell["n"]) == count - failed
    broken.clear()
    calls.clear()
    service.study(name, out=tmp_path / "parts", **options)
    assert len(set(calls)) == 1  # nobody else is asked again
    assert tables(tmp_path / "parts") == whole


def test_a_bundle_shows_what_was_changed(tmp_path: Path, users: Path, recommenders: Sequence[str]) -> None:
    bundle = tmp_path / "run.zip"
    asked: Command = ("ievalm", "--users", users, "--catalog", FILMS, *recommenders[:2])
    assert study(*asked, "-o", "run", cwd=tmp_path).returncode == 0
    assert study("bundle", "run", "-o", bundle, cwd=tmp_path).returncode == 0
    with zipfile.ZipFile(bundle) as file:
        parts = {name: file.read(name) for name in file.namelist()}
    changed = {"tables/recall-free-chat.csv": parts["tables/recall-free-chat.csv"].replace(b"0", b"1")}
    report = parts["report.html"]
    redrawn = {  # as another version of matplotlib may draw it
        "figures/recall-free-chat.svg": b"<svg></svg>\n",
        "report.html": report[: report.index(b"<svg")]
        + b"<svg></svg>"
        + report[report.rindex(b"</svg>") + 6 :],
    }
    for other, sums, code, text in (
        (changed, parts["SHA256SUMS"], 1, "was changed after packing"),
        (changed, None, 1, "differs"),
        ({"tables/made-up.csv": b"x"}, None, 1, "made-up.csv differs"),
        ({"methods.md": parts["methods.md"] + b"All is well.\n"}, None, 1, "methods.md differs"),
        ({"report.html": report.replace(b"Methods", b"Method")}, None, 1, "report.html differs"),
        (redrawn, None, 0, "identical"),
    ):
        kept = {**parts, **other}
        if sums is None:
            del kept["SHA256SUMS"]
            lines = [f"{hashlib.sha256(content).hexdigest()}  {name}\n" for name, content in kept.items()]
            kept["SHA256SUMS"] = "".join(lines).encode()
        with zipfile.ZipFile(bundle, "w") as file:
            for name, content in kept.items():
                file.writestr(name, content)
        done = study("verify", bundle, cwd=tmp_path)
        assert (done.returncode, text in " ".join(done.stderr.split())) == (code, True), done.stderr


@pytest.mark.parametrize("name", ["core", "pepper", "ievalm"])
def test_conversations_of_elsewhere_take_the_place_of_sessions(
    name: str, tmp_path: Path, users: Path, recommenders: Sequence[str]
) -> None:
    given: Command = (
        ("--reviews", users.with_name("reviews.jsonl")) if name == "pepper" else ("--users", users)
    )
    asked: Command = (name, "--catalog", FILMS)
    exits(0, "study", *asked, *given, *recommenders, "-o", "run", cwd=tmp_path)
    write_lines(tmp_path / "had.jsonl", logs_of(tmp_path / "run"))
    exits(0, "study", *asked, "--logs", "had.jsonl", "-o", "again", cwd=tmp_path)
    for table in {"core": ("factors-builtin", "recall", "differences-recall"), "pepper": ("coverage", "rubrics-builtin"),
                  "ievalm": ("recall-free-chat", "persuasiveness-builtin")}[name]:  # fmt: skip
        first, second = (table_of(tmp_path / run, table) for run in ("run", "again"))
        assert first == second


def test_predictions_for_the_music_challenge_are_scored(tmp_path: Path) -> None:
    """nDCG by trec_eval's formula as pytrec-eval and ir-measures have it: one relevant track at place 1, 2, 12 or nowhere."""
    tracks = [f"t{number}" for number in range(40)]
    places = {("s0", 1): 0, ("s0", 2): 1, ("s1", 1): 11, ("s1", 2): None}
    conversations = [
        {"turn_number": turn, "role": role, "content": f"t{turn}" if role == "music" else f"{role} {turn}"}
        for turn in (1, 2)
        for role in ("user", "music", "assistant")
    ]
    sessions = [
        {"session_id": name, "user_id": f"u-{name}", "conversations": conversations} for name in ("s0", "s1")
    ]
    predictions = []
    for (name, turn), place in places.items():
        others = [track for track in tracks if track != f"t{turn}"][:19]
        listed = others if place is None else [*others[:place], f"t{turn}", *others[place:]]
        turn_of = {"session_id": name, "user_id": f"u-{name}", "turn_number": turn}
        predictions.append({**turn_of, "predicted_track_ids": listed, "predicted_response": "a b a"})
    write_lines(tmp_path / "sessions.jsonl", sessions)
    (tmp_path / "mine.json").write_text(json.dumps(predictions))
    (tmp_path / "part.json").write_text(json.dumps(predictions[1:]))
    asked: Command = ("music-crs", "--sessions", "sessions.jsonl", "--predictions")
    exits(0, "study", *asked, "mine=mine.json", "-o", "run", cwd=tmp_path)
    means = {row["factor"]: float(row["mean"]) for row in table_of(tmp_path / "run", "ndcg")}
    second, twelfth = 1 / math.log2(3), 1 / math.log2(13)
    expected = {"nDCG@1": 1 / 4, "nDCG@10": (1 + second) / 4, "nDCG@20": (1 + second + twelfth) / 4}
    assert means == pytest.approx(expected, abs=1e-12)
    logs = logs_of(tmp_path / "run")
    for k in (1, 10):  # a session's list joins the first ten items of each turn's
        report = service.metrics(logs, metrics=["ndcg"], k=[k])
        (value,) = {row.value for row in report.rows if (row.scope, row.k) == ("session", k)}
        assert value == pytest.approx(expected[f"nDCG@{k}"], abs=1e-4)
    assert [said["content"] for said in logs[1]["messages"]] == ["user 1", "assistant 1", "user 2", "a b a"]
    (row,) = table_of(tmp_path / "run", "diversity")
    assert (row["turns"], float(row["different words, share"])) == ("4", 2 / 12)
    refused = study(*asked, "part=part.json", "-o", "other", cwd=tmp_path)
    assert "for turn 1 of session s0" in " ".join(refused.stderr.split())
